"""The record on a real API server: one writer, and a write of somebody else is never lost or overwritten."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dev.cluster.client import Namespace, eventually
from tests.support.flaky_way import way_to
from watchbill.deploy import record
from watchbill.deploy.record import Once, Record, Work, Writer
from watchbill.errors import UserError
from watchbill.kube.client import Kube

pytestmark = pytest.mark.cluster

Run = Callable[[Callable[[Kube], Awaitable[Any]]], Any]


def stored(namespace: Namespace) -> dict[str, Any]:
    found = namespace.find("configmap", "watchbill-tetris")
    assert found
    said: dict[str, Any] = json.loads(found["data"]["record"])
    return said


def test_nothing_is_known_at_first_and_reading_writes_nothing(namespace: Namespace, with_kube: Run) -> None:
    async def work(kube: Kube) -> tuple[Record, Record]:
        writer = await Writer.open(kube, namespace.name, "tetris", "me")
        return await record.load(kube, namespace.name, "tetris"), writer.record

    assert with_kube(work) == (Record("tetris"), Record("tetris"))
    assert namespace.find("configmap", "watchbill-tetris") is None


def test_of_a_namespace_that_does_not_exist_nothing_is_known(with_kube: Run) -> None:
    assert with_kube(lambda kube: record.load(kube, "no-such-namespace", "tetris")) == Record("tetris")


def test_what_was_changed_is_read_again(namespace: Namespace, with_kube: Run) -> None:
    async def work(kube: Kube) -> tuple[Record, Record]:
        writer = await Writer.open(kube, namespace.name, "tetris", "me")
        await writer.change(lambda known: known.begun("op-1"))
        await writer.change(lambda known: replace(known, target="2.0.0"))
        await writer.change(lambda known: known.started("ns", "web", "upgrade", 3))
        await writer.change(lambda known: known.once_is("web.pre.seed", "started", "2.0.0", "now"))
        return writer.record, await record.load(kube, namespace.name, "tetris")

    written, read = with_kube(work)
    assert written == read
    assert (read.deploys, read.operation, read.target) == (1, "op-1", "2.0.0")
    assert read.working == {"ns/web": Work("op-1", "upgrade", 3)}
    assert read.once == {"web.pre.seed": Once("started", "op-1", "2.0.0", "now")}


def test_changes_that_come_together_are_all_stored_when_each_returns(
    namespace: Namespace, with_kube: Run
) -> None:
    names = [f"component-{number}" for number in range(60)]

    async def work(kube: Kube) -> tuple[Record, list[str]]:
        writer = await Writer.open(kube, namespace.name, "tetris", "me")
        missing: list[str] = []

        async def one(name: str) -> None:
            await writer.change(lambda known: known.started("ns", name, "upgrade", 0))
            await writer.change(lambda known: known.ended("ns", name, name))
            if name not in (await record.load(kube, namespace.name, "tetris")).done:
                missing.append(name)

        await asyncio.gather(*(one(name) for name in names))
        return await record.load(kube, namespace.name, "tetris"), missing

    read, missing = with_kube(work)
    assert sorted(read.done) == sorted(names)
    assert read.working == {}
    assert missing == []
    assert read.writes < 40, "changes that wait for the same write share it"


def test_who_was_overtaken_is_refused_and_overwrites_nothing(namespace: Namespace, with_kube: Run) -> None:
    async def work(kube: Kube) -> None:
        first = await Writer.open(kube, namespace.name, "tetris", "first")
        await first.change(lambda known: known.begun("op-1"))
        second = await Writer.open(kube, namespace.name, "tetris", "second")
        await second.change(lambda known: known.begun("op-2"))
        await first.change(lambda known: replace(known, installed="9.9.9"))

    with pytest.raises(UserError, match="the record of tetris was changed by somebody else") as told:
        with_kube(work)
    assert "watchbill-tetris" in (told.value.where or "")
    assert stored(namespace)["operation"] == "op-2"
    assert "installed" not in stored(namespace)


def test_two_that_write_the_first_record_at_once_do_not_both_succeed(
    namespace: Namespace, with_kube: Run
) -> None:
    async def work(kube: Kube) -> list[object]:
        writers = [await Writer.open(kube, namespace.name, "tetris", name) for name in ("a", "b")]
        return await asyncio.gather(
            *(writer.change(lambda known: known.begun("op")) for writer in writers), return_exceptions=True
        )

    results = with_kube(work)
    assert sorted(type(result).__name__ for result in results) == ["Record", "UserError"]


def test_a_label_that_somebody_adds_is_no_trouble_and_stays(namespace: Namespace, with_kube: Run) -> None:
    async def work(kube: Kube) -> None:
        writer = await Writer.open(kube, namespace.name, "tetris", "me")
        await writer.change(lambda known: known.begun("op-1"))
        await asyncio.to_thread(namespace.kubectl, "label", "configmap", "watchbill-tetris", "team=blue")
        await writer.change(lambda known: replace(known, installed="1.0.0"))

    with_kube(work)
    found = namespace.find("configmap", "watchbill-tetris")
    assert found
    assert found["metadata"]["labels"]["team"] == "blue"
    assert stored(namespace)["installed"] == "1.0.0"


def test_a_record_that_was_deleted_meanwhile_is_not_made_up_again(
    namespace: Namespace, with_kube: Run
) -> None:
    async def work(kube: Kube) -> None:
        writer = await Writer.open(kube, namespace.name, "tetris", "me")
        await writer.change(lambda known: known.begun("op-1"))
        await asyncio.to_thread(namespace.kubectl, "delete", "configmap", "watchbill-tetris")
        await writer.change(lambda known: replace(known, installed="1.0.0"))

    with pytest.raises(UserError, match="the record of tetris was deleted"):
        with_kube(work)
    assert namespace.find("configmap", "watchbill-tetris") is None


def test_a_record_that_was_edited_by_hand_is_one_clear_error(namespace: Namespace, with_kube: Run) -> None:
    namespace.apply(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "watchbill-tetris"},
            "data": {"record": '{"product": 7}'},
        }
    )
    with pytest.raises(UserError, match="does not say what is installed") as told:
        with_kube(lambda kube: record.load(kube, namespace.name, "tetris"))
    assert f"{namespace.name}/watchbill-tetris" in told.value.what
    assert "put it right" in (told.value.then or "")


def test_the_namespace_is_made_once(namespace: Namespace, with_kube: Run) -> None:
    name = f"{namespace.name}-made"

    async def work(kube: Kube) -> list[bool]:
        return [await record.ensure_namespace(kube, name) for _ in range(2)]

    try:
        assert with_kube(work) == [True, False]
        assert with_kube(lambda kube: record.ensure_namespace(kube, namespace.name)) is False
    finally:
        namespace.cluster.kubectl("delete", "namespace", name, "--wait=false")


def test_who_may_not_write_it_is_told_which_right_is_missing(namespace: Namespace, with_kube: Run) -> None:
    namespace.kubectl("create", "serviceaccount", "weak")
    weak = f"system:serviceaccount:{namespace.name}:weak"
    namespace.kubectl("create", "role", "look", "--verb=get", "--resource=configmaps")
    namespace.kubectl(
        "create", "rolebinding", "look", "--role=look", f"--serviceaccount={namespace.name}:weak"
    )
    allowed = ["auth", "can-i", "get", "configmaps", f"--as={weak}"]
    assert eventually(lambda: namespace.kubectl(*allowed, check=False).stdout.strip() == "yes", 10)

    async def work(kube: Kube) -> None:
        kube._client._client.headers["Impersonate-User"] = weak
        assert await record.ensure_namespace(kube, namespace.name) is False
        writer = await Writer.open(kube, namespace.name, "tetris", "me")
        await writer.change(lambda known: known.begun("op-1"))

    with pytest.raises(UserError, match='cannot create resource "configmaps"') as told:
        with_kube(work)
    assert namespace.name in told.value.what


def test_an_api_server_that_comes_and_goes_is_waited_for_and_nothing_is_lost(
    namespace: Namespace, tmp_path: Path
) -> None:
    """Some answers do not arrive: what they would have said was done, or was not."""
    names = [f"component-{number}" for number in range(150)]

    async def main() -> Record:
        async with way_to(namespace.cluster.kubeconfig, tmp_path) as (way, kube):
            writer = await Writer.open(kube, namespace.name, "tetris", "me")

            async def trouble() -> None:
                for pause in (0.05, 0.11, 0.23, 0.31, 0.17):
                    await asyncio.sleep(pause)
                    await way.cut()
                    await asyncio.sleep(0.4)
                    await way.mend()

            troubling = asyncio.ensure_future(trouble())
            for name in names:
                await writer.change(lambda known, name=name: known.ended("ns", name, name))  # type: ignore[misc]
                await asyncio.sleep(0.01)
            await troubling
            return writer.record

    written = asyncio.run(main())
    assert list(written.done) == names
    assert stored(namespace)["done"] == names
