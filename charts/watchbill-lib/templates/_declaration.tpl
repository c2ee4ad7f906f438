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
rerun: ""
hooks: null
env: []
envFrom: []
priorityClassName: ""
podSpec: {}
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
The define sees the root context and `.watchbill`, whose `suffix` tells a CronJob twin from its Job; whatever is called
with that root context is about the twin as well.
*/}}
{{- define "watchbill.v1.declare" -}}
{{- include "watchbill.v1.scope" . -}}
{{- if not .suffix }}{{ $_ := set . "suffix" (include "watchbill.v1.suffix" .root) }}{{ end -}}
{{- $of := printf "%s%s" .job .suffix -}}
{{- if ne $of (toString (.declaration | default dict).of) -}}
{{- $declaration := include "watchbill.v1.read" . | fromJson -}}
{{- $_ := set $declaration "settings" (include "watchbill.v1.settings" (dict "given" $declaration.settings "of" .job) | fromJson) -}}
{{- $_ := set $declaration "base" (include "watchbill.v1.base" (dict "fullname" $declaration.fullname "name" $declaration.name "suffix" .suffix)) -}}
{{- $_ := set $declaration "of" $of -}}
{{- $_ := set . "declaration" $declaration -}}
{{- end -}}
{{- end }}

{{/* `-cron` in a define that is called for a CronJob twin, nothing elsewhere. Takes the root context. */}}
{{- define "watchbill.v1.suffix" -}}
{{- (.watchbill | default dict).suffix | default "" -}}
{{- end }}

{{/* Refuses arguments that are not a scope. */}}
{{- define "watchbill.v1.scope" -}}
{{- if not (and (hasKey . "root") (hasKey . "job")) }}{{ fail "watchbill: pass a dict with root and job: (dict \"root\" . \"job\" \"NAME OF YOUR DEFINE\")" }}{{ end -}}
{{- if not (kindIs "string" .job) }}{{ fail (printf "watchbill: job is the name of a define, not %s" (toJson .job)) }}{{ end -}}
{{- end }}

{{/*
What a define says, as JSON. A define that asks for the database of its own Job is read twice: the first reading finds
out what the question needs, namely the Job's name and settings.
*/}}
{{- define "watchbill.v1.read" -}}
{{- $reading := dict "suffix" .suffix "job" .job -}}
{{- $context := set (omit .root "watchbill") "watchbill" $reading -}}
{{- $declaration := include .job $context | fromYaml -}}
{{- if $reading.asked -}}
{{- include "watchbill.v1.validate" (dict "job" .job "declaration" $declaration) -}}
{{- $_ := set $reading "declaration" $declaration -}}
{{- $declaration = include .job $context | fromYaml -}}
{{- end -}}
{{- include "watchbill.v1.validate" (dict "job" .job "declaration" $declaration) -}}
{{- if $reading.defaults }}{{ $_ := set $declaration "database" (merge (dict) ($declaration.database | default dict) (dict "defaults" $reading.defaults)) }}{{ end -}}
{{- toJson $declaration -}}
{{- end }}

{{/* Refuses a declaration that cannot be meant: `job`, the name of the define, and `declaration`. */}}
{{- define "watchbill.v1.validate" -}}
{{- $declaration := .declaration -}}
{{- with $declaration.Error }}{{ fail (printf "watchbill: define %q is no YAML: %s" $.job .) }}{{ end -}}
{{- include "watchbill.v1.keys" (dict "of" (printf "define %q" .job) "map" $declaration "known" (list "fullname" "name" "containers" "initContainers" "settings" "order" "when" "volumes" "labels" "inputs" "database")) -}}
{{- include "watchbill.v1.keys" (dict "of" (printf "define %q: database" .job) "map" ($declaration.database | default dict) "known" (list "workload" "kind" "defaults")) -}}
{{- range $key := list "fullname" "name" -}}
{{- $value := index $declaration $key -}}
{{- if not $value }}{{ fail (printf "watchbill: define %q says no %s" $.job $key) }}{{ end -}}
{{- if not (kindIs "string" $value) }}{{ fail (printf "watchbill: define %q: %s is no text but %s: put it in quotes" $.job $key (toJson $value)) }}{{ end -}}
{{- end -}}
{{- if not (has ($declaration.when | default "always") (list "always" "install" "upgrade")) -}}
{{- fail (printf "watchbill: define %q: when is always, install or upgrade, not %q" .job $declaration.when) -}}
{{- end -}}
{{- if not (regexMatch "^[0-9]$" ($declaration.order | default 0 | toString)) -}}
{{- fail (printf "watchbill: define %q: order is 0 to 9, not %v" .job $declaration.order) -}}
{{- end -}}
{{- range $key := list "containers" "initContainers" -}}
{{- $containers := index $declaration $key | default list -}}
{{- if not (kindIs "slice" $containers) }}{{ fail (printf "watchbill: define %q: %s is a list, not %s" $.job $key (kindOf $containers)) }}{{ end -}}
{{- range $containers }}{{ include "watchbill.v1.container.validate" (dict "of" (printf "define %q: %s" $.job $key) "container" .) }}{{ end -}}
{{- end -}}
{{- end }}

{{- define "watchbill.v1.container.validate" -}}
{{- if not (kindIs "map" .container) }}{{ fail (printf "watchbill: %s: a container is a map, not %s" .of (toJson .container)) }}{{ end -}}
{{- range $key := list "name" "image" -}}
{{- if not (index $.container $key) }}{{ fail (printf "watchbill: %s: a container has no %s: %s" $.of $key (pick $.container "name" "image" "command" | toJson)) }}{{ end -}}
{{- end -}}
{{- range $key := list "command" "args" -}}
{{- $words := index $.container $key -}}
{{- if not (or (kindIs "slice" $words) (kindIs "invalid" $words)) }}{{ fail (printf "watchbill: %s: %s is a list of words, not %s" $.of $key (toJson $words)) }}{{ end -}}
{{- end -}}
{{- end }}

{{/* Refuses a key of `map` that is not among `known`, and names the nearest; `of` says where. */}}
{{- define "watchbill.v1.keys" -}}
{{- if not (kindIs "map" .map) }}{{ fail (printf "watchbill: %s is a map, not %s" .of (toJson .map)) }}{{ end -}}
{{- range $key := keys .map | sortAlpha -}}
{{- if not (has $key $.known) -}}
{{- $nearest := include "watchbill.v1.nearest" (dict "word" $key "known" $.known) -}}
{{- $advice := empty $nearest | ternary (printf "known are %s" (join ", " $.known)) (printf "did you mean %q?" $nearest) -}}
{{- fail (printf "watchbill: %s has an unknown key %q: %s" $.of $key $advice) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The word of `known` that has most pairs of letters in common with `word`; nothing if few are. */}}
{{- define "watchbill.v1.nearest" -}}
{{- $pairs := include "watchbill.v1.pairs" .word | splitList "," -}}
{{- $best := 30 -}}
{{- $nearest := "" -}}
{{- range $known := .known -}}
{{- $theirs := include "watchbill.v1.pairs" $known | splitList "," -}}
{{- $common := 0 -}}
{{- range $pairs }}{{ if has . $theirs }}{{ $common = add1 $common }}{{ end }}{{ end -}}
{{- $likeness := div (mul 200 $common) (add (len $pairs) (len $theirs)) -}}
{{- if gt (int $likeness) (int $best) }}{{ $best = $likeness }}{{ $nearest = $known }}{{ end -}}
{{- end -}}
{{- $nearest -}}
{{- end }}

{{- define "watchbill.v1.pairs" -}}
{{- $word := printf " %s " (lower .) -}}
{{- $pairs := list -}}
{{- range $start := until (sub (len $word) 1 | int) }}{{ $pairs = append $pairs (substr $start (add 2 $start | int) $word) }}{{ end -}}
{{- join "," $pairs -}}
{{- end }}

{{/*
The name that a Job and all that belongs to it begin with. Never more than a CronJob may have, or than a Job may
with a hash behind it; what is cut off leaves a hash, so that two long names stay two.
*/}}
{{- define "watchbill.v1.base" -}}
{{- $name := printf "%s-%s%s" .fullname .name (.suffix | default "") -}}
{{- if le (len $name) 52 }}{{ $name }}{{ else }}{{ printf "%s-%s" (regexReplaceAll "[-.]+$" (trunc 43 $name) "") (sha256sum $name | trunc 8) }}{{ end -}}
{{- end }}
