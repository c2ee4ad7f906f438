{{/* The migration: before the application, or beside a new bundled database. */}}
{{- define "membership.migrate" -}}
fullname: {{ include "membership.fullname" . }}
name: migrate
settings: {{ toJson .Values.config.migration }}
database:
  workload: {{ include "membership.fullname" . }}-database
initContainers:
  {{- include "watchbill.v1.waitForDatabase" (dict "container" (include "membership.container" (dict "root" . "job" "membership.migrate" "command" "answers") | fromYaml)) | nindent 2 }}
containers:
  - name: migrate
    {{- include "membership.container" (dict "root" . "job" "membership.migrate" "command" "migrate") | nindent 4 }}
{{- end }}

{{/* The first member: after the migration, also where Kubernetes starts both at once. */}}
{{- define "membership.wizard" -}}
fullname: {{ include "membership.fullname" . }}
name: wizard
order: 1
settings: {{ toJson .Values.config.wizard }}
database:
  workload: {{ include "membership.fullname" . }}-database
initContainers:
  {{- include "watchbill.v1.gate" (dict "container" (include "membership.container" (dict "root" . "job" "membership.wizard" "command" "ready") | fromYaml)) | nindent 2 }}
containers:
  - name: wizard
    {{- include "membership.container" (dict "root" . "job" "membership.wizard" "command" "welcome") | nindent 4 }}
{{- end }}
