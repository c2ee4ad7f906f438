{{/* The Job's name. In the plain form it carries a hash of what runs: another run is another Job, the same one no run. */}}
{{- define "watchbill.v1.job.name" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- if or .suffix (eq (include "watchbill.v1.form" .) "hook") -}}
{{ $declaration.base }}
{{- else -}}
{{- if not $declaration.run -}}
{{- /* Who keeps their own Job may say in `inputs` alone what runs. */ -}}
{{- if not (or $declaration.containers $declaration.inputs) }}{{ fail (printf "watchbill: define %q says neither containers nor inputs, so nobody knows when something else runs" .job) }}{{ end -}}
{{- $bounds := include "watchbill.v1.bounds" (dict "root" .root "settings" $declaration.settings) | fromJson -}}
{{- $pod := "" -}}
{{- if $declaration.containers }}{{ $pod = include "watchbill.v1.pod" . }}{{ end -}}
{{- $runs := list $pod $bounds.podFailurePolicy ($declaration.inputs | default "") -}}
{{- with $declaration.settings.rerun }}{{ $runs = append $runs (include "watchbill.v1.text" .) }}{{ end -}}
{{- $_ := set $declaration "hash" ($runs | toJson | sha256sum | trunc 8) -}}
{{- $_ := set $declaration "run" (include "watchbill.v1.run.name" .) -}}
{{- end -}}
{{- $declaration.run -}}
{{- end -}}
{{- end }}

{{/* A Job with all that the library makes for it. */}}
{{- define "watchbill.v1.job" -}}
{{- include "watchbill.v1.declare" . -}}
{{- if .declaration.settings.enabled }}{{ include "watchbill.v1.owner" . }}{{ end -}}
{{- if include "watchbill.v1.due" . -}}
{{- $declaration := .declaration -}}
{{- $template := include "watchbill.v1.pod" . | fromJson -}}
{{- $name := include "watchbill.v1.job.name" . -}}
{{- $spec := include "watchbill.v1.bounds" (dict "root" .root "settings" $declaration.settings) | fromJson -}}
{{- if eq (include "watchbill.v1.form" .) "hook" -}}
{{- $_ := set $spec "ttlSecondsAfterFinished" $declaration.settings.ttlSecondsAfterFinished -}}
{{- else -}}
{{- /* A selector of its own lets the Job be replaced by its equal, which a forced upgrade does. Nothing expires: an
       expired plain Job would run again with the next upgrade. */ -}}
{{- $run := dict "watchbill.dev/run" $name -}}
{{- $_ := set $template.metadata "labels" (merge $run $template.metadata.labels) -}}
{{- $_ := set $spec "manualSelector" true -}}
{{- $_ := set $spec "selector" (dict "matchLabels" (dict "watchbill.dev/run" $name)) -}}
{{- end -}}
{{- $_ := set $spec "template" $template -}}
{{- include "watchbill.v1.serviceAccount" . }}
{{- include "watchbill.v1.database.companion" . }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $name | quote }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels: {{- include "watchbill.v1.job.labels" . | nindent 4 }}
  {{- with include "watchbill.v1.job.annotations" . }}
  annotations: {{- . | nindent 4 }}
  {{- end }}
  {{- if eq (include "watchbill.v1.form" .) "plain" }}{{ with include "watchbill.v1.owner.references" . }}
  ownerReferences: {{- . | nindent 4 }}
  {{- end }}{{ end }}
spec: {{- toYaml $spec | nindent 2 }}
{{ end -}}
{{- end }}

{{/* The same pod on a schedule: `schedule`, `suspend`. Its companions are its own, since those of a hook do not stay. */}}
{{- define "watchbill.v1.cronjob" -}}
{{- $twin := merge (dict "suffix" "-cron") . -}}
{{- if include "watchbill.v1.due" $twin -}}
{{- include "watchbill.v1.declare" $twin -}}
{{- $declaration := $twin.declaration -}}
{{- $spec := include "watchbill.v1.bounds" (dict "root" .root "settings" $declaration.settings) | fromJson -}}
{{- $_ := set $spec "template" (include "watchbill.v1.pod" $twin | fromJson) -}}
{{- include "watchbill.v1.serviceAccount" $twin }}
{{- include "watchbill.v1.database.companion" $twin }}
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: {{ $declaration.base | quote }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels: {{- include "watchbill.v1.labels" $twin | nindent 4 }}
spec:
  schedule: {{ .schedule | required "watchbill: a CronJob needs a schedule" | quote }}
  suspend: {{ .suspend | default false }}
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 200
  successfulJobsHistoryLimit: 1
  failedJobsHistoryLimit: 1
  jobTemplate:
    metadata:
      labels: {{- include "watchbill.v1.labels" $twin | nindent 8 }}
    spec: {{- toYaml $spec | nindent 6 }}
{{ end -}}
{{- end }}
