{{/*
The settings of a Job, as JSON: `given` over the defaults, `of` names the define. Whoever merges no schema has values of
other types here: from `--set-string`, or a number where Kubernetes wants a text.
*/}}
{{- define "watchbill.v1.settings" -}}
{{- $given := include "watchbill.v1.said" (.given | default dict) | fromJson -}}
{{- with $given.serviceAccount }}{{ $_ := set $given "serviceAccount" (include "watchbill.v1.said" . | fromJson) }}{{ end -}}
{{- $settings := mergeOverwrite (include "watchbill.v1.defaults" . | fromYaml) $given -}}
{{- $account := $settings.serviceAccount -}}
{{- $_ := set $settings "enabled" (include "watchbill.v1.truth" (dict "key" "enabled" "value" $settings.enabled) | eq "true") -}}
{{- if not (kindIs "invalid" $settings.hooks) }}{{ $_ := set $settings "hooks" (include "watchbill.v1.truth" (dict "key" "hooks" "value" $settings.hooks) | eq "true") }}{{ end -}}
{{- range $key := list "create" "token" -}}
{{- $_ := set $account $key (include "watchbill.v1.truth" (dict "key" (printf "serviceAccount.%s" $key) "value" (index $account $key)) | eq "true") -}}
{{- end -}}
{{- range $key := list "ttlSecondsAfterFinished" "attemptSeconds" "terminationGracePeriodSeconds" "backoffLimit" -}}
{{- $number := index $settings $key | toJson | trimAll "\"" -}}
{{- if not (regexMatch "^[0-9]+$" $number) }}{{ fail (printf "watchbill: define %q: %s is a whole number, not %q" $.of $key $number) }}{{ end -}}
{{- $_ := set $settings $key (int64 $number) -}}
{{- end -}}
{{- range $key := list "command" "args" "env" "envFrom" "volumes" "volumeMounts" "tolerations" "imagePullSecrets" -}}
{{- if not (kindIs "slice" (index $settings $key)) }}{{ fail (printf "watchbill: define %q: %s is a list, not %s" $.of $key (index $settings $key | toJson)) }}{{ end -}}
{{- end -}}
{{- range $key := list "containers" "initContainers" "restartPolicy" -}}
{{- if hasKey $settings.podSpec $key }}{{ fail (printf "watchbill: define %q: podSpec cannot change %s" $.of $key) }}{{ end -}}
{{- end -}}
{{- range $key := list "annotations" "labels" "podAnnotations" "nodeSelector" -}}
{{- $_ := set $settings $key (include "watchbill.v1.texts" (index $settings $key) | fromJson) -}}
{{- end -}}
{{- if and $account.create (eq (toString $account.name) "default") }}{{ fail (printf "watchbill: define %q: serviceAccount.create with the name \"default\" would replace the namespace's own account: leave the name empty, or set create to false" $.of) }}{{ end -}}
{{- $_ := set $account "annotations" (include "watchbill.v1.texts" $account.annotations | fromJson) -}}
{{- toJson $settings -}}
{{- end }}

{{/* A block of values without what says nothing: null and the empty text leave the default. */}}
{{- define "watchbill.v1.said" -}}
{{- $said := dict -}}
{{- range $key, $value := . -}}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}{{ $_ := set $said $key $value }}{{ end -}}
{{- end -}}
{{- toJson $said -}}
{{- end }}

{{/* "true" or nothing: `value`, which may be null; `key` is its name. A text "false" is not true. */}}
{{- define "watchbill.v1.truth" -}}
{{- $value := kindIs "invalid" .value | ternary "" .value | toString -}}
{{- if not (has $value (list "true" "false" "")) }}{{ fail (printf "watchbill: %s is true or false, not %q" .key $value) }}{{ end -}}
{{- if eq $value "true" }}true{{ end -}}
{{- end }}

{{/* A map of texts, as labels and annotations are; null takes a key away. */}}
{{- define "watchbill.v1.texts" -}}
{{- $texts := dict -}}
{{- range $key, $value := . -}}
{{- if not (kindIs "invalid" $value) }}{{ $_ := set $texts $key (include "watchbill.v1.text" $value) }}{{ end -}}
{{- end -}}
{{- toJson $texts -}}
{{- end }}

{{/* A number as people write it, and not as 1e+07. */}}
{{- define "watchbill.v1.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end }}
