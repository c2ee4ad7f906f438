"""The last deploys, on a real API server."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from msgspec.structs import replace

from dev.cluster.client import Namespace
from watchbill.deploy import history
from watchbill.deploy.history import ComponentEntry, Deploy, JobEntry, Summary
from watchbill.errors import UserError
from watchbill.kube.client import Kube

pytestmark = pytest.mark.cluster

Run = Callable[[Callable[[Kube], Awaitable[Any]]], Any]


def deploy(number: int, status: str = "done", product: str = "tetris") -> Deploy:
    return Deploy(
        number=number,
        operation=f"op-{number}",
        product=product,
        version="2.0.0",
        from_version="1.0.0",
        profile="small",
        started="2030-01-01T00:00:00Z",
        seconds=12.5,
        status=status,
        who="me@here",
        components=(ComponentEntry("web", "done", seconds=3.0, revision=2, log=("Release web",)),),
        jobs=(JobEntry("web.pre.seed", "web", "pre", "skipped", reason="there", log=("a", "ü")),),
    )


def test_what_was_saved_is_listed_and_shown(namespace: Namespace, with_kube: Run) -> None:
    async def work(kube: Kube) -> tuple[list[Summary], Deploy]:
        await history.save(kube, namespace.name, deploy(1, "running"))
        await history.save(kube, namespace.name, deploy(1))
        await history.save(kube, namespace.name, deploy(2, "failed"))
        await history.save(kube, namespace.name, deploy(1, product="chess"))
        return await history.entries(kube, namespace.name, "tetris"), await history.show(
            kube, namespace.name, "tetris", 1
        )

    listed, shown = with_kube(work)
    assert [(each.number, each.status, each.who) for each in listed] == [
        (2, "failed", "me@here"),
        (1, "done", "me@here"),
    ]
    assert shown == deploy(1)


def test_the_last_ten_are_kept(namespace: Namespace, with_kube: Run) -> None:
    async def work(kube: Kube) -> list[Summary]:
        for number in range(1, 13):
            await history.save(kube, namespace.name, deploy(number))
        await history.save(kube, namespace.name, deploy(1, product="chess"))
        await history.prune(kube, namespace.name, "tetris")
        assert len(await history.entries(kube, namespace.name, "chess")) == 1
        return await history.entries(kube, namespace.name, "tetris")

    assert [each.number for each in with_kube(work)] == list(range(12, 2, -1))


def test_who_left_no_end_was_killed(namespace: Namespace, with_kube: Run) -> None:
    async def work(kube: Kube) -> list[Summary]:
        for number, status in ((1, "done"), (2, "running"), (3, "running")):
            await history.save(kube, namespace.name, deploy(number, status))
        await history.close_killed(kube, namespace.name, "tetris", but=3)
        shown = await history.show(kube, namespace.name, "tetris", 2)
        assert shown == replace(deploy(2), status="killed", reason="it was killed: it left no end")
        return await history.entries(kube, namespace.name, "tetris")

    assert [each.status for each in with_kube(work)] == ["running", "killed", "done"]


def test_of_one_that_is_not_there_it_is_said_which_are(namespace: Namespace, with_kube: Run) -> None:
    with pytest.raises(UserError, match="no deploy 3 of tetris") as told:
        with_kube(lambda kube: history.show(kube, namespace.name, "tetris", 3))
    assert told.value.where == "there has been none yet"

    async def work(kube: Kube) -> None:
        for number in (1, 2):
            await history.save(kube, namespace.name, deploy(number))
        await history.show(kube, namespace.name, "tetris", 3)

    with pytest.raises(UserError) as told:
        with_kube(work)
    assert told.value.where == "there are: 2, 1"


def test_one_that_somebody_broke_is_one_clear_error_and_the_rest_is_listed(
    namespace: Namespace, with_kube: Run
) -> None:
    async def work(kube: Kube) -> None:
        for number in (1, 2):
            await history.save(kube, namespace.name, deploy(number))

    with_kube(work)
    namespace.kubectl(
        "patch", "secret", "watchbill-tetris-deploy-1", "--patch", '{"data": {"deploy": "bm8="}}'
    )
    namespace.kubectl(
        "annotate", "--overwrite", "secret", "watchbill-tetris-deploy-1", "watchbill.dev/summary=no"
    )
    with pytest.raises(UserError, match="watchbill-tetris-deploy-1 does not hold a deploy"):
        with_kube(lambda kube: history.show(kube, namespace.name, "tetris", 1))
    listed = with_kube(lambda kube: history.entries(kube, namespace.name, "tetris"))
    assert [each.number for each in listed] == [2]
