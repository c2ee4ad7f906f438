"""Real Helm, both generations, installs, upgrades and uninstalls on both levels."""

import json
from pathlib import Path

import pytest

from dev.cluster.client import Namespace

pytestmark = pytest.mark.cluster

CHART = {
    "Chart.yaml": "apiVersion: v2\nname: tiny\nversion: 1.0.0\n",
    "values.yaml": "greeting: hello\n",
    "templates/config.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-config}
data: {greeting: {{ .Values.greeting }}}
""",
    "templates/app.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}-app}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - {name: main, image: "localhost/watchbill:dev", imagePullPolicy: Never, command: [sleep, "3600"]}
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
      containers:
      - {name: main, image: "localhost/watchbill:dev", imagePullPolicy: Never, command: [echo, {{ .Values.greeting }}]}
""",
}


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    root = tmp_path / "tiny"
    for name, content in CHART.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


@pytest.mark.usefixtures("cluster", "ours")
@pytest.mark.parametrize("helm", ["4.3.1", "3.19.0"])
def test_helm_installs_upgrades_and_uninstalls(namespace: Namespace, chart: Path, helm: str) -> None:
    namespace.helm(helm, "install", "web", str(chart), "--wait", "--timeout=90s")
    first = namespace.wait_for_job("web-migrate", "Complete")
    deployment = namespace.find("deployment", "web-app")
    assert deployment is not None
    assert deployment["status"]["readyReplicas"] == 1

    namespace.helm(helm, "upgrade", "web", str(chart), "--set=greeting=bye", "--wait", "--timeout=90s")
    second = namespace.wait_for_job("web-migrate", "Complete")
    config = namespace.find("configmap", "web-config")
    assert config is not None
    assert config["data"] == {"greeting": "bye"}
    assert second["metadata"]["uid"] != first["metadata"]["uid"], "the hook ran again"
    releases = json.loads(namespace.helm(helm, "list", "--output=json").stdout)
    assert [(release["name"], release["revision"], release["status"]) for release in releases] == [
        ("web", "2", "deployed")
    ]

    namespace.helm(helm, "uninstall", "web", "--wait", "--timeout=90s")
    assert namespace.find("deployment", "web-app") is None
    assert namespace.find("configmap", "web-config") is None
    assert namespace.find("job", "web-migrate") is not None, "hooks are not part of the release"
