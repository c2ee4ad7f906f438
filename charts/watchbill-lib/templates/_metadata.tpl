{{/* Labels of everything that belongs to a Job. None changes with a version: they are in its pods too. */}}
{{- define "watchbill.v1.labels" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- $own := dict "app.kubernetes.io/instance" .root.Release.Name "app.kubernetes.io/component" $declaration.name "app.kubernetes.io/managed-by" .root.Release.Service "watchbill.dev/job" $declaration.base -}}
{{- include "watchbill.v1.texts" (mergeOverwrite $own ($declaration.labels | default dict) $declaration.settings.labels) | fromJson | toYaml -}}
{{- end }}

{{/* Annotations of the Job: what makes it a hook, and the user's, which win. */}}
{{- define "watchbill.v1.job.annotations" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- $own := dict -}}
{{- if eq (include "watchbill.v1.form" .) "hook" -}}
{{- $own = include "watchbill.v1.hook.annotations" (dict "hooks" true "root" .root "weight" (add 10 ($declaration.order | default 0)) "events" (include "watchbill.v1.events" .)) | fromYaml -}}
{{- end -}}
{{- with mergeOverwrite $own $declaration.settings.annotations }}{{ toYaml . }}{{ end -}}
{{- end }}

{{/*
Annotations of an object that the Job's pod needs before it starts: `rank` is account, rights or config, in this order.

As a hook it goes once the Job has succeeded, because no uninstall deletes what a hook made. After a failed or killed
operation the uninstall deletes it all the same: `pre-delete` creates it once more, and `hook-succeeded` deletes it. Helm's
mark of ownership lets a later release have an object of the same name in the plain form, whatever became of this one.
*/}}
{{- define "watchbill.v1.companion.annotations" -}}
{{- $weights := dict "account" 0 "rights" 1 "config" 5 -}}
{{- if not (hasKey $weights (.rank | default "")) }}{{ fail (printf "watchbill: rank is account, rights or config, not %q" (.rank | default "")) }}{{ end -}}
{{- if eq (include "watchbill.v1.form" .) "hook" -}}
{{ include "watchbill.v1.hook.annotations" (dict "hooks" true "root" .root "weight" (index $weights .rank) "policy" "before-hook-creation,hook-succeeded" "events" (include "watchbill.v1.companion.events" .)) }}
meta.helm.sh/release-name: {{ .root.Release.Name | quote }}
meta.helm.sh/release-namespace: {{ .root.Release.Namespace | quote }}
{{- end -}}
{{- end }}

{{/*
Argo CD would take `pre-delete` for a hook that no sync applies. It renders without a cluster, so `lookup` tells: every
namespace has the ConfigMap kube-root-ca.crt.
*/}}
{{- define "watchbill.v1.companion.events" -}}
{{- include "watchbill.v1.events" . -}}
{{- if lookup "v1" "ConfigMap" .root.Release.Namespace "kube-root-ca.crt" }},pre-delete{{ end -}}
{{- end }}

{{/* Labels of one run and of what was made for it. `watchbill.dev/run` tells it from the Job's other runs. */}}
{{- define "watchbill.v1.job.labels" -}}
{{ include "watchbill.v1.labels" . }}
watchbill.dev/run: {{ include "watchbill.v1.job.name" . | quote }}
{{- end }}

{{- define "watchbill.v1.companion.labels" -}}
{{ include "watchbill.v1.job.labels" . }}
{{- end }}

{{/*
Whole companions: `object` names a define that gives one or several; what they say themselves of labels and annotations
wins.
*/}}
{{- define "watchbill.v1.companion" -}}
{{- if include "watchbill.v1.due" . -}}
{{- $labels := include "watchbill.v1.companion.labels" . -}}
{{- $annotations := include "watchbill.v1.companion.annotations" . -}}
{{- $context := set (omit .root "watchbill") "watchbill" (dict "suffix" .suffix) -}}
{{- range regexSplit "(?m)^---[ \\t]*$" (include .object $context) -1 -}}
{{- $object := fromYaml . -}}
{{- with $object.Error }}{{ fail (printf "watchbill: define %q is no YAML: %s" $.object .) }}{{ end -}}
{{- if $object -}}
{{- $metadata := $object.metadata | default dict -}}
{{- $_ := set $metadata "labels" (mergeOverwrite (fromYaml $labels) ($metadata.labels | default dict)) -}}
{{- with mergeOverwrite (fromYaml $annotations) ($metadata.annotations | default dict) }}{{ $_ := set $metadata "annotations" . }}{{ end }}
---
{{ mergeOverwrite $object (dict "metadata" $metadata) | toYaml }}
{{ end -}}
{{- end -}}
{{- end -}}
{{- end }}
