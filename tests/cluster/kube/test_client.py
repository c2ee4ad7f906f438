"""What the clients do to real objects: deletes with their dependents, dry runs, server-side apply, conflicts, watches."""

import asyncio

import pytest
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import ConfigMap, Pod
from lightkube.types import CascadeType

from dev.cluster.client import Namespace, eventually
from tests.cluster.kube.conftest import Ways, with_kube
from watchbill.kube import jobspec
from watchbill.kube.client import Kube, connect, connect_sync
from watchbill.kube.errors import KubeError
from watchbill.kube.watching import watched

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("control_plane")]


def hanging(namespace: str) -> Job:
    fate = {"watchbill.dev/fate": "hang"}
    return jobspec.build(
        ("hanging",), namespace=namespace, image="x", annotations=fate, deadline=600, grace=1
    )


def start(ways: Ways, namespace: Namespace) -> None:
    async def create(kube: Kube) -> Job:
        return await kube.create(hanging(namespace.name))

    with_kube(ways.administrator(namespace.name), create)
    assert eventually(lambda: namespace.list("pods"), 30), "the Job has no pod"


@pytest.mark.parametrize("cascade", [None, CascadeType.BACKGROUND, CascadeType.FOREGROUND])
def test_the_pods_of_a_deleted_job_are_gone(
    cascade: CascadeType | None, ways: Ways, namespace: Namespace
) -> None:
    start(ways, namespace)

    async def delete(kube: Kube) -> None:
        await kube.delete(Job, "hanging", cascade=cascade)

    with_kube(ways.administrator(namespace.name), delete)
    assert eventually(lambda: not namespace.list("pods") and not namespace.list("jobs"), 60)


def test_orphans_stay(ways: Ways, namespace: Namespace) -> None:
    start(ways, namespace)
    with connect_sync(ways.administrator(namespace.name)) as kube:
        kube.delete(Job, "hanging", cascade=CascadeType.ORPHAN)
        assert eventually(lambda: not namespace.list("jobs"), 30)
        (pod,) = kube.list(Pod)
        assert pod.metadata is not None
        assert not pod.metadata.ownerReferences


def test_a_collection_takes_its_pods_with_it(ways: Ways, namespace: Namespace) -> None:
    start(ways, namespace)
    with connect_sync(ways.administrator(namespace.name)) as kube:
        kube.deletecollection(Job)
    assert eventually(lambda: not namespace.list("pods") and not namespace.list("jobs"), 60)


def note(name: str, **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name), data=data)


def test_a_dry_run_leaves_no_trace(ways: Ways, namespace: Namespace) -> None:
    found = ways.administrator(namespace.name)
    with connect_sync(found) as kube:
        kube.create(note("there", a="1"))

    async def write(kube: Kube) -> None:
        made = await kube.create(note("made", a="1"))
        assert made.metadata is not None
        assert made.metadata.uid, "the server played it through"
        changed = await kube.patch(ConfigMap, "there", {"data": {"a": "2"}})
        assert changed.data == {"a": "2"}
        await kube.apply(note("applied", a="1"))
        await kube.delete(ConfigMap, "there")
        await kube.deletecollection(ConfigMap)

    with_kube(found, write, dry_run=True)
    with connect_sync(found) as kube:
        assert kube.get(ConfigMap, "there").data == {"a": "1"}
        for name in ("made", "applied"):
            with pytest.raises(KubeError) as caught:
                kube.get(ConfigMap, name)
            assert caught.value.is_missing


def test_server_side_apply(ways: Ways, namespace: Namespace) -> None:
    """Our fields are ours; those of another are not taken without force."""
    with connect_sync(ways.administrator(namespace.name)) as kube:
        first = kube.apply(note("shared", ours="1"))
        kube.apply(note("shared", theirs="1"), field_manager="somebody")
        assert kube.apply(note("shared", ours="2")).data == {"ours": "2", "theirs": "1"}
        with pytest.raises(KubeError, match="somebody") as caught:
            kube.apply(note("shared", ours="2", theirs="2"))
        assert (caught.value.is_conflict, caught.value.is_existing) == (True, False)
        assert kube.apply(note("shared", theirs="2"), force=True).data == {"theirs": "2"}
    assert first.metadata is not None
    assert [entry.manager for entry in first.metadata.managedFields or []] == ["watchbill"]


def test_who_comes_too_late_is_told(ways: Ways, namespace: Namespace) -> None:
    with connect_sync(ways.administrator(namespace.name)) as kube:
        made = kube.create(note("one", a="1"))
        with pytest.raises(KubeError, match="already exists") as caught:
            kube.create(note("one", a="1"))
        assert caught.value.is_existing
        kube.patch(ConfigMap, "one", {"data": {"a": "2"}})
        made.data = {"a": "3"}
        with pytest.raises(KubeError, match="modified") as caught:
            kube.replace(made)
        assert (caught.value.is_conflict, caught.value.is_existing) == (True, False)


def test_what_the_server_refuses_is_told_in_its_words(ways: Ways, namespace: Namespace) -> None:
    with connect_sync(ways.administrator(namespace.name)) as kube:
        with pytest.raises(KubeError, match="Invalid value") as caught:
            kube.create(note("Not_A_Name"))
        assert (caught.value.status, caught.value.reason) == (422, "Invalid")
        assert caught.value.exit_code == 2


def test_objects_are_watched(ways: Ways, namespace: Namespace) -> None:
    async def watch() -> list[list[str]]:
        told: list[list[str]] = []
        async with connect(ways.administrator(namespace.name)) as kube, asyncio.timeout(30):
            notes = watched(kube, ConfigMap, namespace=namespace.name, fields={"metadata.name": "seen"})
            async for known in notes:
                told.append([(found.data or {}).get("a", "") for found in known.values()])
                match len(told):
                    case 1:
                        await kube.create(note("seen", a="1"))
                    case 2:
                        await kube.patch(ConfigMap, "seen", {"data": {"a": "2"}})
                    case 3:
                        await kube.delete(ConfigMap, "seen")
                    case _:
                        return told
        return told

    assert asyncio.run(watch()) == [[], ["1"], ["2"], []]
