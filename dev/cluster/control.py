"""The control plane: etcd, kube-apiserver, kube-controller-manager."""

import http.client
import sys
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from dev.cluster import kubeconfig, pki, processes, sandbox
from dev.cluster.api import Api
from dev.cluster.errors import ClusterError
from dev.cluster.layout import CHECKOUT, Layout
from dev.cluster.progress import say, wait_until

ETCD, API_SERVER, CONTROLLERS, DRIVER = "etcd", "kube-apiserver", "kube-controller-manager", "driver"


def launch(layout: Layout, binaries: dict[str, Path]) -> None:
    """Start the first two; the API server waits for etcd by itself."""
    pki.ensure(layout)
    kubeconfig.write(layout, layout.kubeconfig, "admin")
    daemon(layout, ETCD, binaries["etcd"], _etcd(layout))
    daemon(layout, API_SERVER, binaries["kube"], api_server(layout, layout.ports.api))


def finish(layout: Layout, binaries: dict[str, Path]) -> Api:
    """Wait for them, then start the controllers, which end when the API server is not ready yet."""
    api = Api(layout.kubeconfig)
    expect(layout, API_SERVER, api.ready, 120)
    kubeconfig.write(layout, layout.etc / "controller-manager.conf", "controller-manager")
    daemon(layout, CONTROLLERS, binaries["kube"], _controllers(layout))
    expect(layout, CONTROLLERS, lambda: default_account(api), 60)
    say(f"control plane ready at {layout.server}")
    return api


def healthy(layout: Layout) -> bool:
    names = (ETCD, API_SERVER, CONTROLLERS)
    return (
        all(processes.running(layout, name) is not None for name in names) and Api(layout.kubeconfig).ready()
    )


def ensure_driver(layout: Layout) -> None:
    """The stand-in for kubelets."""
    module = f"{__package__}.driver"
    if processes.running(layout, DRIVER) is None:
        beat = layout.run / "driver.ready"
        beat.unlink(missing_ok=True)
        command = [sys.executable, "-m", module, str(layout.kubeconfig), str(beat)]
        processes.start(layout, DRIVER, command, PYTHONPATH=str(CHECKOUT))
        expect(layout, DRIVER, beat.exists, 20)


def daemon(layout: Layout, name: str, executable: Path, arguments: Sequence[str]) -> None:
    """Start it where the level wants it, unless it runs."""
    if processes.running(layout, name) is not None:
        return
    if layout.level == "node":
        sandbox.start(layout, name, executable, arguments)
    else:
        processes.start(layout, name, [name, *arguments], executable)


def expect(layout: Layout, name: str, ready: Callable[[], bool], seconds: float) -> None:
    """Wait for a daemon; if it ends or takes too long, say so with the end of its log."""
    wait_until(lambda: ready() or processes.running(layout, name) is None, seconds)
    if ready():
        return
    log = layout.logs / f"{name}.log"
    tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:]) if log.exists() else ""
    state = "has ended" if processes.running(layout, name) is None else f"is not ready after {seconds:.0f} s"
    raise ClusterError(
        f"{name} {state}; the end of its log:\n{tail}",
        f"read {log}; `python -m dev.cluster down` removes everything for a fresh start",
    )


def answers(url: str) -> bool:
    """An HTTP health check inside the cluster's own addresses; a proxy of the machine is not asked."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, http.client.HTTPException):
        return False


def default_account(api: Api) -> bool:
    """The last thing the controllers make before a namespace can be used."""
    return api.find("/api/v1/namespaces/default/serviceaccounts/default") is not None


def _etcd(layout: Layout) -> list[str]:
    client = f"http://127.0.0.1:{layout.ports.etcd}"
    peer = f"http://127.0.0.1:{layout.ports.etcd_peer}"
    return [
        "--name=watchbill",
        f"--data-dir={layout.data / 'etcd'}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=watchbill={peer}",
        # The data does not outlive the cluster: there is nothing to protect against a power cut.
        "--unsafe-no-fsync",
        "--quota-backend-bytes=8589934592",
        "--auto-compaction-mode=periodic",
        "--auto-compaction-retention=5m",
        "--log-level=warn",
    ]


def api_server(layout: Layout, port: int) -> list[str]:
    """The arguments of one; several may share an etcd."""
    pki_dir = layout.pki
    if layout.level == "node":
        # Webhooks and aggregated APIs are called at their endpoints: no service address is needed for it.
        place = ["--enable-aggregator-routing=true"]
    else:
        # Without it the server insists on an address that is not loopback.
        place = ["--endpoint-reconciler-type=none"]
    return [
        *place,
        f"--etcd-servers=http://127.0.0.1:{layout.ports.etcd}",
        f"--bind-address={layout.api_address}",
        f"--advertise-address={layout.api_address}",
        f"--secure-port={port}",
        f"--tls-cert-file={pki_dir}/apiserver.crt",
        f"--tls-private-key-file={pki_dir}/apiserver.key",
        f"--client-ca-file={pki_dir}/ca.crt",
        f"--kubelet-client-certificate={pki_dir}/apiserver-kubelet-client.crt",
        f"--kubelet-client-key={pki_dir}/apiserver-kubelet-client.key",
        f"--kubelet-certificate-authority={pki_dir}/ca.crt",
        "--kubelet-preferred-address-types=InternalIP",
        f"--requestheader-client-ca-file={pki_dir}/front-proxy-ca.crt",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-username-headers=X-Remote-User",
        f"--proxy-client-cert-file={pki_dir}/front-proxy-client.crt",
        f"--proxy-client-key-file={pki_dir}/front-proxy-client.key",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={pki_dir}/sa.pub",
        f"--service-account-signing-key-file={pki_dir}/sa.key",
        f"--service-cluster-ip-range={layout.services}",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged=true",
        "--profiling=false",
    ]


def _controllers(layout: Layout) -> list[str]:
    config = layout.etc / "controller-manager.conf"
    # Without nodes there are no metrics either. It would still raise replicas to its minimum, some time
    # within fifteen seconds: what the next write meets would depend on the clock.
    place = ["--controllers=*,-horizontal-pod-autoscaler-controller"] if layout.level == "control" else []
    return [
        *place,
        f"--kubeconfig={config}",
        f"--authentication-kubeconfig={config}",
        f"--authorization-kubeconfig={config}",
        "--bind-address=127.0.0.1",
        f"--secure-port={layout.ports.controllers}",
        "--leader-elect=false",
        "--use-service-account-credentials=true",
        f"--service-account-private-key-file={layout.pki}/sa.key",
        f"--root-ca-file={layout.pki}/ca.crt",
        f"--cluster-signing-cert-file={layout.pki}/ca.crt",
        f"--cluster-signing-key-file={layout.pki}/ca.key",
        f"--cluster-cidr={layout.pods}",
        "--allocate-node-cidrs=false",
        f"--service-cluster-ip-range={layout.services}",
        # Its default is a directory of the machine, which it would create.
        f"--flex-volume-plugin-dir={layout.data}/flex",
        # With the usual limits the service accounts of an empty cluster take five seconds more.
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--profiling=false",
    ]
