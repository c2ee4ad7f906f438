"""A chart with all that is at stake when helm is interrupted: a hook Job, volumes of three kinds, a password in its notes."""

from pathlib import Path

from dev.cluster.client import Namespace, eventually

_FILES = {
    "Chart.yaml": "apiVersion: v2\nname: stateful\nversion: 1.0.0\nappVersion: 1.0.0\n",
    "values.yaml": "greeting: hello\npassword: hunter2\nvolumes: false\n",
    "templates/NOTES.txt": "The password is {{ .Values.password }}.\n",
    "templates/config.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-config}
data: {greeting: {{ .Values.greeting | quote }}}
""",
    "templates/secret.yaml": """\
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-secret}
stringData: {password: {{ .Values.password | quote }}}
""",
    "templates/migrate.yaml": """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "localhost/watchbill:dev", imagePullPolicy: Never, command: ["true"]}]
""",
    "templates/after.yaml": """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-after
  annotations: {helm.sh/hook: "post-install,post-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "localhost/watchbill:dev", imagePullPolicy: Never, command: ["true"]}]
""",
    "templates/volumes.yaml": """\
{{- if .Values.volumes }}
{{- range $name, $annotations := dict "lost" (dict) "kept" (dict "helm.sh/resource-policy" "keep") }}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ $.Release.Name }}-{{ $name }}
  annotations: {{ $annotations | toJson }}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
{{- end }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: {{ .Release.Name }}-db}
spec:
  serviceName: {{ .Release.Name }}-db
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      containers: [{name: main, image: "localhost/watchbill:dev", imagePullPolicy: Never, command: [sleep, "60"]}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
{{- end }}
""",
}


def write(folder: Path) -> Path:
    chart = folder / "stateful"
    for name, text in _FILES.items():
        (chart / name).parent.mkdir(parents=True, exist_ok=True)
        (chart / name).write_text(text)
    return chart


def fate(namespace: Namespace, **jobs: str) -> None:
    """What becomes of the Jobs of a namespace from now on: r_migrate="hang"."""
    data = {name.replace("_", "-"): said for name, said in jobs.items()}
    namespace.apply(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "watchbill-fates"}, "data": data}
    )


def wait_for_job(namespace: Namespace, name: str) -> None:
    """Until it has a pod at work."""

    def at_work() -> bool:
        job = namespace.find("job", name)
        return bool(job and job.get("status", {}).get("active"))

    assert eventually(at_work, 60), f"Job {name} is not at work"


def statuses(namespace: Namespace, release: str) -> dict[int, str]:
    """Helm's word for each revision, as stored."""
    found = namespace.list("secret", f"owner=helm,name={release}")
    labels = [secret["metadata"]["labels"] for secret in found]
    return {
        int(each["version"]): each["status"] for each in sorted(labels, key=lambda each: int(each["version"]))
    }
