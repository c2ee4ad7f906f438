"""A client of ours on the cluster of the test."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from dev.cluster.client import Namespace
from watchbill.kube import access
from watchbill.kube.client import Kube, connect

T = TypeVar("T")
WithKube = Callable[[Callable[[Kube], Awaitable[T]]], T]


@pytest.fixture
def with_kube(namespace: Namespace) -> Callable[[Callable[[Kube], Awaitable[T]]], T]:
    """Runs a coroutine function with a client, in a loop of its own."""

    def run(work: Callable[[Kube], Awaitable[T]]) -> T:
        async def main() -> T:
            async with connect(access.find(str(namespace.cluster.kubeconfig))) as kube:
                return await work(kube)

        return asyncio.run(main())

    return run
