"""Connections of tests: one request with what a kubeconfig says, by either client."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from lightkube.resources.core_v1 import Namespace

from tests.kube import writing
from watchbill.kube import access
from watchbill.kube.access import Access
from watchbill.kube.client import connect, connect_sync

Ask = Callable[[Access], None]


def ask_async(found: Access) -> None:
    async def ask() -> None:
        async with connect(found) as kube:
            await kube.get(Namespace, "there")

    asyncio.run(ask())


def ask_sync(found: Access) -> None:
    with connect_sync(found) as kube:
        kube.get(Namespace, "there")


both_clients = pytest.mark.parametrize("ask", [ask_async, ask_sync], ids=["async", "sync"])


def reach(folder: Path, cluster: writing.Part, user: writing.Part | None = None) -> Access:
    file = writing.write(folder / "kubeconfig", writing.kubeconfig(cluster, user))
    return access.find(str(file), environment={})
