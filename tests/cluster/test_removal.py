"""Whatever is killed, whenever: after `down` the machine is as it was before."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dev.cluster import cgroups, companions, packages, processes
from dev.cluster.client import Cluster, eventually
from dev.cluster.layout import CHECKOUT, Layout

pytestmark = pytest.mark.cluster

# Places that Kubernetes and containerd use on any machine they run on.
FIXED_PLACES = (
    *("/etc/cni", "/opt/cni", "/opt/containerd", "/run/containerd", "/run/netns", "/usr/libexec/kubernetes"),
    *("/var/lib/cni", "/var/lib/containerd", "/var/lib/kubelet", "/var/log/containers", "/var/log/pods"),
)
SETTINGS = ("net/ipv4/ip_forward", "vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops")


@dataclass
class Instance:
    """A second cluster of this test's own, beside the one other tests use."""

    folder: Path
    level: str
    slot: int
    environment: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        own = {"WATCHBILL_CLUSTER_DIR": str(self.folder), "WATCHBILL_CLUSTER_SLOT": str(self.slot)}
        # Marked from its first moment: so it ends with the cluster if this test is killed.
        self.environment = {**processes.python_environment(self.layout), **own}
        self.environment.pop("WATCHBILL_KUBECONFIG", None)

    @property
    def layout(self) -> Layout:
        return Layout("node" if self.level == "node" else "control", self.folder / self.level, self.slot)

    def command(self, name: str) -> list[str]:
        return [sys.executable, "-m", "dev.cluster", name, "--level", self.level]

    def begin(self, name: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self.command(name),
            cwd=CHECKOUT,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, name: str) -> None:
        done = subprocess.run(
            self.command(name),
            check=False,
            cwd=CHECKOUT,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr


def snapshot(instance: Instance) -> dict[str, object]:
    """What the machine has of everything a cluster makes, but for the clusters of other tests."""
    layout = instance.layout
    own = {layout.link, layout.cgroup} if instance.level == "node" else set()

    def counts(name: str) -> bool:
        return name in own or not name.startswith("watchbill")

    routes = [line.split()[:3] for line in Path("/proc/net/route").read_text().splitlines()]
    groups = [group for tree in cgroups.hierarchies() for group in tree.iterdir() if group.is_dir()]
    return {
        "processes": sorted(command_lines(instance.folder)),
        "mounts": sorted(line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()),
        "links": sorted(link.name for link in Path("/sys/class/net").iterdir() if counts(link.name)),
        "routes": sorted(route for route in routes if counts(route[0])),
        "packet filter": packet_filter() if os.geteuid() == 0 else "",
        "control groups": sorted(str(group) for group in groups if counts(group.name)),
        "settings": [Path("/proc/sys", name).read_text() for name in SETTINGS],
        "places": [place for place in FIXED_PLACES if Path(place).exists()],
        "files": sorted(map(str, instance.folder.rglob("*"))),
    }


def command_lines(folder: Path) -> list[str]:
    """Of every process that has to do with the folder, by its environment or by its arguments."""
    marked = {pid for level in ("control", "node") for pid in processes.marked(folder / level)}
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if int(entry.name) in marked or str(folder) in line:
                found.append(line)
    return found


def packet_filter() -> str:
    """The machine's own tables, asked with the node's `nft`: the machine need not have one."""
    command = ["chroot", str(packages.node_root()), "nft", "list", "tables"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@contextmanager
def second_cluster(first: Cluster, folder: Path, slot: int) -> Iterator[Instance]:
    """Of the same level as the first, which has shown that this machine can run it."""
    if first.layout is None:
        pytest.skip("WATCHBILL_KUBECONFIG is set: nothing is started or removed")
    instance = Instance(folder, first.level, slot)
    with companions.cluster(folder):
        try:
            yield instance
        finally:
            instance.run("down")


@pytest.fixture
def starting(node: Cluster, tmp_path: Path) -> Iterator[Instance]:
    with second_cluster(node, tmp_path / "cluster", 1) as instance:
        yield instance


@pytest.fixture
def running(node: Cluster, tmp_path: Path) -> Iterator[Instance]:
    with second_cluster(node, tmp_path / "cluster", 2) as instance:
        yield instance


@pytest.fixture
def controlling(control_plane: Cluster, tmp_path: Path) -> Iterator[Instance]:
    with second_cluster(control_plane, tmp_path / "cluster", 0) as instance:
        yield instance


def test_killing_the_start_at_any_moment_leaves_nothing(starting: Instance) -> None:
    instance = starting
    before = snapshot(instance)
    began = time.monotonic()
    instance.run("up")
    whole = time.monotonic() - began
    instance.run("down")
    assert snapshot(instance) == before
    dice = random.Random(20)
    kills = 6

    for number in range(kills):
        up = instance.begin("up")
        # One moment in each part of the start, never the same one twice.
        time.sleep(whole * (number + dice.random()) / kills)
        up.send_signal(signal.SIGKILL)
        up.wait()
        instance.run("down")
        assert snapshot(instance) == before, f"after kill {number} of {kills}"


def test_killing_any_part_leaves_nothing(running: Instance) -> None:
    instance = running
    before = snapshot(instance)
    for name in ("sandbox", "containerd", "kubelet", "kube-apiserver", "etcd"):
        instance.run("up")
        victim = processes.running(instance.layout, name)
        assert victim is not None
        os.kill(victim, signal.SIGKILL)

    # The removal itself may be killed as well: the next one completes it.
    down = instance.begin("down")
    time.sleep(0.3)
    down.send_signal(signal.SIGKILL)
    down.wait()
    instance.run("down")

    assert snapshot(instance) == before
    instance.run("down")
    assert snapshot(instance) == before, "a second removal has nothing to do"


def test_a_start_repairs_what_was_killed(controlling: Instance) -> None:
    instance = controlling
    before = snapshot(instance)
    instance.run("up")
    own = Cluster("control", instance.layout.kubeconfig, instance.layout)
    own.kubectl("create", "configmap", "kept")
    driver = processes.running(instance.layout, "driver")
    for name in ("kube-apiserver", "etcd", "kube-controller-manager"):
        victim = processes.running(instance.layout, name)
        assert victim is not None
        os.kill(victim, signal.SIGKILL)

    instance.run("up")

    own.kubectl("get", "configmap", "kept")
    assert processes.running(instance.layout, "driver") == driver, "it survives the API server's absence"
    own.kubectl("create", "job", "after", "--image=does-not-matter")
    state = "jsonpath={.status.succeeded}"
    assert eventually(
        lambda: own.kubectl("get", "job", "after", f"--output={state}").stdout == "1" or None, 30
    )
    instance.run("down")
    assert snapshot(instance) == before


def test_a_cluster_that_a_killed_test_left_goes_with_the_main_one(
    controlling: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(controlling)
    controlling.run("up")
    monkeypatch.setenv("WATCHBILL_CLUSTER_DIR", str(tmp_path / "main"))
    with companions.cluster(controlling.folder):
        command = [sys.executable, "-m", "dev.cluster", "down"]
        subprocess.run(command, check=True, cwd=CHECKOUT, capture_output=True)

    assert snapshot(controlling) == before
    assert not (tmp_path / "main").exists()


def test_a_test_session_ends_with_the_cluster_it_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Orphaned workers of a killed run would start it again."""
    monkeypatch.setenv("WATCHBILL_CLUSTER_DIR", str(tmp_path / "main"))
    with subprocess.Popen(["sleep", "1000"]) as worker, subprocess.Popen(["sleep", "1000"]) as stranger:
        try:
            with companions.session(worker.pid):
                entry = next(companions.home().glob("session-*"))
                entry.write_text(f"{entry.read_text()}{stranger.pid} 1\n")
                subprocess.run([sys.executable, "-m", "dev.cluster", "down"], check=True, cwd=CHECKOUT)

            assert worker.wait(10) == -signal.SIGKILL
            assert stranger.poll() is None, "a process that began at another time is another process"
        finally:
            worker.kill()
            stranger.kill()
    assert not (tmp_path / "main").exists()
