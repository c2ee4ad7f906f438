"""The control plane needs no root; the node level says that it does."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.cluster import build, companions, processes
from dev.cluster.client import Cluster, eventually
from dev.cluster.layout import CHECKOUT, Layout

pytestmark = pytest.mark.cluster

NOBODY = 65534
STATE = ".local/state/watchbill/cluster"


@pytest.fixture
def home() -> Iterator[Path]:
    """Not pytest's own directory: that one is closed to other users."""
    with tempfile.TemporaryDirectory(prefix="watchbill-user-") as folder:
        os.chown(folder, user(), -1)
        with companions.cluster(Path(folder, STATE)):
            yield Path(folder)


def user() -> int:
    return NOBODY if os.geteuid() == 0 else os.geteuid()


def interpreter() -> str:
    """One that the user may run: root's own is often out of reach."""
    for candidate in (sys.executable, shutil.which("python3.11", path="/usr/bin:/usr/local/bin")):
        if candidate:
            try:
                subprocess.run([candidate, "-c", ""], check=True, user=user(), capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                continue
            return candidate
    raise AssertionError(f"user {user()} can run neither {sys.executable} nor a python3.11 of the system")


def run(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """The tool from a copy that the user can read, with binaries and a home of the user's own."""
    return subprocess.run(
        [interpreter(), "-m", "dev.cluster", *arguments],
        check=False,
        cwd=home,
        user=user(),
        env={"HOME": str(home), "PATH": os.environ["PATH"], "WATCHBILL_CLUSTER_BIN": str(home / "bin")},
        capture_output=True,
        text=True,
    )


def copy_tool(home: Path) -> None:
    shutil.copytree(CHECKOUT / "dev", home / "dev", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "bin").mkdir()
    for name, binary in build.binaries(build.CONTROL).items():
        shutil.copy(binary, home / "bin" / name)


def test_an_ordinary_user_runs_the_control_plane(home: Path) -> None:
    copy_tool(home)
    layout = Layout("control", home / STATE / "control", 0)

    up = run(home, "up", "--level", "control")

    try:
        assert up.returncode == 0, up.stderr
        server = processes.running(layout, "kube-apiserver")
        assert server is not None
        assert Path(f"/proc/{server}").stat().st_uid == user()
        cluster = Cluster("control", layout.kubeconfig, layout)
        cluster.kubectl("create", "job", "hello", "--image=does-not-matter")
        output = "--output=jsonpath={.status.succeeded}"
        assert eventually(lambda: cluster.kubectl("get", "job", "hello", output).stdout == "1" or None, 30)
    finally:
        down = run(home, "down")
    assert down.returncode == 0, down.stderr
    assert not list(processes.marked(layout.root))
    assert not (home / ".local/state/watchbill").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="tells root from an ordinary user by being both")
def test_the_node_level_tells_an_ordinary_user_that_it_needs_root(home: Path) -> None:
    copy_tool(home)

    refused = run(home, "up", "--level", "node")

    assert refused.returncode == 2
    assert refused.stderr.startswith("cluster: the node level needs root: it makes namespaces, mounts")
    assert "--level control" in refused.stderr
    assert not (home / ".local").exists()
