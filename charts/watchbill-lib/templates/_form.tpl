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
{{- if and $hook (include "watchbill.v1.database.bundled" .) -}}
{{- $hook = and (include "watchbill.v1.database.workload" .) .root.Release.IsUpgrade (include "watchbill.v1.database.ready" .) -}}
{{- end -}}
{{- $_ := set .declaration "form" (ternary "hook" "plain" (not (empty $hook))) -}}
{{- end -}}
{{- .declaration.form -}}
{{- end }}

{{/* The flag: not empty where it is set, for the Job alone or for the chart. */}}
{{- define "watchbill.v1.hooks" -}}
{{- $feature := .root.Values.feature | default dict -}}
{{- if not (kindIs "map" $feature) }}{{ fail (printf "watchbill: feature is a map with migrationHooks, not %s" (toJson $feature)) }}{{ end -}}
{{- $own := (((.declaration | default dict).settings) | default dict).hooks -}}
{{- if not (kindIs "invalid" $own) }}{{ if $own }}true{{ end }}
{{- else }}{{ include "watchbill.v1.truth" (dict "key" "feature.migrationHooks" "value" $feature.migrationHooks) }}{{ end -}}
{{- end }}

{{/* Not empty with a bundled database. No text will do: Helm would take "false" in a dependency's condition for yes. */}}
{{- define "watchbill.v1.database.bundled" -}}
{{- $bundled := (.root.Values.database | default dict).bundled -}}
{{- if kindIs "string" $bundled }}{{ fail (printf "watchbill: database.bundled is true or false, not the text %q" $bundled) }}{{ end -}}
{{- include "watchbill.v1.truth" (dict "key" "database.bundled" "value" $bundled) -}}
{{- end }}

{{/* The name of the bundled database. Asked for from the first install on: without it no upgrade would work. */}}
{{- define "watchbill.v1.database.workload" -}}
{{- include "watchbill.v1.declare" . -}}
{{- (.declaration.database | default dict).workload | required (printf "watchbill: define %q says no database.workload, and database.bundled is set" .job) -}}
{{- end }}

{{/* Not empty where the bundled database of a Job answers. */}}
{{- define "watchbill.v1.database.ready" -}}
{{- $name := include "watchbill.v1.database.workload" . -}}
{{- $kind := .declaration.database.kind | default "StatefulSet" -}}
{{- $workload := lookup "apps/v1" $kind .root.Release.Namespace $name | default dict -}}
{{- if ge (($workload.status | default dict).readyReplicas | default 0 | int) 1 }}true{{ end -}}
{{- end }}

{{/* Whether this operation has the Job at all: not empty if so. */}}
{{- define "watchbill.v1.due" -}}
{{- include "watchbill.v1.declare" . -}}
{{- if .declaration.settings.enabled -}}
{{- $now := .root.Release.IsInstall | ternary "install" "upgrade" -}}
{{- if or .suffix (eq (include "watchbill.v1.form" .) "hook") (contains $now (include "watchbill.v1.events" .)) }}true{{ end -}}
{{- end -}}
{{- end }}

{{/* When the Job runs, as Helm's events. What an install has left open is done by the upgrade that comes after it. */}}
{{- define "watchbill.v1.events" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $when := .declaration.when | default "always" -}}
{{- if eq $when "upgrade" }}pre-upgrade
{{- else if or (eq $when "always") (include "watchbill.v1.open" .) }}pre-install,pre-upgrade
{{- else }}pre-install{{ end -}}
{{- end }}

{{/*
Not empty if the install of this release has not done its part, and this is an upgrade: the Job has never succeeded, and
either a run is there that has failed or has not ended, or no revision of the release was ever deployed.
*/}}
{{- define "watchbill.v1.open" -}}
{{- if not (hasKey .declaration "open") -}}
{{- $begun := false -}}
{{- $done := true -}}
{{- if .root.Release.IsUpgrade -}}
{{- $done = eq (toString (include "watchbill.v1.owner.found" . | fromJson).installed) "true" -}}
{{- range include "watchbill.v1.jobs" . | fromJson -}}
{{- if and .ours (eq .of $.declaration.base) -}}
{{- if .succeeded }}{{ $done = true }}{{ else }}{{ $begun = true }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if not (or $begun $done) }}{{ $begun = include "watchbill.v1.neverDeployed" . | eq "true" }}{{ end -}}
{{- end -}}
{{- $_ := set .declaration "open" (and $begun (not $done)) -}}
{{- end -}}
{{- if .declaration.open }}true{{ end -}}
{{- end }}

{{/* "true" if Helm keeps revisions of this release and none was ever deployed. Where they cannot be seen, one was. */}}
{{- define "watchbill.v1.neverDeployed" -}}
{{- $statuses := list -}}
{{- range (lookup "v1" "Secret" .root.Release.Namespace "" | default dict).items -}}
{{- $labels := .metadata.labels | default dict -}}
{{- if and (eq (toString $labels.owner) "helm") (eq (toString $labels.name) $.root.Release.Name) }}{{ $statuses = append $statuses $labels.status }}{{ end -}}
{{- end -}}
{{- and $statuses (not (or (has "deployed" $statuses) (has "superseded" $statuses))) | empty | not -}}
{{- end }}

{{/* What makes an object a hook; nothing while the flag is off, unless `hooks` is set. `events`, `weight`, `policy`. */}}
{{- define "watchbill.v1.hook.annotations" -}}
{{- if or .hooks (include "watchbill.v1.hooks" .) -}}
helm.sh/hook: {{ .events | default "pre-install,pre-upgrade" }}
helm.sh/hook-weight: {{ .weight | default 0 | toString | quote }}
helm.sh/hook-delete-policy: {{ .policy | default "before-hook-creation" }}
{{- end -}}
{{- end }}
