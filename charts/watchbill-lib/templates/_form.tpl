{{/*
"hook" or "plain": as which of its two forms a Job is rendered. They have no name in common, so a release moves
between them freely.

A hook runs before everything else, so it needs a database that is there already: one outside the release always is,
a bundled one is from the moment it is ready. Where nobody can look (Argo CD, `helm template`) a bundled one is not.
*/}}
{{- define "watchbill.v1.form" -}}
{{- include "watchbill.v1.declare" . -}}
{{- if not .declaration.form -}}
{{- $hook := and (not .suffix) (include "watchbill.v1.hooks" .) -}}
{{- if and $hook (.root.Values.database | default dict).bundled -}}
{{- $hook = and .root.Release.IsUpgrade (include "watchbill.v1.database.ready" .) -}}
{{- end -}}
{{- $_ := set .declaration "form" (ternary "hook" "plain" (not (empty $hook))) -}}
{{- end -}}
{{- .declaration.form -}}
{{- end }}

{{/* The flag: not empty where it is set. */}}
{{- define "watchbill.v1.hooks" -}}
{{- if (.root.Values.feature | default dict).migrationHooks }}true{{ end -}}
{{- end }}

{{/* Not empty where the bundled database of a Job answers. */}}
{{- define "watchbill.v1.database.ready" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- $name := ($declaration.database | default dict).workload | required (printf "watchbill: define %q says no database.workload, and database.bundled is set" .job) -}}
{{- $workload := lookup "apps/v1" "StatefulSet" .root.Release.Namespace $name | default dict -}}
{{- if ge (($workload.status | default dict).readyReplicas | default 0 | int) 1 }}true{{ end -}}
{{- end }}

{{/* Whether this operation has the Job at all: not empty if so. */}}
{{- define "watchbill.v1.due" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- $when := $declaration.when | default "always" -}}
{{- $now := or .suffix (eq $when "always") (eq (include "watchbill.v1.form" .) "hook") (eq (eq $when "install") .root.Release.IsInstall) -}}
{{- if and $declaration.settings.enabled $now }}true{{ end -}}
{{- end }}

{{/* What makes an object a hook; nothing while the flag is off. `events`, `weight`, `policy`. */}}
{{- define "watchbill.v1.hook.annotations" -}}
{{- if include "watchbill.v1.hooks" . -}}
helm.sh/hook: {{ .events | default "pre-install,pre-upgrade" }}
helm.sh/hook-weight: {{ .weight | default 0 | toString | quote }}
helm.sh/hook-delete-policy: {{ .policy | default "before-hook-creation" }}
{{- end -}}
{{- end }}
