"""Who may do what: tokens and roles are real, and admission webhooks are asked."""

import base64
import json
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from dev.cluster import packages
from dev.cluster.client import Cluster, Done, Namespace, Object
from dev.cluster.layout import Layout

pytestmark = pytest.mark.cluster


def test_a_service_account_may_do_what_its_role_allows_and_nothing_else(
    cluster: Cluster, namespace: Namespace, tmp_path: Path
) -> None:
    namespace.kubectl("create", "serviceaccount", "reader")
    namespace.kubectl("create", "role", "reader", "--verb=list", "--resource=configmaps")
    namespace.kubectl(
        "create", "rolebinding", "reader", "--role=reader", f"--serviceaccount={namespace.name}:reader"
    )
    token = namespace.kubectl("create", "token", "reader").stdout.strip()
    reader = Namespace(
        Cluster(cluster.level, as_bearer(cluster, token, tmp_path), None), namespace.name, tmp_path
    )

    assert reader.list("configmaps")
    refused = reader.kubectl("get", "secrets", check=False)

    who = f"system:serviceaccount:{namespace.name}:reader"
    assert refused.returncode == 1
    assert (
        f'secrets is forbidden: User "{who}" cannot list resource "secrets" in API group ""' in refused.stderr
    )


def test_nobody_gets_in_with_a_forged_token(cluster: Cluster, namespace: Namespace, tmp_path: Path) -> None:
    header, claims, signature = namespace.kubectl("create", "token", "default").stdout.strip().split(".")
    forged = f"{header}.{claims}.{signature[::-1]}"
    stranger = Cluster(cluster.level, as_bearer(cluster, forged, tmp_path), None)

    refused = stranger.kubectl("get", "namespaces", check=False)

    assert refused.returncode == 1
    assert "You must be logged in to the server" in refused.stderr


def as_bearer(cluster: Cluster, token: str, folder: Path) -> Path:
    """A kubeconfig for the same server with nothing but a token."""
    view = cluster.kubectl("config", "view", "--raw", "--minify", "--flatten", "--output=json")
    config = json.loads(view.stdout)
    config["users"][0]["user"] = {"token": token}
    path = folder / "bearer.json"
    path.write_text(json.dumps(config))
    return path


def test_an_admission_webhook_can_refuse(
    cluster: Cluster, ours: Layout, namespace: Namespace, tmp_path: Path
) -> None:
    """By address on the control plane; on the node through a Service, as a program in the cluster would be."""
    address = "127.0.0.1" if cluster.level == "control" else ours.host_address
    name = f"hook.{namespace.name}.svc"
    with webhook(address, name, tmp_path) as (port, authority):
        if cluster.level == "control":
            client: Object = {"url": f"https://{address}:{port}/check"}
        else:
            namespace.apply(*service_outside("hook", address, port))
            client = {"service": {"name": "hook", "namespace": namespace.name, "path": "/check"}}
        client["caBundle"] = base64.b64encode(authority).decode()
        with registered(namespace, client):
            refused = create(namespace, "forbidden")
            allowed = create(namespace, "harmless")

    assert refused.returncode == 1
    assert 'admission webhook "hook.watchbill.dev" denied the request: not this name' in refused.stderr
    assert allowed.returncode == 0
    assert namespace.find("configmap", "harmless") is not None
    assert namespace.find("configmap", "forbidden") is None


def create(namespace: Namespace, name: str) -> Done:
    return namespace.kubectl("create", "configmap", name, check=False)


class Refuse(BaseHTTPRequestHandler):
    """Refuses one name."""

    def do_POST(self) -> None:
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = review["request"]
        response: Object = {"uid": request["uid"], "allowed": request["name"] != "forbidden"}
        if not response["allowed"]:
            response["status"] = {"message": "not this name"}
        body = json.dumps(
            {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response}
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """The test's output is no place for an access log."""


@contextmanager
def webhook(address: str, name: str, folder: Path) -> Iterator[tuple[int, bytes]]:
    """A webhook that serves at that address; its port and its certificate."""
    key, certificate = folder / "hook.key", folder / "hook.crt"
    names = f"subjectAltName=IP:{address},DNS:{name}"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    command = [
        *packages.openssl(),
        "req",
        "-x509",
        *curve,
        *files,
        "-days",
        "1",
        "-subj",
        "/CN=hook",
        "-addext",
        names,
    ]
    subprocess.run(command, check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    with HTTPServer((address, 0), Refuse) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port, certificate.read_bytes()
        finally:
            server.shutdown()
            thread.join()


def service_outside(name: str, address: str, port: int) -> tuple[Object, Object]:
    """A Service whose endpoint is a process on the machine."""
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"ports": [{"port": 443, "targetPort": port}]},
    }
    endpoints = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": name, "labels": {"kubernetes.io/service-name": name}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
        "ports": [{"port": port}],
    }
    return service, endpoints


@contextmanager
def registered(namespace: Namespace, client: Object) -> Iterator[None]:
    """Asked about ConfigMaps of this namespace only: other tests run beside this one."""
    name = f"{namespace.name}-hook"
    hook = {
        "name": "hook.watchbill.dev",
        "clientConfig": client,
        "rules": [
            {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
        ],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace.name}},
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 10,
    }
    kind = "ValidatingWebhookConfiguration"
    namespace.apply(
        {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": name},
            "webhooks": [hook],
        }
    )
    try:
        wait_until_asked(namespace)
        yield
    finally:
        namespace.kubectl("delete", kind, name)


def wait_until_asked(namespace: Namespace) -> None:
    """The API server learns of a new webhook a moment after it was registered."""
    for _ in range(50):
        refused = namespace.kubectl("create", "configmap", "forbidden", "--dry-run=server", check=False)
        if refused.returncode:
            return
    raise AssertionError("the webhook was never asked")
