"""The real cluster for tests: both levels, a namespace for each test, logs of the cluster on failures."""

import os
import subprocess
import sys
import uuid
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from dev.cluster import companions, processes
from dev.cluster.client import Cluster, Namespace, eventually
from dev.cluster.layout import CHECKOUT, LEVELS, Layout, Level
from dev.image import recipes

LOG_LINES = 25


def _start(level: Level) -> Cluster:
    if foreign := os.environ.get("WATCHBILL_KUBECONFIG"):
        return Cluster(level, Path(foreign), None)
    command = [sys.executable, "-m", "dev.cluster", "up", "--level", level]
    # Marked from its first moment: so it ends with the cluster if this session is killed.
    environment = processes.python_environment(Layout.of(level))
    done = subprocess.run(command, check=False, cwd=CHECKOUT, env=environment, capture_output=True, text=True)
    if done.returncode:
        reason = f"the {level} level of the cluster does not start: {done.stderr.strip()}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(f"{reason}\n  start it with: python -m dev.cluster up --level {level}")
    layout = Layout.of(level)
    return Cluster(level, layout.kubeconfig, layout)


@pytest.fixture(scope="session", autouse=True)
def session() -> Iterator[None]:
    """Whoever removes the cluster ends this session as well: it would only start the cluster again."""
    controller = [os.getppid()] if "PYTEST_XDIST_WORKER" in os.environ else []
    with companions.session(os.getpid(), *controller):
        yield


@pytest.fixture(scope="session")
def control_plane() -> Cluster:
    """API server and controllers; pods get their fate from the driver."""
    return _start("control")


@pytest.fixture(scope="session")
def node() -> Cluster:
    """A node: real pods."""
    return _start("node")


@pytest.fixture(params=LEVELS)
def cluster(request: pytest.FixtureRequest) -> Cluster:
    """The test runs on both levels."""
    found: Cluster = request.getfixturevalue("control_plane" if request.param == "control" else "node")
    return found


@pytest.fixture
def ours(request: pytest.FixtureRequest) -> Layout:
    """For tests of what only our own cluster has: the driver, our image, its network."""
    layout = _cluster_of(request).layout
    if layout is None:
        pytest.skip("WATCHBILL_KUBECONFIG names a cluster that has no driver and not our image")
    return layout


@pytest.fixture(scope="session")
def membership_images(node: Cluster) -> str:
    """The name of the images of examples/charts/membership, which the node has from now on as :1 to :4."""
    if node.layout is None:
        pytest.skip("WATCHBILL_KUBECONFIG names a cluster that has not our images")
    subprocess.run([sys.executable, "-m", "dev.cluster", "load"], check=True, cwd=CHECKOUT)
    return recipes.MEMBERSHIP


@pytest.fixture
def namespace(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Namespace]:
    """On the cluster the test asks for (`cluster`, `node`, else the control plane); deleted without waiting."""
    cluster = _cluster_of(request)
    namespace = Namespace(cluster, f"test-{uuid.uuid4().hex[:12]}", tmp_path / "helm")
    cluster.kubectl("create", "namespace", namespace.name)
    try:
        # Pods are refused before it exists.
        assert eventually(lambda: namespace.find("serviceaccount", "default"), 30), (
            "no default service account"
        )
        yield namespace
    finally:
        cluster.kubectl("delete", "namespace", namespace.name, "--wait=false")


def _cluster_of(request: pytest.FixtureRequest) -> Cluster:
    wanted = next((name for name in ("cluster", "node") if name in request.fixturenames), "control_plane")
    found: Cluster = request.getfixturevalue(wanted)
    return found


_sizes = pytest.StashKey[dict[Path, int]]()


def _log_files() -> list[Path]:
    return sorted(file for level in LEVELS for file in Layout.of(level).logs.glob("*.log"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_sizes] = {file: file.stat().st_size for file in _log_files()}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failing test shows what the cluster said while it ran, and what is in its namespace."""
    report = yield
    if report.failed:
        used = {found.level for found in getattr(item, "funcargs", {}).values() if isinstance(found, Cluster)}
        for file in _log_files():
            if file.parents[1].name in used and (text := _since(file, item.stash[_sizes].get(file, 0))):
                report.sections.append((f"{file.parents[1].name}: {file.name}", text))
        namespace = getattr(item, "funcargs", {}).get("namespace")
        if isinstance(namespace, Namespace):
            seen = namespace.kubectl("get", "pods,jobs,events", "--output=wide", check=False)
            report.sections.append((f"namespace {namespace.name}", seen.stdout + seen.stderr))
    return report


def _since(file: Path, size: int) -> str:
    with file.open("rb") as log:
        log.seek(size)
        lines = log.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-LOG_LINES:])
