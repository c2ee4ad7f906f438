"""The driver with real Helm, both generations, on a real API server: what it says, and how its releases end."""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dev import binaries
from dev.cluster.client import Namespace, eventually
from tests.support import stateful_chart
from tests.support.stateful_chart import fate, statuses, wait_for_job
from watchbill.helm.driver import Helm
from watchbill.helm.requests import Done, Target, UninstallRequest, UpgradeRequest

pytestmark = [pytest.mark.cluster, pytest.mark.parametrize("version", ["4.3.1", "3.19.0"])]

LABELS = {"watchbill.dev/product": "p", "watchbill.dev/operation": "one"}


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    return stateful_chart.write(tmp_path)


class Play:
    """One helm on one namespace."""

    def __init__(self, namespace: Namespace, version: str, chart: Path) -> None:
        self.namespace = namespace
        self.binary = str(binaries.helm(version))
        self.chart = chart
        self.told: list[str] = []

    def upgrade(self, **asked: object) -> Done:
        done = self._run(asked, None)
        assert done is not None
        return done

    def cancelled(self, when: Callable[[], object], **asked: object) -> None:
        assert self._run(asked, when) is None

    def _run(self, asked: dict[str, object], cancel_when: Callable[[], object] | None) -> Done | None:
        request = UpgradeRequest(
            **{
                "release": "r",
                "namespace": self.namespace.name,
                "chart": str(self.chart),
                "timeout": 60,
                **asked,
            }  # type: ignore[arg-type]
        )

        async def main() -> Done | None:
            target = Target(str(self.namespace.cluster.kubeconfig))
            async with Helm.find(self.binary, target) as helm:
                work = asyncio.ensure_future(helm.upgrade(request, tell=self.told.append))
                if cancel_when:
                    await asyncio.to_thread(cancel_when)
                    work.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    return await work
                return None

        return asyncio.run(main())


@pytest.fixture
def play(namespace: Namespace, version: str, chart: Path) -> Play:
    return Play(namespace, version, chart)


def greeting(namespace: Namespace) -> str:
    found = namespace.find("configmap", "r-config")
    assert found
    said: str = found["data"]["greeting"]
    return said


def test_it_installs_then_upgrades_and_reuses_no_value(play: Play, namespace: Namespace) -> None:
    first = play.upgrade(values_text='{"greeting": "hi"}', labels=LABELS)
    assert (first.ok, first.revision) == (True, 1), first.reason
    assert greeting(namespace) == "hi"
    second = play.upgrade(labels={"watchbill.dev/operation": "two"})
    assert (second.ok, second.revision) == (True, 2), second.reason
    assert greeting(namespace) == "hello", "without any value helm would take those of before"
    labels = {
        secret["metadata"]["labels"]["version"]: secret["metadata"]["labels"]["watchbill.dev/operation"]
        for secret in namespace.list("secret", "owner=helm,watchbill.dev/product=p")
    }
    assert labels == {"1": "one", "2": "two"}


def test_neither_notes_nor_manifests_are_told(play: Play, namespace: Namespace) -> None:
    installed = play.upgrade()
    tried = play.upgrade(values_text='{"greeting": "never"}', dry_run=True)
    assert installed.ok
    assert tried.ok, tried.reason
    assert "hunter2" not in "\n".join([*play.told, *installed.lines, *tried.lines])
    assert statuses(namespace, "r") == {1: "deployed"}, "a dry run leaves nothing"
    assert greeting(namespace) == "hello"


def test_a_failed_hook_is_told_in_helms_words(play: Play, namespace: Namespace) -> None:
    fate(namespace, r_migrate="fail")
    done = play.upgrade()
    assert not done.ok
    assert "failed" in done.reason
    assert "pre-install" in done.reason
    assert statuses(namespace, "r") == {1: "failed"}


def test_a_first_install_that_is_cancelled_in_a_hook_is_failed_not_pending(
    play: Play, namespace: Namespace
) -> None:
    fate(namespace, r_migrate="hang")
    play.cancelled(lambda: wait_for_job(namespace, "r-migrate"))
    assert statuses(namespace, "r") == {1: "failed"}
    fate(namespace, r_migrate="succeed")
    assert play.upgrade().ok
    assert statuses(namespace, "r")[2] == "deployed"


@pytest.mark.parametrize("hook", ["migrate", "after"])
def test_an_upgrade_that_is_cancelled_in_a_hook_is_failed_not_pending(
    play: Play, namespace: Namespace, hook: str
) -> None:
    play.upgrade()
    namespace.kubectl("delete", "job", "--all")
    fate(namespace, **{f"r_{hook}": "hang"})
    play.cancelled(lambda: wait_for_job(namespace, f"r-{hook}"))
    assert statuses(namespace, "r") == {1: "deployed", 2: "failed"}


def test_an_upgrade_that_is_cancelled_while_it_waits_is_failed_not_pending(
    play: Play, namespace: Namespace
) -> None:
    play.upgrade()
    fate(namespace, _patterns="StatefulSet/* hang")

    def pods() -> None:
        assert eventually(lambda: namespace.find("statefulset", "r-db"), 60)

    play.cancelled(pods, values_text='{"volumes": true}')
    assert statuses(namespace, "r") == {1: "deployed", 2: "failed"}


def test_an_atomic_upgrade_that_is_cancelled_is_rolled_back(play: Play, namespace: Namespace) -> None:
    play.upgrade()
    namespace.kubectl("delete", "job", "--all")
    fate(namespace, r_after="hang")
    play.cancelled(
        lambda: wait_for_job(namespace, "r-after"), values_text='{"greeting": "never"}', atomic=True
    )
    assert statuses(namespace, "r") == {1: "superseded", 2: "failed", 3: "deployed"}
    assert greeting(namespace) == "hello"


_OURSELVES = """
import asyncio, sys
from watchbill.helm.driver import Helm
from watchbill.helm.requests import Target, UpgradeRequest

async def main():
    binary, kubeconfig, namespace, chart = sys.argv[1:]
    async with Helm.find(binary, Target(kubeconfig)) as helm:
        await helm.upgrade(UpgradeRequest(release="r", namespace=namespace, chart=chart))

asyncio.run(main())
"""


def test_killed_we_leave_a_release_that_is_failed_not_pending(play: Play, namespace: Namespace) -> None:
    play.upgrade()
    namespace.kubectl("delete", "job", "--all")
    fate(namespace, r_migrate="hang")
    command = [play.binary, str(namespace.cluster.kubeconfig), namespace.name, str(play.chart)]
    with subprocess.Popen([sys.executable, "-c", _OURSELVES, *command]) as us:
        wait_for_job(namespace, "r-migrate")
        us.kill()
    failed = {1: "deployed", 2: "failed"}
    assert eventually(lambda: statuses(namespace, "r") == failed, 7), statuses(namespace, "r")


def test_uninstalled_it_is_gone(play: Play, namespace: Namespace) -> None:
    play.upgrade()

    async def main() -> Done:
        async with Helm.find(play.binary, Target(str(namespace.cluster.kubeconfig))) as helm:
            return await helm.uninstall(UninstallRequest(release="r", namespace=namespace.name))

    assert asyncio.run(main()).ok
    assert statuses(namespace, "r") == {}
    assert namespace.find("configmap", "r-config") is None
