{{/*
The value of `postgresql.<key>`: of the Job's settings, config.migration (both for a Job only), config, global, or
`defaults`; the first that says something.
*/}}
{{- define "watchbill.v1.database.value" -}}
{{- $found := "" -}}
{{- range reverse (include "watchbill.v1.database.levels" . | fromJsonArray) -}}
{{- $value := . -}}
{{- range splitList "." $.key }}{{ $value = index ($value | default dict) . }}{{ end -}}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}{{ $found = $value }}{{ end -}}
{{- end -}}
{{- toString $found -}}
{{- end }}

{{/* The blocks that a value is looked for in, as JSON. */}}
{{- define "watchbill.v1.database.levels" -}}
{{- $values := .root.Values -}}
{{- $config := $values.config | default dict -}}
{{- $levels := list $config.postgresql ($values.global | default dict).postgresql .defaults -}}
{{- if .for -}}
{{- $levels = concat (list (.settings | default dict).postgresql ($config.migration | default dict).postgresql) $levels -}}
{{- end -}}
{{- toJson $levels -}}
{{- end }}

{{/*
Where the password is, as JSON: {password} or {existingSecret, passwordKey}, both of the same level: a user's own
password never meets somebody else's Secret. A level before that one may name another key of the same Secret.
*/}}
{{- define "watchbill.v1.database.credentials" -}}
{{- $found := dict -}}
{{- range reverse (include "watchbill.v1.database.levels" . | fromJsonArray) -}}
{{- $auth := (. | default dict).auth | default dict -}}
{{- $key := ($auth.secretKeys | default dict).passwordKey -}}
{{- if $auth.existingSecret -}}
{{- $found = dict "existingSecret" $auth.existingSecret "passwordKey" ($key | default "password") -}}
{{- else if $auth.password -}}
{{- $found = dict "password" $auth.password -}}
{{- else if and $key $found.existingSecret -}}
{{- $_ := set $found "passwordKey" $key -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end }}

{{/* The name of the Secret that holds a password given as a value: a Job has its own. */}}
{{- define "watchbill.v1.database.secretName" -}}
{{- $suffix := (.root.watchbill | default dict).suffix -}}
{{- if .for }}{{ include "watchbill.v1.base" (dict "fullname" .fullname "name" .for "suffix" $suffix) }}-database{{ else }}{{ .fullname }}-database{{ end -}}
{{- end }}

{{/* The database as environment variables: `fullname`, `for` (the Job's name; none: the application), `settings` (of the Job), `defaults`. */}}
{{- define "watchbill.v1.database.env" -}}
{{- $scope := . -}}
{{- $credentials := include "watchbill.v1.database.credentials" . | fromJson -}}
{{- $who := "$(POSTGRES_USERNAME)" -}}
{{- range $variable, $key := dict "POSTGRES_HOST" "host" "POSTGRES_PORT" "port" "POSTGRES_DATABASE" "database" "POSTGRES_USERNAME" "auth.username" }}
- name: {{ $variable }}
  value: {{ include "watchbill.v1.database.value" (merge (dict "key" $key) $scope) | quote }}
{{- end }}
{{- if $credentials }}
{{- $who = printf "%s:$(POSTGRES_PASSWORD)" $who }}
- name: POSTGRES_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ $credentials.existingSecret | default (include "watchbill.v1.database.secretName" .) | quote }}
      key: {{ $credentials.passwordKey | default "password" | quote }}
{{- end }}
- name: POSTGRES_URI
  value: {{ printf "postgresql://%s@$(POSTGRES_HOST):$(POSTGRES_PORT)/$(POSTGRES_DATABASE)" $who | quote }}
{{- end }}

{{/* The Secret of a password that is given as a value; nothing where there is none. */}}
{{- define "watchbill.v1.database.secret" -}}
{{- with (include "watchbill.v1.database.credentials" . | fromJson).password }}
---
apiVersion: v1
kind: Secret
metadata:
  name: {{ include "watchbill.v1.database.secretName" $ | quote }}
  namespace: {{ $.root.Release.Namespace | quote }}
  {{- with $.labels }}
  labels: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
stringData:
  password: {{ include "watchbill.v1.text" . | quote }}
{{- end }}
{{- end }}

{{/* The same as what a Job needs before it; nothing for a pod that does not use it. */}}
{{- define "watchbill.v1.database.companion" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- $root := merge (dict "watchbill" (dict "suffix" .suffix)) .root -}}
{{- $scope := dict "root" $root "fullname" $declaration.fullname "for" $declaration.name "settings" $declaration.settings -}}
{{- if contains (include "watchbill.v1.database.secretName" $scope | quote) (include "watchbill.v1.pod" .) -}}
{{- $labels := include "watchbill.v1.companion.labels" . | fromYaml -}}
{{- $annotations := include "watchbill.v1.companion.annotations" (merge (dict "rank" "config") .) | fromYaml -}}
{{- include "watchbill.v1.database.secret" (merge (dict "labels" $labels "annotations" $annotations) $scope) -}}
{{- end -}}
{{- end }}
