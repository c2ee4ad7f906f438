{{/*
Deprecated, all of them: names of the library chart `core` (1.6), with its arguments (the root context) and its results.
Use watchbill.v1.job instead, which gives the whole Job; the README says how to move on.
*/}}

{{/* Deprecated: annotations of the migration Job. Use watchbill.v1.job, or watchbill.v1.job.annotations. */}}
{{- define "core.job.annotations" -}}
{{- include "watchbill.v1.hook.annotations" (dict "root" . "weight" 10) -}}
{{- end }}

{{/* Deprecated, already in core: the same. */}}
{{- define "core.postgres.job.annotations" -}}
{{- include "core.job.annotations" . -}}
{{- end }}

{{/* Deprecated: annotations of the Job's ServiceAccount, which is there before it. watchbill.v1.job makes one. */}}
{{- define "core.postgres.job.sa.annotations" -}}
{{- include "watchbill.v1.hook.annotations" (dict "root" . "weight" 0) -}}
{{- end }}

{{/* Deprecated: the name of that ServiceAccount. Use watchbill.v1.serviceAccountName. */}}
{{- define "core.postgres.job.serviceAccountName" -}}
{{- $account := .Values.config.migration.serviceAccount | default dict -}}
{{- $create := include "watchbill.v1.truth" (dict "key" "config.migration.serviceAccount.create" "value" $account.create) -}}
{{- $account.name | default (empty $create | ternary "default-migrate" (printf "%s-migrate" (include "core.fullname" .))) -}}
{{- end }}

{{/* Deprecated: the name that core gave its Jobs, and that the name above begins with. */}}
{{- define "core.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $full | trunc 63 | trimSuffix "-" -}}
{{- end }}
