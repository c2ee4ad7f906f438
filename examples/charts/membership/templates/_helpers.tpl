{{- define "membership.fullname" -}}
{{- printf "%s-membership" .Release.Name | trunc 43 | trimSuffix "-" -}}
{{- end }}

{{- define "membership.selector" -}}
app.kubernetes.io/name: membership
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Where the database is, unless the values say it. */}}
{{- define "membership.database" -}}
host: {{ ternary (printf "%s-database" (include "membership.fullname" .)) "postgresql" .Values.database.bundled }}
port: 5432
database: membership
auth: {username: membership}
{{- end }}

{{/* A container that runs `command` of the program; `job` names the define of the Job it belongs to. */}}
{{- define "membership.container" -}}
{{- $image := .root.Values.image -}}
image: {{ printf "%s:%s" $image.repository ($image.tag | default .root.Chart.AppVersion) }}
imagePullPolicy: {{ $image.pullPolicy }}
command: [membership, {{ .command }}]
env: {{- include "watchbill.v1.database.env" (merge (dict "fullname" (include "membership.fullname" .root) "defaults" (include "membership.database" .root | fromYaml)) .) | nindent 2 }}
{{- end }}
