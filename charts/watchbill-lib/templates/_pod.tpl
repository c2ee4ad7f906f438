{{/* A container as restricted pod security wants it; what the container or the settings say wins. */}}
{{- define "watchbill.v1.container" -}}
{{- $secure := dict "allowPrivilegeEscalation" false "capabilities" (dict "drop" (list "ALL")) -}}
{{- $security := mergeOverwrite $secure (.settings.securityContext | default dict) (.container.securityContext | default dict) -}}
{{- $container := mergeOverwrite (dict) .container (dict "securityContext" $security) -}}
{{- with .settings.volumeMounts }}{{ $_ := set $container "volumeMounts" (concat ($container.volumeMounts | default list) .) }}{{ end -}}
{{- with .settings.envFrom }}{{ $_ := set $container "envFrom" (concat ($container.envFrom | default list) .) }}{{ end -}}
{{- with .settings.env -}}
{{- $names := list -}}
{{- range . }}{{ $names = append $names .name }}{{ end -}}
{{- $env := list -}}
{{- range $container.env }}{{ if not (has .name $names) }}{{ $env = append $env . }}{{ end }}{{ end -}}
{{- $_ := set $container "env" (concat $env .) -}}
{{- end -}}
{{- if and .settings.resources (not $container.resources) }}{{ $_ := set $container "resources" .settings.resources }}{{ end -}}
{{- range $key := list "command" "args" -}}
{{- $words := list -}}
{{- range index $container $key }}{{ $words = append $words (include "watchbill.v1.text" .) }}{{ end -}}
{{- with $words }}{{ $_ := set $container $key . }}{{ end -}}
{{- end -}}
{{- toJson $container -}}
{{- end }}

{{/*
The pod of a Job, as JSON. It never restarts a container, so a failed attempt is a pod of its own with its logs; and it
ends its attempt itself: when a Job's deadline passes, Kubernetes deletes the pod with everything it said.
*/}}
{{- define "watchbill.v1.pod" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $declaration := .declaration -}}
{{- if not $declaration.pod -}}
{{- $settings := $declaration.settings -}}
{{- if not $declaration.containers }}{{ fail (printf "watchbill: define %q says no containers" .job) }}{{ end -}}
{{- $containers := list -}}
{{- range $number, $container := $declaration.containers -}}
{{- if eq $number 0 -}}
{{- with $settings.command }}{{ $_ := set $container "command" . }}{{ end -}}
{{- with $settings.args }}{{ $_ := set $container "args" . }}{{ end -}}
{{- end -}}
{{- $containers = append $containers (include "watchbill.v1.container" (dict "container" $container "settings" $settings) | fromJson) -}}
{{- end -}}
{{- $before := list -}}
{{- range $declaration.initContainers -}}
{{- $before = append $before (include "watchbill.v1.container" (dict "container" . "settings" $settings) | fromJson) -}}
{{- end -}}
{{- $secure := dict "runAsNonRoot" true "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- $spec := dict
  "restartPolicy" "Never"
  "activeDeadlineSeconds" $settings.attemptSeconds
  "terminationGracePeriodSeconds" $settings.terminationGracePeriodSeconds
  "serviceAccountName" (include "watchbill.v1.serviceAccountName" .)
  "automountServiceAccountToken" $settings.serviceAccount.token
  "securityContext" (mergeOverwrite $secure $settings.podSecurityContext)
  "containers" $containers -}}
{{- with $before }}{{ $_ := set $spec "initContainers" . }}{{ end -}}
{{- with concat ($declaration.volumes | default list) $settings.volumes }}{{ $_ := set $spec "volumes" . }}{{ end -}}
{{- $spec = merge $spec (include "watchbill.v1.placement" . | fromJson) -}}
{{- $spec = mergeOverwrite $spec $settings.podSpec -}}
{{- range concat $before $containers }}{{ include "watchbill.v1.root" (dict "of" $.job "container" . "pod" $spec) }}{{ end -}}
{{- $metadata := dict "labels" (include "watchbill.v1.labels" . | fromYaml) -}}
{{- with $settings.podAnnotations }}{{ $_ := set $metadata "annotations" . }}{{ end -}}
{{- $_ := set $declaration "pod" (dict "metadata" $metadata "spec" $spec | toJson) -}}
{{- end -}}
{{- $declaration.pod -}}
{{- end }}

{{/* Refuses a container that asks for root and may not run as root: its pod would wait until its deadline. */}}
{{- define "watchbill.v1.root" -}}
{{- $security := mergeOverwrite (dict) .pod.securityContext .container.securityContext -}}
{{- if and (eq (toString $security.runAsUser) "0") (eq (toString $security.runAsNonRoot) "true") -}}
{{- fail (printf "watchbill: define %q: container %q has runAsUser 0, which is root, and runAsNonRoot: set podSecurityContext.runAsNonRoot to false, or run as another user" .of .container.name) -}}
{{- end -}}
{{- end }}

{{/* Where a pod runs, and what its images are pulled with, as JSON. */}}
{{- define "watchbill.v1.placement" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $settings := .declaration.settings -}}
{{- $placement := dict -}}
{{- with $settings.imagePullSecrets | default (.root.Values.global | default dict).imagePullSecrets }}
{{- $secrets := list -}}
{{- range . }}{{ $secrets = append $secrets (kindIs "string" . | ternary (dict "name" .) .) }}{{ end -}}
{{- $_ := set $placement "imagePullSecrets" $secrets -}}
{{- end -}}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" -}}
{{- with index $settings $key }}{{ $_ := set $placement $key . }}{{ end -}}
{{- end -}}
{{- toJson $placement -}}
{{- end }}

{{/*
What bounds the attempts, as JSON. The Job's own deadline is a backstop behind all of them: each with the time it has
to end, Kubernetes' back-off between them (10 s, doubled each time, 6 min at most), and some to start a pod.
*/}}
{{- define "watchbill.v1.bounds" -}}
{{- $settings := .settings -}}
{{- $limit := int $settings.backoffLimit -}}
{{- $deadline := add 15 (mul (add 1 $limit) (add $settings.attemptSeconds $settings.terminationGracePeriodSeconds)) -}}
{{- $pause := 10 -}}
{{- range until $limit }}{{ $deadline = add $deadline $pause }}{{ $pause = min 360 (mul 2 $pause) }}{{ end -}}
{{- $bounds := dict "backoffLimit" $limit "activeDeadlineSeconds" $deadline -}}
{{- if semverCompare ">=1.29-0" .root.Capabilities.KubeVersion.Version -}}
{{- /* A drained node is no failed migration, and no second pod starts before the first has ended. */ -}}
{{- $_ := set $bounds "podReplacementPolicy" "Failed" -}}
{{- $_ := set $bounds "podFailurePolicy" (dict "rules" (list (dict "action" "Ignore" "onPodConditions" (list (dict "type" "DisruptionTarget"))))) -}}
{{- end -}}
{{- toJson $bounds -}}
{{- end }}
