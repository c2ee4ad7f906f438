{{/* The pod's account. One that is made for a hook does not stay, so a CronJob twin has another, under any name. */}}
{{- define "watchbill.v1.serviceAccountName" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- $account := $declaration.settings.serviceAccount -}}
{{- if not $account.create }}{{ $account.name | default "default" }}
{{- else if $account.name }}{{ $account.name }}{{ .suffix }}
{{- else }}{{ $declaration.base }}{{ end -}}
{{- end }}

{{- define "watchbill.v1.serviceAccount" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- if $declaration.settings.serviceAccount.create -}}
{{- $annotations := include "watchbill.v1.companion.annotations" (merge (dict "rank" "account") .) | fromYaml }}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "watchbill.v1.serviceAccountName" . | quote }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels: {{- include "watchbill.v1.companion.labels" . | nindent 4 }}
  {{- with mergeOverwrite $annotations $declaration.settings.serviceAccount.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}
{{- end }}
