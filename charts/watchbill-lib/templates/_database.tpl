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
{{- if not (kindIs "string" $auth.password) }}{{ fail "watchbill: postgresql.auth.password is a number or a truth value, and YAML may have changed it: put it in quotes, or use --set-string" }}{{ end -}}
{{- $found = dict "password" $auth.password -}}
{{- else if and $key $found.existingSecret -}}
{{- $_ := set $found "passwordKey" $key -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end }}

{{/* The name of the Secret that holds a password given as a value: a Job has its own. */}}
{{- define "watchbill.v1.database.secretName" -}}
{{- $suffix := include "watchbill.v1.suffix" .root -}}
{{- if .for }}{{ include "watchbill.v1.base" (dict "fullname" .fullname "name" .for "suffix" $suffix) }}-database{{ else }}{{ .fullname }}-database{{ end -}}
{{- end }}

{{/*
Whose database is asked for, as JSON: `fullname`, `for`, `settings`, `defaults`; nothing in the first reading of a define
that asks for its own. `job` names the define of a Job. In the define of a Job, `for` alone means the same.
*/}}
{{- define "watchbill.v1.database.asks" -}}
{{- $reading := .root.watchbill | default dict -}}
{{- $asks := pick . "fullname" "for" "settings" "defaults" -}}
{{- $inside := and $reading.job (or (eq (toString .job) $reading.job) (and .for (not .job))) -}}
{{- if and $inside .defaults }}{{ $_ := set $reading "defaults" .defaults }}{{ end -}}
{{- if and $inside (not .settings) (not $reading.declaration) -}}
{{- $_ := set $reading "asked" true -}}
{{- $asks = dict -}}
{{- else if and .for (not .job) (not .settings) $reading.declaration (ne .for $reading.declaration.name) -}}
{{- fail (printf "watchbill: define %q asks for the database of %q, and its own name is %q: pass job instead of for" $reading.job .for $reading.declaration.name) -}}
{{- else if or .job (and $inside (not .settings)) -}}
{{- $declaration := $reading.declaration -}}
{{- if not $inside -}}
{{- $scope := pick . "root" "job" -}}
{{- include "watchbill.v1.declare" $scope -}}
{{- $declaration = $scope.declaration -}}
{{- end -}}
{{- $defaults := .defaults | default ($declaration.database | default dict).defaults -}}
{{- $asks = dict "fullname" $declaration.fullname "for" $declaration.name "settings" $declaration.settings "defaults" $defaults -}}
{{- end -}}
{{- toJson $asks -}}
{{- end }}

{{/*
The database as environment variables. `job`, the name of a define: as that Job sees it. Without it as the application does:
`fullname`, and `defaults`, a block like config.postgresql.
*/}}
{{- define "watchbill.v1.database.env" -}}
{{- with include "watchbill.v1.database.asks" . | fromJson -}}
{{- $scope := merge (dict "root" $.root) . -}}
{{- $credentials := include "watchbill.v1.database.credentials" $scope | fromJson -}}
{{- $secret := $credentials.existingSecret | default (include "watchbill.v1.database.secretName" $scope) -}}
{{- range $variable, $key := dict "POSTGRES_HOST" "host" "POSTGRES_PORT" "port" "POSTGRES_DATABASE" "database" "POSTGRES_USERNAME" "auth.username" }}
- name: {{ $variable }}
  value: {{ include "watchbill.v1.database.value" (merge (dict "key" $key) $scope) | quote }}
{{- end }}
{{- $username := include "watchbill.v1.database.value" (merge (dict "key" "auth.username") $scope) -}}
{{- $who := include "watchbill.v1.escaped" $username -}}
{{- if eq $who $username }}{{ $who = "$(POSTGRES_USERNAME)" }}{{ end -}}
{{- if $credentials }}
- name: POSTGRES_PASSWORD
  valueFrom: {secretKeyRef: {name: {{ $secret | quote }}, key: {{ $credentials.passwordKey | default "password" | quote }}}}
{{- if $credentials.existingSecret }}
{{- $who = printf "%s:$(POSTGRES_PASSWORD)" $who }}
{{- else }}
{{- $who = printf "%s:$(POSTGRES_PASSWORD_ESCAPED)" $who }}
- name: POSTGRES_PASSWORD_ESCAPED
  valueFrom: {secretKeyRef: {name: {{ $secret | quote }}, key: password-escaped}}
{{- end }}
{{- end }}
{{- $options := "" -}}
{{- with include "watchbill.v1.database.value" (merge (dict "key" "sslmode") $scope) }}
{{- $options = "?sslmode=$(POSTGRES_SSLMODE)" }}
- name: POSTGRES_SSLMODE
  value: {{ . | quote }}
{{- end }}
- name: POSTGRES_URI
  value: {{ printf "postgresql://%s@$(POSTGRES_HOST):$(POSTGRES_PORT)/$(POSTGRES_DATABASE)%s" $who $options | quote }}
{{- end -}}
{{- end }}

{{/* A text as a part of a URI. */}}
{{- define "watchbill.v1.escaped" -}}
{{- urlquery . | replace "+" "%20" -}}
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
  password: {{ . | quote }}
  password-escaped: {{ include "watchbill.v1.escaped" . | quote }}
{{- end }}
{{- end }}

{{/* The same as what a Job needs before it; nothing for a pod that does not use it. */}}
{{- define "watchbill.v1.database.companion" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- $root := set (omit .root "watchbill") "watchbill" (dict "suffix" .suffix) -}}
{{- $scope := dict "root" $root "fullname" $declaration.fullname "for" $declaration.name "settings" $declaration.settings "defaults" ($declaration.database | default dict).defaults -}}
{{- if contains (include "watchbill.v1.database.secretName" $scope | quote) (include "watchbill.v1.pod" .) -}}
{{- $labels := include "watchbill.v1.companion.labels" . | fromYaml -}}
{{- $annotations := include "watchbill.v1.companion.annotations" (merge (dict "rank" "config") .) | fromYaml -}}
{{- include "watchbill.v1.database.secret" (merge (dict "labels" $labels "annotations" $annotations) $scope) -}}
{{- end -}}
{{- end }}
