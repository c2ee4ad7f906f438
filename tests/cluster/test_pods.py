"""Real pods: they run our image, leave logs, and get addresses and names."""

from typing import Any

import pytest

from dev.cluster.client import Namespace, Object, eventually
from dev.image.recipes import WATCHBILL
from watchbill import __version__

pytestmark = pytest.mark.cluster
# What a test stands on without touching it: a level, and that it is our own.
on_the_node = pytest.mark.usefixtures("node", "ours")
on_both_levels = pytest.mark.usefixtures("cluster", "ours")
anywhere = pytest.mark.usefixtures("cluster")


def pod_spec(*command: str, **more: Any) -> Object:
    container = {"name": "main", "image": WATCHBILL, "imagePullPolicy": "Never", "command": list(command)}
    return {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "containers": [container], **more}


def job(name: str, *command: str, pod: Object | None = None, **spec: Any) -> Object:
    template = {"spec": pod_spec(*command, **(pod or {}))}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"backoffLimit": 0, "template": template, **spec},
    }


@on_the_node
def test_a_job_completes_in_a_pod_that_runs_our_image(namespace: Namespace) -> None:
    namespace.apply(job("version", "watchbill", "--version"))

    namespace.wait_for_job("version", "Complete")

    assert __version__ in namespace.kubectl("logs", "job/version").stdout


@on_the_node
def test_a_failed_job_keeps_its_pods_and_their_logs(namespace: Namespace) -> None:
    namespace.apply(job("broken", "sh", "-c", "echo about to fail; exit 7", backoffLimit=1))

    failed = namespace.wait_for_job("broken", "Failed")

    assert [c["reason"] for c in failed["status"]["conditions"] if c["type"] == "Failed"] == [
        "BackoffLimitExceeded"
    ]
    pods = namespace.list("pods", "job-name=broken")
    assert len(pods) == 2
    for pod in pods:
        assert pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 7
        assert namespace.kubectl("logs", pod["metadata"]["name"]).stdout == "about to fail\n"


@on_both_levels
def test_a_finished_job_is_removed_after_its_time_to_live(namespace: Namespace) -> None:
    namespace.apply(job("brief", "true", ttlSecondsAfterFinished=2))

    namespace.wait_for_job("brief", "Complete")

    assert eventually(lambda: namespace.find("job", "brief") is None, 20), "the Job is still there"
    assert eventually(lambda: not namespace.list("pods"), 20), "its pod is still there"


@anywhere
def test_a_job_whose_service_account_is_missing_says_so_in_an_event(namespace: Namespace) -> None:
    namespace.apply(job("stuck", "true", pod={"serviceAccountName": "nobody-made-it"}))

    def refused() -> list[str]:
        events = namespace.list("events")
        return [event["message"] for event in events if event["reason"] == "FailedCreate"]

    messages = eventually(refused, 30)
    assert messages is not None, "no event FailedCreate"
    assert messages[0] == (
        'Error creating: pods "stuck-" is forbidden: error looking up service account '
        f'{namespace.name}/nobody-made-it: serviceaccount "nobody-made-it" not found'
    )
    found = namespace.find("job", "stuck")
    assert found is not None
    assert "conditions" not in found["status"], "the Job neither fails nor ends by itself"


@anywhere
def test_a_changed_pod_template_is_refused_as_immutable(namespace: Namespace) -> None:
    namespace.apply(job("fixed", "true"))

    refused = namespace.apply(job("fixed", "false"), check=False)

    assert refused.returncode == 1
    assert 'The Job "fixed" is invalid: spec.template: Invalid value: ' in refused.stderr
    assert refused.stderr.rstrip().endswith(": field is immutable")


@on_the_node
def test_a_service_has_an_address_and_a_name(namespace: Namespace) -> None:
    server = pod_spec("python3", "-m", "http.server", "8080", "--directory", "/etc")
    server["containers"][0]["readinessProbe"] = {"tcpSocket": {"port": 8080}, "periodSeconds": 1}
    namespace.apply(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "web", "labels": {"app": "web"}},
            "spec": server,
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "web"},
            "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]},
        },
    )
    namespace.kubectl("wait", "pod/web", "--for=condition=Ready", "--timeout=60s")
    address = namespace.list("services")[0]["spec"]["clusterIP"]
    ask = (
        "import socket, urllib.request\n"
        f"full = 'web.{namespace.name}.svc.cluster.local'\n"
        "print(socket.gethostbyname('web'), socket.gethostbyname(full))\n"
        f"for host in ('web', full, '{address}'):\n"
        "    print(urllib.request.urlopen(f'http://{host}/hostname', timeout=5).read().decode().strip())\n"
    )

    namespace.apply(job("client", "python3", "-c", ask, backoffLimit=3))
    namespace.wait_for_job("client", "Complete")

    assert namespace.kubectl("logs", "job/client").stdout.split() == [address, address, "web", "web", "web"]


@on_the_node
def test_nothing_in_a_pod_reaches_beyond_the_machine(namespace: Namespace) -> None:
    # An address reserved for documentation: wherever it would be, there is no way to it.
    attempt = (
        "import socket\n"
        "for call in (lambda: socket.create_connection(('203.0.113.1', 80), 5), lambda: socket.gethostbyname('example.com')):\n"
        "    try: print(call())\n"
        "    except OSError as error: print(error)\n"
    )

    namespace.apply(job("outside", "python3", "-c", attempt))
    namespace.wait_for_job("outside", "Complete")

    said = namespace.kubectl("logs", "job/outside").stdout.splitlines()
    assert said == ["[Errno 101] Network is unreachable", "[Errno -2] Name or service not known"]


@on_the_node
def test_a_pod_talks_to_the_api_server_as_its_service_account(namespace: Namespace) -> None:
    """Its token is real, and RBAC decides: refused at first, allowed once a role is bound."""
    ask = (
        "import json, ssl, urllib.request, urllib.error\n"
        "home = '/var/run/secrets/kubernetes.io/serviceaccount/'\n"
        "token, space = (open(home + name).read() for name in ('token', 'namespace'))\n"
        "url = f'https://kubernetes.default.svc/api/v1/namespaces/{space}/configmaps'\n"
        "request = urllib.request.Request(url, headers={'Authorization': f'Bearer {token}'})\n"
        "try: print(urllib.request.urlopen(request, context=ssl.create_default_context(cafile=home + 'ca.crt')).status)\n"
        "except urllib.error.HTTPError as error: print(error.code, json.load(error)['message'])\n"
    )
    namespace.kubectl("create", "serviceaccount", "reader")
    namespace.apply(job("before", "python3", "-c", ask, pod={"serviceAccountName": "reader"}))
    namespace.wait_for_job("before", "Complete")
    namespace.kubectl("create", "role", "reader", "--verb=list", "--resource=configmaps")
    namespace.kubectl(
        "create", "rolebinding", "reader", "--role=reader", f"--serviceaccount={namespace.name}:reader"
    )
    namespace.apply(job("after", "python3", "-c", ask, pod={"serviceAccountName": "reader"}))
    namespace.wait_for_job("after", "Complete")

    before, after = (namespace.kubectl("logs", f"job/{name}").stdout.strip() for name in ("before", "after"))

    who = f"system:serviceaccount:{namespace.name}:reader"
    assert before.startswith(f'403 configmaps is forbidden: User "{who}" cannot list resource "configmaps"')
    assert after == "200"
