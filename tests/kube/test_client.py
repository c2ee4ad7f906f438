"""What both clients add to every request, and how lists and watches end."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import ConfigMap, Namespace, Pod
from lightkube.types import CascadeType, PatchType

from tests.kube.connecting import reach
from tests.kube.servers import Answer, FakeServer, Seen, serving, status
from watchbill.kube.access import Access
from watchbill.kube.client import connect, connect_sync
from watchbill.kube.errors import KubeError
from watchbill.kube.watching import watched


@pytest.fixture
def plain() -> Iterator[FakeServer]:
    with serving(None) as server:
        yield server


@pytest.fixture
def found(plain: FakeServer, tmp_path: Path) -> Access:
    return reach(tmp_path, {"server": plain.url()})


def asked(seen: Seen) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(seen.path).query).items()}


def test_every_write_names_us_and_every_delete_its_policy(plain: FakeServer, found: Access) -> None:
    async def work() -> None:
        async with connect(found) as kube:
            await kube.delete(Job, "a")
            await kube.delete(Job, "a", cascade=CascadeType.FOREGROUND, grace_period=0)
            await kube.deletecollection(Job, cascade=CascadeType.ORPHAN)
            await kube.deletecollection(Job)
            await kube.patch(Namespace, "there", {}, patch_type=PatchType.APPLY)

    asyncio.run(work())
    assert [asked(seen) for seen in plain.seen] == [
        {"propagationPolicy": "Background"},
        {"propagationPolicy": "Foreground", "gracePeriodSeconds": "0"},
        {"propagationPolicy": "Orphan"},
        {"propagationPolicy": "Background"},
        {"fieldManager": "watchbill"},
    ]


def test_a_dry_run_writes_nothing(plain: FakeServer, found: Access) -> None:
    """lightkube's own deletes would be real ones."""

    async def work() -> None:
        async with connect(found, dry_run=True) as kube:
            await kube.delete(Job, "a")
            await kube.deletecollection(Job)
            await kube.create(Namespace())
            await kube.replace(Namespace(), "there")
            await kube.patch(Namespace, "there", {})
            with pytest.raises(KubeError, match="dry run"):
                await kube.exec("a", command="rm")

    asyncio.run(work())
    with connect_sync(found, dry_run=True) as kube:
        kube.delete(Job, "a")
        kube.create(Namespace())
        with pytest.raises(KubeError, match="dry run"):
            kube.exec("a", command="rm")
    assert [(seen.method, asked(seen).get("dryRun")) for seen in plain.seen] == [
        ("DELETE", "All"),
        ("DELETE", "All"),
        ("POST", "All"),
        ("PUT", "All"),
        ("PATCH", "All"),
        ("DELETE", "All"),
        ("POST", "All"),
    ]


def pods(*names: str, version: str = "5", more: str = "") -> Answer:
    items = [{"metadata": {"name": name, "resourceVersion": "1"}} for name in names]
    return 200, {"metadata": {"resourceVersion": version, "continue": more}, "items": items}


def event(kind: str, name: str, version: str) -> bytes:
    found = {"type": kind, "object": {"metadata": {"name": name, "resourceVersion": version}}}
    return json.dumps(found).encode() + b"\n"


def test_a_long_list_comes_in_parts_and_may_break(plain: FakeServer, found: Access) -> None:
    def answer(seen: Seen) -> Answer:
        if "continue" in asked(seen):
            return status(410, "Expired", "the continue token is too old")
        return pods("a", "b", more="next")

    plain.answer = answer
    names: list[str] = []

    async def work() -> None:
        async with connect(found) as kube:
            async for pod in kube.list(Pod, namespace="x", chunk_size=2):
                assert pod.metadata is not None
                names.append(pod.metadata.name or "")

    with pytest.raises(KubeError, match="too old") as caught:
        asyncio.run(work())
    assert caught.value.is_expired
    assert names == ["a", "b"]

    with connect_sync(found) as kube, pytest.raises(KubeError, match="too old"):
        list(kube.list(Pod, namespace="x", chunk_size=2))


def test_a_watch_has_an_end_goes_on_and_tells_errors(plain: FakeServer, found: Access) -> None:
    turns = [
        (200, event("ADDED", "a", "7")),
        (200, event("MODIFIED", "a", "8")),
        (
            200,
            json.dumps(
                {"type": "ERROR", "object": {"code": 410, "reason": "Expired", "message": "old"}}
            ).encode(),
        ),
    ]
    plain.answer = lambda _: turns.pop(0)
    seen: list[str] = []

    async def work() -> None:
        async with connect(found) as kube:
            async for kind, _ in kube.watch(Pod, namespace="x", resource_version="5"):
                seen.append(kind)

    with pytest.raises(KubeError, match="old") as caught:
        asyncio.run(work())
    assert caught.value.is_expired
    assert seen == ["ADDED", "MODIFIED"]
    assert [asked(request)["resourceVersion"] for request in plain.seen] == ["5", "7", "8"]
    assert all(200 < int(asked(request)["timeoutSeconds"]) <= 240 for request in plain.seen)


def test_what_is_there_is_told_again_after_each_change_also_over_gaps(
    plain: FakeServer, found: Access
) -> None:
    turns: list[Answer] = [
        pods("a", version="5"),
        (200, event("ADDED", "b", "6") + event("DELETED", "a", "7")),
        status(503, "ServiceUnavailable", "later"),
        pods("b", "c", version="9"),
        (
            200,
            json.dumps(
                {"type": "ERROR", "object": {"code": 410, "reason": "Expired", "message": "old"}}
            ).encode(),
        ),
        pods("d", version="11"),
        status(403, "Forbidden", "no more"),
    ]
    plain.answer = lambda _: turns.pop(0)
    told: list[list[str]] = []

    async def work() -> None:
        async with connect(found) as kube:
            async for known in watched(kube, Pod, namespace="x"):
                names = sorted(known)
                told.append(names)

    with pytest.raises(KubeError, match="no more"):
        asyncio.run(work())
    assert told == [["a"], ["a", "b"], ["b"], ["b", "c"], ["d"]]


def test_patience_has_an_end(plain: FakeServer, found: Access) -> None:
    plain.answer = lambda _: status(503, "ServiceUnavailable", "later")

    async def work() -> None:
        async with connect(found) as kube:
            async for _ in watched(kube, Pod, namespace="x", patience=3):
                pass

    with pytest.raises(KubeError, match="later"):
        asyncio.run(work())
    assert 3 <= len(plain.seen) <= 8, "ever more slowly, not in a tight loop"


def test_forbidden_watches_and_logs_are_told(plain: FakeServer, found: Access) -> None:
    plain.answer = lambda _: status(403, "Forbidden", 'User "x" cannot watch')

    async def watch() -> None:
        async with connect(found) as kube:
            async for _ in kube.watch(Pod, namespace="x"):
                pass

    async def log() -> None:
        async with connect(found) as kube:
            async for _ in kube.log("a", namespace="x", follow=True):
                pass

    for work in (watch, log):
        with pytest.raises(KubeError, match="cannot watch") as caught:
            asyncio.run(work())
        assert caught.value.is_forbidden
    with connect_sync(found) as kube, pytest.raises(KubeError, match="cannot watch"):
        next(iter(kube.watch(Pod, namespace="x")))


def test_conflicts_are_told_apart(plain: FakeServer, found: Access) -> None:
    for reason, is_existing in (("Conflict", False), ("AlreadyExists", True)):
        plain.answer = lambda _, reason=reason: status(409, reason, "no")  # type: ignore[misc]
        with connect_sync(found) as kube, pytest.raises(KubeError) as caught:
            kube.create(ConfigMap(metadata=ObjectMeta(name="a")))
        assert (caught.value.is_conflict, caught.value.is_existing) == (True, is_existing)


@pytest.mark.parametrize(
    ("module", "without"),
    [
        ("watchbill.kube.errors", ("lightkube", "httpx2", "yaml", "ssl", "msgspec")),
        ("watchbill.kube.access", ("lightkube", "httpx2", "yaml", "ssl")),
        ("watchbill.kube.rights", ("lightkube", "httpx2", "yaml", "ssl")),
    ],
)
def test_little_is_loaded_before_it_is_needed(module: str, without: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print([name for name in {without!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
