"""The node: container runtime, scheduler, kubelet, service addresses and names, all in the sandbox."""

import json
import socket
import struct
import time
from collections.abc import Iterator
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

from dev.cluster import cgroups, control, kubeconfig, packages, pki, processes, sandbox, teardown
from dev.cluster.api import Api
from dev.cluster.control import answers, daemon, expect
from dev.cluster.errors import ClusterError
from dev.cluster.layout import NODE_NAME, Layout, write_whole
from dev.cluster.progress import say, wait_until

CONTAINERD, SCHEDULER, KUBELET, PROXY, DNS = (
    "containerd",
    "kube-scheduler",
    "kubelet",
    "kube-proxy",
    "coredns",
)
SOCKET = "/run/containerd/containerd.sock"
PAUSE_IMAGE = "localhost/pause:1"

CONTAINERD_CONFIG = """\
version = 2
root = "{data}/containerd"
state = "/run/containerd"
[grpc]
  address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{pause}"
  # Without CAP_SYS_RESOURCE runc cannot lower the score and starts no pod at all.
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{etc}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
"""

# `template` answers what `kubernetes` does not know: at once, and no question leaves the machine.
COREFILE = """\
.:53 {{
    bind {address}
    errors
    ready {address}:8181
    cache 5
    kubernetes cluster.local in-addr.arpa {{
        kubeconfig {kubeconfig}
        pods insecure
        ttl 5
    }}
    template ANY ANY . {{
        rcode NXDOMAIN
    }}
}}
"""


def ensure(layout: Layout, binaries: dict[str, Path], images: dict[str, Path]) -> None:
    """Start what is not running and wait until pods can run."""
    if sandbox.running(layout) is None:
        # The sandbox took everything with it; what it left on disk fits nothing any more.
        teardown.clear(layout)
        # Before the slot is written down as ours: the removal trusts that record.
        _refuse_collision(layout)
        layout.record()
        pki.ensure(layout)
        cgroups.create(layout)
        sandbox.create(
            layout,
            packages.node_root(),
            binaries["pause"],
            [binaries[name] for name in ("etcd", "kube", "coredns")],
        )
    _connect(layout)
    control.launch(layout, binaries)
    _runtime(layout)
    # The API server needs some seconds to get ready: time enough to load the images.
    load_images(layout, images)
    api = control.finish(layout, binaries)
    _scheduler(layout, binaries)
    _proxy(layout, binaries)
    _dns(layout, binaries, api)
    _kubelet(layout, binaries)
    expect(layout, PROXY, lambda: answers(f"http://{layout.node_address}:10256/healthz"), 30)
    expect(layout, DNS, lambda: answers(f"http://{layout.node_address}:8181/ready"), 30)
    expect(layout, KUBELET, lambda: node_ready(api), 60)
    say(f"node ready: pods run, services have addresses ({layout.services}) and names")


def healthy(layout: Layout) -> bool:
    daemons = (CONTAINERD, SCHEDULER, KUBELET, PROXY, DNS)
    return (
        sandbox.running(layout) is not None
        and Path("/sys/class/net", layout.link).exists()
        and all(processes.running(layout, name) is not None for name in daemons)
        and answers(f"http://{layout.node_address}:10248/healthz")
        and answers(f"http://{layout.node_address}:10256/healthz")
        and answers(f"http://{layout.node_address}:8181/ready")
        and node_ready(Api(layout.kubeconfig))
    )


def node_ready(api: Api) -> bool:
    node = api.find(f"/api/v1/nodes/{NODE_NAME}") or {"status": {}}
    conditions = node["status"].get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def load_images(layout: Layout, images: dict[str, Path]) -> None:
    """Those that are not loaded, or have changed."""
    record = layout.run / "images.json"
    loaded = json.loads(record.read_text()) if record.exists() else {}
    for name, archive in images.items():
        if loaded.get(name) != str(archive):
            with archive.open("rb") as content:
                sandbox.run(
                    layout,
                    ["ctr", "--address", SOCKET, "--namespace", "k8s.io", "images", "import", "-"],
                    stdin=content.fileno(),
                )
            loaded[name] = str(archive)
            write_whole(record, json.dumps(loaded))
            say(f"loaded {name}")


def _refuse_collision(layout: Layout) -> None:
    """Another cluster in the same slot, or a route of a VPN to our addresses: one would break the other."""
    do = "set WATCHBILL_CLUSTER_SLOT=1 (or 2) to use other addresses"
    if Path("/sys/class/net", layout.link).exists():
        others = ", ".join(sorted(processes.instances() - {str(layout.root)}))
        raise ClusterError(
            f"the network device {layout.link} exists: another cluster uses slot {layout.slot} ({others})", do
        )
    link = IPv4Network(f"{layout.node_address}/24", strict=False)
    wanted = (link, IPv4Network(layout.pods), IPv4Network(layout.services))
    for device, network in _routes():
        if any(network.overlaps(own) for own in wanted):
            raise ClusterError(
                f"this machine has a route to {network} over {device}; the cluster needs it", do
            )


def _routes() -> Iterator[tuple[str, IPv4Network]]:
    """Routes of the machine except the default one."""
    for line in Path("/proc/net/route").read_text().splitlines()[1:]:
        device, destination, *_, mask, _, _, _ = line.split()
        if int(mask, 16):
            address, netmask = (
                socket.inet_ntoa(struct.pack("=I", int(part, 16))) for part in (destination, mask)
            )
            yield device, IPv4Network(f"{address}/{netmask}")


def _connect(layout: Layout) -> None:
    """One link between the machine and the node. There is no other way out: pods reach nothing beyond."""
    link, node, host = layout.link, layout.node_address, layout.host_address
    inside = ("net", "mnt")
    # The node's `ip` program on the machine's network: the machine need not have one.
    outside = ("mnt",)
    if not Path("/sys/class/net", link).exists():
        peer = ["peer", "name", "eth0", "netns", str(sandbox.running(layout))]
        sandbox.run(layout, ["ip", "link", "add", link, "type", "veth", *peer], outside)
    for command in (
        "ip link set lo up",
        f"ip address replace {node}/24 dev eth0",
        "ip link set eth0 up",
        # Unknown addresses of ours must not wander back to the machine and round again.
        f"ip route replace unreachable {layout.services}",
        f"ip route replace unreachable {layout.pods}",
    ):
        sandbox.run(layout, command.split(), inside)
    for command in (
        f"ip address replace {host}/24 dev {link}",
        f"ip link set {link} up",
        f"ip route replace {layout.services} via {node} dev {link}",
        f"ip route replace {layout.pods} via {node} dev {link}",
    ):
        sandbox.run(layout, command.split(), outside)


def _runtime(layout: Layout) -> None:
    network = {
        "cniVersion": "1.0.0",
        "name": "pods",
        "plugins": [
            {
                "type": "ptp",
                "ipMasq": False,
                "ipam": {
                    "type": "host-local",
                    "dataDir": "/run/cni",
                    "ranges": [[{"subnet": layout.pods}]],
                    "routes": [{"dst": "0.0.0.0/0"}],
                },
            },
            {"type": "portmap", "capabilities": {"portMappings": True}},
        ],
    }
    write_whole(layout.etc / "cni" / "10-pods.conflist", json.dumps(network))
    config = CONTAINERD_CONFIG.format(data=layout.data, etc=layout.etc, socket=SOCKET, pause=PAUSE_IMAGE)
    write_whole(layout.etc / "containerd.toml", config)
    daemon(
        layout, CONTAINERD, Path("containerd"), [f"--config={layout.etc}/containerd.toml", "--log-level=warn"]
    )
    expect(layout, CONTAINERD, lambda: _runtime_answers(layout), 30)


def _runtime_answers(layout: Layout) -> bool:
    try:
        sandbox.run(layout, ["ctr", "--address", SOCKET, "version"])
    except ClusterError:
        return False
    return True


def _scheduler(layout: Layout, binaries: dict[str, Path]) -> None:
    config = kubeconfig.write(layout, layout.etc / "scheduler.conf", "scheduler")
    names = ("kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig")
    flags = [f"--{name}={config}" for name in names]
    daemon(
        layout,
        SCHEDULER,
        binaries["kube"],
        [*flags, "--bind-address=127.0.0.1", "--leader-elect=false", "--profiling=false"],
    )


def _kubelet(layout: Layout, binaries: dict[str, Path]) -> None:
    credentials = kubeconfig.write(layout, layout.etc / "kubelet.conf", "kubelet")
    config = layout.etc / "kubelet.json"
    write_whole(config, json.dumps(_kubelet_config(layout), indent=1))
    arguments = [
        f"--config={config}",
        f"--kubeconfig={credentials}",
        f"--hostname-override={NODE_NAME}",
        f"--node-ip={layout.node_address}",
    ]
    # After a crash the runtime answers before it has found its containers again, and the kubelet then ends.
    for _ in range(6):
        daemon(layout, KUBELET, binaries["kube"], arguments)
        if wait_until(lambda: _kubelet_settled(layout), 20) and processes.running(layout, KUBELET):
            return
        time.sleep(0.5)
    expect(layout, KUBELET, lambda: False, 0)


def _kubelet_settled(layout: Layout) -> bool:
    ended = processes.running(layout, KUBELET) is None
    return ended or answers(f"http://{layout.node_address}:10248/healthz")


def _kubelet_config(layout: Layout) -> dict[str, Any]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": layout.node_address,
        "healthzBindAddress": layout.node_address,
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": f"{layout.pki}/ca.crt"},
        },
        "authorization": {"mode": "Webhook"},
        "tlsCertFile": f"{layout.pki}/kubelet-serving.crt",
        "tlsPrivateKeyFile": f"{layout.pki}/kubelet-serving.key",
        "containerRuntimeEndpoint": f"unix://{SOCKET}",
        "clusterDNS": [layout.dns_service],
        "clusterDomain": "cluster.local",
        # Pods ask the cluster's names only, never the machine's resolver.
        "resolvConf": "",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{layout.cgroup}",
        "failCgroupV1": False,
        "failSwapOn": False,
        "makeIPTablesUtilChains": False,
        # An image that is collected cannot be pulled again.
        "imageGCHighThresholdPercent": 100,
        "evictionHard": {
            "memory.available": "100Mi",
            "nodefs.available": "1%",
            "imagefs.available": "1%",
            "nodefs.inodesFree": "1%",
        },
    }


def _proxy(layout: Layout, binaries: dict[str, Path]) -> None:
    credentials = kubeconfig.write(layout, layout.etc / "proxy.conf", "proxy")
    config = layout.etc / "proxy.json"
    # kube-proxy ends when this file is written again, even with the same content.
    if processes.running(layout, PROXY) is None:
        content = {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "mode": "nftables",
            "clientConnection": {"kubeconfig": str(credentials)},
            "clusterCIDR": layout.pods,
            "hostnameOverride": NODE_NAME,
            "healthzBindAddress": f"{layout.node_address}:10256",
            "metricsBindAddress": "127.0.0.1:10249",
            # These are settings of the whole machine: left as they are.
            "conntrack": {
                "maxPerCore": 0,
                "min": 0,
                "tcpEstablishedTimeout": "0s",
                "tcpCloseWaitTimeout": "0s",
            },
            "nodePortAddresses": [f"{layout.node_address}/32"],
        }
        write_whole(config, json.dumps(content, indent=1))
    daemon(layout, PROXY, binaries["kube"], [f"--config={config}"])


def _dns(layout: Layout, binaries: dict[str, Path], api: Api) -> None:
    """A process on the node rather than a pod; the service has its address by hand."""
    config = layout.etc / "Corefile"
    write_whole(config, COREFILE.format(address=layout.node_address, kubeconfig=layout.kubeconfig))
    daemon(layout, DNS, binaries["coredns"], ["-conf", str(config)])
    ports = [
        {"name": "dns", "protocol": "UDP", "port": 53},
        {"name": "dns-tcp", "protocol": "TCP", "port": 53},
    ]
    api.ensure(
        "/api/v1/namespaces/kube-system/services",
        {"metadata": {"name": "kube-dns"}, "spec": {"clusterIP": layout.dns_service, "ports": ports}},
    )
    api.ensure(
        "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices",
        {
            "metadata": {"name": "kube-dns", "labels": {"kubernetes.io/service-name": "kube-dns"}},
            "addressType": "IPv4",
            "endpoints": [{"addresses": [layout.node_address], "conditions": {"ready": True}}],
            "ports": ports,
        },
    )
