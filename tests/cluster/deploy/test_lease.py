"""One deploy at a time, on a real API server: who is at work is named, who is dead is followed, no clock is compared."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from dev.cluster.client import Namespace
from tests.support.flaky_way import way_to
from watchbill.deploy import holder, lease
from watchbill.deploy.holder import Holder
from watchbill.deploy.lease import Lease
from watchbill.errors import UserError
from watchbill.kube.client import Kube

pytestmark = pytest.mark.cluster

Run = Callable[[Callable[[Kube], Awaitable[Any]]], Any]
NAME = "watchbill-tetris"


def elsewhere(name: str) -> Holder:
    """Somebody on another machine: nothing can be seen of that process from here."""
    return replace(
        holder.ourselves(f"op-{name}", "tetris 2.0.0"), identity=name, host=f"host-of-{name}", boot="another"
    )


def written(namespace: Namespace, who: Holder, renewed: str, duration: int = 4) -> None:
    """A Lease as that holder would have left it."""
    namespace.apply(
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {
                "name": NAME,
                "annotations": {"watchbill.dev/holder": msgspec.json.encode(who).decode()},
            },
            "spec": {"holderIdentity": who.identity, "leaseDurationSeconds": duration, "renewTime": renewed},
        }
    )


def never(why: str) -> None:
    raise AssertionError(f"the Lease was lost: {why}")


async def take(
    kube: Kube, namespace: Namespace, who: Holder, on_lost: Callable[[str], None] = never
) -> Lease:
    return await Lease.acquire(kube, namespace.name, "tetris", who, on_lost=on_lost)


def test_a_free_one_is_taken_and_given_back(namespace: Namespace, with_kube: Run) -> None:
    async def work(kube: Kube) -> list[str]:
        seen = []
        for name in ("first", "second"):
            held = await take(kube, namespace, elsewhere(name))
            at_work = await lease.held_by(kube, namespace.name, "tetris")
            seen.append(at_work.identity if at_work else "")
            await held.release()
        assert await lease.held_by(kube, namespace.name, "tetris") is None
        return seen

    began = time.monotonic()
    assert with_kube(work) == ["first", "second"]
    assert time.monotonic() - began < 5, "who is given it back need not wait"


def test_who_is_at_work_elsewhere_is_named(namespace: Namespace, with_kube: Run) -> None:
    waited: list[str] = []

    async def work(kube: Kube) -> None:
        held = await take(kube, namespace, elsewhere("first"))
        try:
            ours = elsewhere("second")
            await Lease.acquire(kube, namespace.name, "tetris", ours, on_lost=never, waiting=waited.append)
        finally:
            await held.release()

    with pytest.raises(UserError, match="another deploy of tetris is at work") as told:
        with_kube(work)
    where = told.value.where or ""
    assert "@host-of-first, process " in where
    assert "tetris 2.0.0, operation op-first, since 20" in where
    assert len(waited) == 1


def test_who_is_at_work_on_this_machine_is_named_at_once(namespace: Namespace, with_kube: Run) -> None:
    written(namespace, replace(holder.ourselves("op-1"), identity="another"), "2020-01-01T00:00:00.000000Z")

    async def work(kube: Kube) -> None:
        await take(kube, namespace, holder.ourselves("op-2"))

    began = time.monotonic()
    with pytest.raises(UserError, match=r"(?s)at work.*operation op-1"):
        with_kube(work)
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("renewed", ["2020-01-01T00:00:00.000000Z", "2100-01-01T00:00:00.000000Z"])
def test_who_does_not_renew_is_followed_whatever_the_clocks_say(
    namespace: Namespace, with_kube: Run, renewed: str
) -> None:
    written(namespace, elsewhere("dead"), renewed, duration=4)

    async def work(kube: Kube) -> float:
        began = time.monotonic()
        await (await take(kube, namespace, elsewhere("next"))).release()
        return time.monotonic() - began

    assert 4 <= with_kube(work) < 9


@pytest.mark.parametrize("renewals", [["2020-01-01T00:00:01.000000Z"], ["2100-01-01T00:00:01.000000Z"]])
def test_who_renews_is_at_work_whatever_the_clocks_say(
    namespace: Namespace, with_kube: Run, renewals: list[str]
) -> None:
    written(namespace, elsewhere("first"), "2020-01-01T00:00:00.000000Z", duration=8)

    async def work(kube: Kube) -> None:
        async def renew() -> None:
            await asyncio.sleep(2)
            for renewed in renewals:
                await asyncio.to_thread(written, namespace, elsewhere("first"), renewed, 8)

        renewing = asyncio.ensure_future(renew())
        try:
            await take(kube, namespace, elsewhere("second"))
        finally:
            await renewing

    with pytest.raises(UserError, match="is at work"):
        with_kube(work)


_HOLDER = """
import asyncio, sys
from watchbill.deploy import holder
from watchbill.deploy.lease import Lease
from watchbill.kube import access
from watchbill.kube.client import connect

async def main():
    kubeconfig, namespace = sys.argv[1:]
    async with connect(access.find(kubeconfig)) as kube:
        await Lease.acquire(kube, namespace, "tetris", holder.ourselves("op-1"), on_lost=print)
        print("held", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


def test_who_was_killed_on_this_machine_is_followed_at_once(namespace: Namespace, with_kube: Run) -> None:
    command = [sys.executable, "-c", _HOLDER, str(namespace.cluster.kubeconfig), namespace.name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"

        async def refused(kube: Kube) -> None:
            await take(kube, namespace, holder.ourselves("op-2"))

        with pytest.raises(UserError, match=rf"(?s)at work.*process {other.pid}"):
            with_kube(refused)
        other.kill()

    async def work(kube: Kube) -> None:
        await (await take(kube, namespace, holder.ourselves("op-2"))).release()

    began = time.monotonic()
    with_kube(work)
    assert time.monotonic() - began < 5


def test_a_helm_that_is_still_at_work_is_waited_for(namespace: Namespace, with_kube: Run) -> None:
    with subprocess.Popen(["sleep", "3"], process_group=0) as helm:
        dead = replace(
            holder.ourselves("op-1"), identity="dead", process_start="1", helm_group=os.getpgid(helm.pid)
        )
        written(namespace, dead, "2020-01-01T00:00:00.000000Z", duration=15)

        async def work(kube: Kube) -> float:
            began = time.monotonic()
            reaping = asyncio.ensure_future(asyncio.to_thread(helm.wait))
            held = await take(kube, namespace, holder.ourselves("op-2"))
            await reaping
            await held.release()
            return time.monotonic() - began

        assert 2 < with_kube(work) < 8


def test_of_many_at_once_one_gets_it(namespace: Namespace, with_kube: Run) -> None:
    written(namespace, elsewhere("dead"), "2020-01-01T00:00:00.000000Z", duration=2)

    async def work(kube: Kube) -> list[object]:
        names = [f"one-{number}" for number in range(5)]
        results = await asyncio.gather(
            *(take(kube, namespace, elsewhere(name)) for name in names), return_exceptions=True
        )
        for held in results:
            if isinstance(held, Lease):
                await held.release()
        return [type(result).__name__ for result in results]

    assert sorted(map(str, with_kube(work))) == ["Lease", *["UserError"] * 4]


@pytest.mark.parametrize(
    ("happens", "why"),
    [
        (
            lambda namespace: written(namespace, elsewhere("thief"), "2020-01-01T00:00:00.000000Z"),
            "host-of-thief",
        ),
        (lambda namespace: namespace.kubectl("delete", "lease", NAME), "the Lease of tetris was deleted"),
    ],
    ids=["taken", "deleted"],
)
def test_who_loses_it_is_told_and_does_not_take_it_back(
    namespace: Namespace, with_kube: Run, happens: Callable[[Namespace], None], why: str
) -> None:
    lost: list[str] = []

    async def work(kube: Kube) -> None:
        held = await take(kube, namespace, elsewhere("first"), lost.append)
        await asyncio.to_thread(happens, namespace)
        before = await lease.held_by(kube, namespace.name, "tetris")
        for _ in range(80):
            if lost:
                break
            await asyncio.sleep(0.1)
        await held.release()
        assert await lease.held_by(kube, namespace.name, "tetris") == before

    with_kube(work)
    assert len(lost) == 1
    assert why in lost[0]


def test_a_label_that_somebody_adds_does_not_lose_it(namespace: Namespace, with_kube: Run) -> None:
    async def work(kube: Kube) -> None:
        held = await take(kube, namespace, elsewhere("first"))
        before = await asyncio.to_thread(namespace.find, "lease", NAME)
        await asyncio.to_thread(namespace.kubectl, "label", "lease", NAME, "team=blue")
        await asyncio.sleep(8)
        after = await asyncio.to_thread(namespace.find, "lease", NAME)
        assert before
        assert after
        assert after["spec"]["renewTime"] > before["spec"]["renewTime"]
        await held.release()

    with_kube(work)


def test_an_api_server_that_was_away_does_not_lose_it(namespace: Namespace, tmp_path: Path) -> None:
    async def main() -> None:
        async with way_to(namespace.cluster.kubeconfig, tmp_path) as (way, kube):
            held = await take(kube, namespace, elsewhere("first"))
            await way.cut()
            await asyncio.sleep(12)
            before = await asyncio.to_thread(namespace.find, "lease", NAME)
            await way.mend()
            await asyncio.sleep(4)
            after = await asyncio.to_thread(namespace.find, "lease", NAME)
            assert before
            assert after
            assert after["spec"]["renewTime"] > before["spec"]["renewTime"]
            await held.release()

    asyncio.run(main())
