"""Releases that a helm left which was really killed, Helm 4 and Helm 3: healed where they are ours, and nothing else is touched."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dev import binaries
from dev.cluster.client import Namespace, eventually
from tests.support import stateful_chart
from tests.support.stateful_chart import fate, statuses, wait_for_job
from watchbill.deploy import healing, releases
from watchbill.deploy.healing import Healing
from watchbill.deploy.record import Writer
from watchbill.errors import UserError
from watchbill.helm.driver import Helm
from watchbill.helm.requests import Target, UpgradeRequest
from watchbill.kube.client import Kube

pytestmark = [pytest.mark.cluster, pytest.mark.parametrize("version", ["4.3.1", "3.19.0"])]

Run = Callable[[Callable[[Kube], Awaitable[Any]]], Any]


class Product:
    """One release that is deployed, killed and healed as a deploy would."""

    def __init__(self, namespace: Namespace, run: Run, version: str, chart: Path) -> None:
        self.namespace = namespace
        self.run = run
        self.version = version
        self.chart = chart
        self.told: list[str] = []

    def deploy(self, operation: str, *, killed_at: str = "", **asked: Any) -> None:
        """With the record written before and after; `killed_at` is the Job at which helm is killed, and we with it."""

        async def work(kube: Kube) -> None:
            writer = await Writer.open(kube, self.namespace.name, "tetris", operation)
            found = (await releases.releases(kube, self.namespace.name)).get("r")
            before = found.last.number if found else 0
            verb = "atomic-upgrade" if asked.get("atomic") else "upgrade"
            await writer.change(
                lambda record: record.begun(operation).started(self.namespace.name, "r", verb, before)  # type: ignore[arg-type]
            )
            async with self.helm() as helm:
                request = UpgradeRequest(
                    release="r",
                    namespace=self.namespace.name,
                    chart=str(self.chart),
                    timeout=60,
                    labels=releases.labels("tetris", "1.0.0", "", "", operation),
                    **asked,
                )
                upgrading = asyncio.ensure_future(helm.upgrade(request))
                if killed_at:
                    await asyncio.to_thread(wait_for_job, self.namespace, killed_at)
                    os.killpg(helm.group(), signal.SIGKILL)
                    assert not (await upgrading).ok
                    return
                done = await upgrading
                assert done.ok, done.reason
            await writer.change(lambda record: record.ended(self.namespace.name, "r", "r"))

        self.run(work)

    def decision(self, *, uninstall: bool = False) -> Healing | None:
        async def work(kube: Kube) -> Healing | None:
            writer = await Writer.open(kube, self.namespace.name, "tetris", "looking")
            found = await releases.releases(kube, self.namespace.name)
            return healing.decide(writer.record, found["r"], uninstall=uninstall)

        decided: Healing | None = self.run(work)
        return decided

    def heal(self, decided: Healing) -> None:
        async def work(kube: Kube) -> None:
            writer = await Writer.open(kube, self.namespace.name, "tetris", "healing")
            async with self.helm() as helm:
                await healing.heal(
                    kube, helm, writer, decided, seconds=60, history_max=10, tell=self.told.append
                )
            assert writer.record.working == {}

        self.run(work)

    def helm(self) -> Helm:
        target = Target(str(self.namespace.cluster.kubeconfig))
        return Helm.find(str(binaries.helm(self.version)), target)

    @property
    def statuses(self) -> dict[int, str]:
        return statuses(self.namespace, "r")

    @property
    def greeting(self) -> str:
        found = self.namespace.find("configmap", "r-config")
        assert found
        said: str = found["data"]["greeting"]
        return said


@pytest.fixture
def product(namespace: Namespace, with_kube: Run, version: str, tmp_path: Path) -> Product:
    return Product(namespace, with_kube, version, stateful_chart.write(tmp_path))


@pytest.mark.parametrize("killed_at", ["migrate", "after"])
def test_an_upgrade_of_ours_is_rolled_back_and_the_next_one_works(product: Product, killed_at: str) -> None:
    product.deploy("op-1")
    product.namespace.kubectl("delete", "job", "--all")
    fate(product.namespace, **{f"r_{killed_at}": "hang"})
    product.deploy("op-2", killed_at=f"r-{killed_at}", set=("greeting=never",))
    assert product.statuses == {1: "deployed", 2: "pending-upgrade"}

    decided = product.decision()
    assert decided
    assert (decided.action, decided.revision) == ("rollback", 1)
    product.heal(decided)
    assert product.statuses == {1: "superseded", 2: "pending-upgrade", 3: "deployed"}
    assert product.greeting == "hello"
    assert product.decision() is None

    fate(product.namespace)
    product.deploy("op-3", set=("greeting=new",))
    assert product.statuses[4] == "deployed"
    assert product.greeting == "new"


def test_a_first_install_of_ours_is_refused_and_nothing_is_touched(product: Product) -> None:
    fate(product.namespace, r_after="hang")
    product.deploy("op-1", killed_at="r-after", set=("volumes=true",), wait=False)
    assert product.statuses == {1: "pending-install"}
    decided = product.decision()
    assert decided
    assert decided.action == "refuse"
    with pytest.raises(UserError, match="no revision has ever worked"):
        product.heal(decided)
    assert product.statuses == {1: "pending-install"}
    assert product.greeting == "hello"

    # The way out that the refusal names, which keeps everything.
    claim = product.namespace.find("pvc", "r-lost")
    command = next(line for line in decided.then.splitlines() if "kubectl" in line).partition("kubectl ")[2]
    product.namespace.cluster.kubectl(*command.split())
    fate(product.namespace)
    product.deploy("op-2", set=("volumes=true",), wait=False)
    assert product.statuses == {1: "deployed"}
    same = product.namespace.find("pvc", "r-lost")
    assert claim
    assert same
    assert same["metadata"]["uid"] == claim["metadata"]["uid"]


def test_a_first_install_is_uninstalled_when_asked_and_first_it_is_said_what_goes(product: Product) -> None:
    namespace = product.namespace
    fate(namespace, r_after="hang")
    product.deploy("op-1", killed_at="r-after", set=("volumes=true",), wait=False)
    assert eventually(lambda: namespace.find("pvc", "data-r-db-0"), 30)
    namespace.apply(
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "data-r-db-x"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        }
    )
    decided = product.decision(uninstall=True)
    assert decided
    assert decided.action == "uninstall"
    product.heal(decided)

    place = namespace.name
    end = product.told.index(f"uninstalls {place}/r")
    assert product.told[1:end] == [
        f"volume claim {place}/data-r-db-0 stays: it was made by StatefulSet r-db",
        f"volume claim {place}/r-kept stays: the chart keeps it",
        f"volume claim {place}/r-lost is deleted, and its data where the volume is not retained",
        f"hook Job {place}/r-after stays: helm does not take hooks away",
        f"hook Job {place}/r-migrate stays: helm does not take hooks away",
    ]
    assert product.statuses == {}
    left = {
        claim["metadata"]["name"]
        for claim in namespace.list("pvc")
        if "deletionTimestamp" not in claim["metadata"]
    }
    assert left == {"data-r-db-0", "data-r-db-x", "r-kept"}
    assert namespace.find("job", "r-after")

    fate(namespace)
    product.deploy("op-2")
    assert product.statuses == {1: "deployed"}


def test_what_somebody_elses_helm_left_is_refused_also_on_a_release_of_ours(product: Product) -> None:
    namespace = product.namespace
    product.deploy("op-1")
    namespace.kubectl("delete", "job", "--all")
    fate(namespace, r_migrate="hang")
    with namespace.start_helm(product.version, "upgrade", "r", str(product.chart)) as other:
        wait_for_job(namespace, "r-migrate")
        other.kill()
    assert product.statuses == {1: "deployed", 2: "pending-upgrade"}
    decided = product.decision(uninstall=True)
    assert decided
    assert decided.action == "refuse"
    assert "was not left by a deploy of tetris" in decided.what

    # The command it names does it.
    command = decided.then.partition("helm ")[2].split()
    namespace.helm(product.version, *command)
    assert product.statuses[3] == "deployed"
    assert product.decision() is None


def test_the_rollback_of_an_atomic_upgrade_that_was_killed_is_finished(product: Product) -> None:
    namespace = product.namespace
    _write_rollback_hook(product.chart)
    product.deploy("op-1")
    namespace.kubectl("delete", "job", "--all")
    fate(namespace, r_after="fail", r_back="hang")
    product.deploy("op-2", killed_at="r-back", atomic=True, set=("greeting=never",))
    assert product.statuses == {1: "deployed", 2: "failed", 3: "pending-rollback"}
    decided = product.decision()
    assert decided
    assert (decided.action, decided.revision) == ("rollback", 1)
    fate(namespace)
    product.heal(decided)
    assert product.statuses[4] == "deployed"
    assert product.greeting == "hello"


def test_a_healing_that_is_killed_is_healed_the_next_time(product: Product) -> None:
    namespace = product.namespace
    _write_rollback_hook(product.chart)
    product.deploy("op-1")
    namespace.kubectl("delete", "job", "--all")
    fate(namespace, r_migrate="hang", r_back="hang")
    product.deploy("op-2", killed_at="r-migrate")
    decided = product.decision()
    assert decided

    async def killed(kube: Kube) -> None:
        writer = await Writer.open(kube, namespace.name, "tetris", "healing")
        async with product.helm() as helm:
            healed = asyncio.ensure_future(
                healing.heal(kube, helm, writer, decided, seconds=60, history_max=10, tell=print)
            )
            await asyncio.to_thread(wait_for_job, namespace, "r-back")
            os.killpg(helm.group(), signal.SIGKILL)
            with pytest.raises(UserError, match="could not be rolled back"):
                await healed

    product.run(killed)
    assert product.statuses == {1: "deployed", 2: "pending-upgrade", 3: "pending-rollback"}
    again = product.decision()
    assert again
    assert (again.action, again.revision) == ("rollback", 1)
    fate(namespace)
    product.heal(again)
    assert product.statuses[4] == "deployed"


def _write_rollback_hook(chart: Path) -> None:
    hook = (chart / "templates/migrate.yaml").read_text()
    (chart / "templates/back.yaml").write_text(
        hook.replace("-migrate", "-back").replace("pre-install,pre-upgrade", "pre-rollback")
    )
