{{/* What a Job has unless its settings say otherwise; values.yaml shows the same. */}}
{{- define "watchbill.v1.defaults" -}}
enabled: true
command: []
args: []
annotations: {}
labels: {}
podAnnotations: {}
serviceAccount:
  create: true
  name: ""
  annotations: {}
  token: false
ttlSecondsAfterFinished: 86400
attemptSeconds: 120
terminationGracePeriodSeconds: 10
backoffLimit: 1
resources: {}
volumes: []
volumeMounts: []
imagePullSecrets: []
podSecurityContext: {}
securityContext: {}
nodeSelector: {}
tolerations: []
affinity: {}
{{- end }}

{{/*
Puts what the consumer's define says of the Job, with complete settings, into the scope as `.declaration`; once, however
many templates ask for it.
The define sees the root context and `.watchbill.suffix`, which tells a CronJob twin from its Job; whatever is called
with that root context is about the twin as well.
*/}}
{{- define "watchbill.v1.declare" -}}
{{- if not .suffix }}{{ $_ := set . "suffix" ((.root.watchbill | default dict).suffix | default "") }}{{ end -}}
{{- $of := printf "%s%s" .job .suffix -}}
{{- if ne $of (toString (.declaration | default dict).of) -}}
{{- $context := merge (dict "watchbill" (dict "suffix" .suffix)) .root -}}
{{- $declaration := include .job $context | fromYaml -}}
{{- with $declaration.Error }}{{ fail (printf "watchbill: define %q is no YAML: %s" $.job .) }}{{ end -}}
{{- range $key := list "fullname" "name" -}}
{{- $value := index $declaration $key -}}
{{- if not $value }}{{ fail (printf "watchbill: define %q says no %s" $.job $key) }}{{ end -}}
{{- if not (kindIs "string" $value) }}{{ fail (printf "watchbill: define %q: %s is no text but %s: put it in quotes" $.job $key (toJson $value)) }}{{ end -}}
{{- end -}}
{{- if not (has ($declaration.when | default "always") (list "always" "install" "upgrade")) -}}
{{- fail (printf "watchbill: define %q: when is always, install or upgrade, not %q" .job $declaration.when) -}}
{{- end -}}
{{- if not (has ($declaration.order | default 0 | int) (until 10)) -}}
{{- fail (printf "watchbill: define %q: order is 0 to 9, not %v" .job $declaration.order) -}}
{{- end -}}
{{- $_ := set $declaration "settings" (include "watchbill.v1.settings" (dict "given" $declaration.settings "of" .job) | fromJson) -}}
{{- $_ := set $declaration "base" (include "watchbill.v1.base" (dict "fullname" $declaration.fullname "name" $declaration.name "suffix" .suffix)) -}}
{{- $_ := set $declaration "of" $of -}}
{{- $_ := set . "declaration" $declaration -}}
{{- end -}}
{{- end }}

{{/*
The name that a Job and all that belongs to it begin with. Never more than a CronJob may have, or than a Job may
with a hash behind it; what is cut off leaves a hash, so that two long names stay two.
*/}}
{{- define "watchbill.v1.base" -}}
{{- $name := printf "%s-%s%s" .fullname .name (.suffix | default "") -}}
{{- if le (len $name) 52 }}{{ $name }}{{ else }}{{ printf "%s-%s" (regexReplaceAll "[-.]+$" (trunc 43 $name) "") (sha256sum $name | trunc 8) }}{{ end -}}
{{- end }}
