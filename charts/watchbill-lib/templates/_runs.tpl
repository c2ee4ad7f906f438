{{/*
The name of a plain Job: `<base>-<hash>` for the first run of what the hash stands for, `<base>-<hash>-2` for the second.

A run that failed is not tried again under its name, because an upgrade would find the Job unchanged. So the newest run of
this release decides: if it failed, the next number makes the name; otherwise the name stays. An install never uses a name
that is taken. Where nobody can look (Argo CD, `helm template`) the name is always the first.
*/}}
{{- define "watchbill.v1.run.name" -}}
{{- $run := pick .declaration "base" "hash" -}}
{{- $newest := dict -}}
{{- $next := 1 -}}
{{- range $name, $job := include "watchbill.v1.jobs" . | fromJson -}}
{{- $number := include "watchbill.v1.run.number" (merge (dict "name" $name) $run) | int -}}
{{- if $number -}}
{{- $next = max $next (add1 $number) -}}
{{- $age := printf "%s %09d" $job.created $number -}}
{{- if and $job.ours (gt $age ($newest.age | default "")) }}{{ $newest = dict "name" $name "age" $age "failed" $job.failed }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if and $newest (not $newest.failed) }}{{ $newest.name }}{{ else }}{{ include "watchbill.v1.run.numbered" (merge (dict "number" $next) $run) }}{{ end -}}
{{- end }}

{{/* The Jobs of the namespace by name, as JSON: `of`, the declared Job, `created`, `failed`, `succeeded`, and `ours`. */}}
{{- define "watchbill.v1.jobs" -}}
{{- if not (hasKey .declaration "jobs") -}}
{{- $jobs := dict -}}
{{- range (lookup "batch/v1" "Job" .root.Release.Namespace "" | default dict).items -}}
{{- $of := index (.metadata.labels | default dict) "watchbill.dev/job" | default .metadata.name -}}
{{- $ours := include "watchbill.v1.owns" (dict "root" $.root "declaration" $.declaration "object" .) -}}
{{- $failed := include "watchbill.v1.failed" . -}}
{{- $succeeded := ((.status | default dict).succeeded | default 0 | int) -}}
{{- $_ := set $jobs .metadata.name (dict "of" $of "created" (.metadata.creationTimestamp | default "") "failed" $failed "succeeded" $succeeded "ours" $ours) -}}
{{- end -}}
{{- $_ := set .declaration "jobs" (toJson $jobs) -}}
{{- end -}}
{{- .declaration.jobs -}}
{{- end }}

{{/* A Job may have 63 letters: a long base and a long number leave less of them for the hash. */}}
{{- define "watchbill.v1.run.numbered" -}}
{{- if eq (int .number) 1 }}{{ .base }}-{{ .hash }}
{{- else -}}
{{- $end := printf "-%d" (int .number) -}}
{{ .base }}-{{ trunc (min 8 (sub 62 (add (len .base) (len $end))) | int) .hash }}{{ $end }}
{{- end -}}
{{- end }}

{{/* The number of the run that has this `name`; nothing if it is not a run of `base` and `hash`. */}}
{{- define "watchbill.v1.run.number" -}}
{{- $number := 0 -}}
{{- range list 1 (regexFind "[0-9]+$" .name | int) -}}
{{- if eq $.name (include "watchbill.v1.run.numbered" (merge (dict "number" .) $)) }}{{ $number = . }}{{ end -}}
{{- end -}}
{{- with $number }}{{ . }}{{ end -}}
{{- end }}

{{/* Not empty for a Job that has failed. One that is about to fail counts: its last pod is ending. */}}
{{- define "watchbill.v1.failed" -}}
{{- range (.status | default dict).conditions -}}
{{- if and (has .type (list "Failed" "FailureTarget")) (eq (toString .status) "True") }}true{{ end -}}
{{- end -}}
{{- end }}

{{/*
A ConfigMap that lives as long as the release. Helm forgets a Job that only a failed upgrade made; Kubernetes deletes it with
its owner. It is the same object in both forms.
*/}}
{{- define "watchbill.v1.owner" -}}
{{- include "watchbill.v1.declare" . }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ printf "%s-owner" .declaration.base | quote }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels: {{- include "watchbill.v1.labels" . | nindent 4 }}
data:
  about: Owns the runs of this Job, so that an uninstall deletes those that Helm has forgotten.
  {{- if include "watchbill.v1.installed" . }}
  installed: "true"
  {{- end }}
{{- end }}

{{/*
Not empty once a Job of installs has done its part. The owner remembers it, because the Job does not stay. Helm makes the
owner after a hook has succeeded, and before a plain Job starts.
*/}}
{{- define "watchbill.v1.installed" -}}
{{- if eq (.declaration.when | default "always") "install" -}}
{{- if eq (include "watchbill.v1.form" .) "hook" }}true
{{- else if and .root.Release.IsUpgrade (not (include "watchbill.v1.open" .)) }}true
{{- end -}}
{{- end -}}
{{- end }}

{{/* The owner as it is in the cluster, as JSON; empty before the first install and where nobody can look. */}}
{{- define "watchbill.v1.owner.found" -}}
{{- if not (hasKey .declaration "owner") -}}
{{- $owner := dict -}}
{{- if .root.Release.IsUpgrade }}{{ $owner = lookup "v1" "ConfigMap" .root.Release.Namespace (printf "%s-owner" .declaration.base) | default dict }}{{ end -}}
{{- $found := pick ($owner.metadata | default dict) "name" "uid" "creationTimestamp" -}}
{{- with ($owner.data | default dict).installed }}{{ $_ := set $found "installed" . }}{{ end -}}
{{- $_ := set .declaration "owner" (toJson $found) -}}
{{- end -}}
{{- .declaration.owner -}}
{{- end }}

{{/* The owner as a reference to it, or nothing while it is not there. */}}
{{- define "watchbill.v1.owner.references" -}}
{{- include "watchbill.v1.declare" . -}}
{{- $owner := include "watchbill.v1.owner.found" . | fromJson -}}
{{- if $owner.uid -}}
- apiVersion: v1
  kind: ConfigMap
  name: {{ $owner.name | quote }}
  uid: {{ $owner.uid | quote }}
{{- end -}}
{{- end }}

{{/*
Not empty if `object`, a Job of the cluster, is a run of this release, and not one that an earlier release of the same name
left. Without an owner reference the age decides; a minute allows for API servers whose clocks differ.
*/}}
{{- define "watchbill.v1.owns" -}}
{{- if .root.Release.IsUpgrade -}}
{{- $owner := include "watchbill.v1.owner.found" . | fromJson -}}
{{- $uids := dict -}}
{{- range .object.metadata.ownerReferences }}{{ if eq .name (toString $owner.name) }}{{ $_ := set $uids .uid true }}{{ end }}{{ end -}}
{{- if not $owner.uid }}true
{{- else if $uids }}{{ if hasKey $uids $owner.uid }}true{{ end }}
{{- else if not .object.metadata.creationTimestamp }}true
{{- else if ge (add 60 (include "watchbill.v1.epoch" .object.metadata.creationTimestamp)) (include "watchbill.v1.epoch" $owner.creationTimestamp | int64) }}true
{{- end -}}
{{- end -}}
{{- end }}

{{/* A time of the API server in seconds. */}}
{{- define "watchbill.v1.epoch" -}}
{{- toDate "2006-01-02T15:04:05Z07:00" . | unixEpoch -}}
{{- end }}
