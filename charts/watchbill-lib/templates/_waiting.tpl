{{/* An init container that asks until the answer is yes: `container` with its `command`, the question. */}}
{{- define "watchbill.v1.until" -}}
{{- $question := .container.command | required (printf "watchbill: %s needs a command that asks" .container.name) -}}
{{- $command := concat (list "sh" "-c" "until \"$@\"; do sleep 2; done" .container.name) $question -}}
{{- $container := mergeOverwrite (dict) .container (dict "command" $command) -}}
- {{ include "watchbill.v1.container" (dict "container" $container "settings" dict) | fromJson | toYaml | nindent 2 | trim }}
{{- end }}

{{/*
Keeps the application from running ahead of its schema. It asks the database and not the Job, which may be gone. Always
there: where the Job was a hook the answer is yes at once, and a pod that is the same in both forms does not restart
when the form changes.
*/}}
{{- define "watchbill.v1.gate" -}}
{{ include "watchbill.v1.until" (dict "container" (merge (dict) .container (dict "name" "gate"))) }}
{{- end }}

{{/* For the Job: until its database answers. An attempt ends at its deadline, whatever it waits for. */}}
{{- define "watchbill.v1.waitForDatabase" -}}
{{ include "watchbill.v1.until" (dict "container" (merge (dict) .container (dict "name" "wait-for-database"))) }}
{{- end }}

{{/* A helm test that asks whether the migration is there: `container`. It stays if it fails. */}}
{{- define "watchbill.v1.test" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- $settings := $declaration.settings -}}
{{- if $settings.enabled -}}
{{- $container := include "watchbill.v1.container" (dict "container" (merge (dict) .container (dict "name" "test")) "settings" (pick $settings "securityContext" "resources")) | fromJson -}}
---
apiVersion: v1
kind: Pod
metadata:
  name: {{ printf "%s-test" $declaration.base | quote }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels: {{- include "watchbill.v1.labels" . | nindent 4 }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  restartPolicy: Never
  activeDeadlineSeconds: {{ $settings.attemptSeconds | int64 }}
  automountServiceAccountToken: false
  securityContext: {{- mergeOverwrite (dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault")) $settings.podSecurityContext | toYaml | nindent 4 }}
  {{- with include "watchbill.v1.placement" . | fromJson }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  containers: {{- list $container | toYaml | nindent 4 }}
{{ end -}}
{{- end }}
