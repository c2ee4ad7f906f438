"""Objects as they are now, again after every change: a list, a watch that goes on from it, and a new list when that breaks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, TypeVar

from lightkube.core.resource import NamespacedResource

from watchbill.kube.errors import KubeError

if TYPE_CHECKING:
    from watchbill.kube.client import Kube

PATIENCE = 60.0

_Kind = TypeVar("_Kind", bound=NamespacedResource)


async def watched(
    kube: Kube,
    kind: type[_Kind],
    *,
    namespace: str,
    labels: dict[str, Any] | None = None,
    fields: dict[str, Any] | None = None,
    patience: float = PATIENCE,
) -> AsyncGenerator[dict[str, _Kind]]:
    """By name: first what is there, then all of it again after each change. Bad moments of the connection are lived
    through for as long as `patience` says; then KubeError."""
    pause = Patience(patience)
    while True:
        try:
            listed = kube.list(kind, namespace=namespace, labels=labels, fields=fields)
            known = {_name(found): found async for found in listed}
            pause.went_well()
            yield dict(known)
            changes = kube.watch(
                kind,
                namespace=namespace,
                labels=labels,
                fields=fields,
                resource_version=listed.resourceVersion,
            )
            async for change, found in changes:
                pause.went_well()
                if change == "DELETED":
                    known.pop(_name(found), None)
                else:
                    known[_name(found)] = found
                yield dict(known)
        except KubeError as error:
            if not error.is_expired:
                await pause.after(error)


class Patience:
    """How often the same is tried again: at once, then ever more slowly, until it lasts too long."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._failing_since: float | None = None
        self._pause = 0.0

    def went_well(self) -> None:
        self._failing_since = None
        self._pause = 0.0

    async def after(self, error: KubeError) -> None:
        """Waits; raises the error when it is not one that passes, or when it is time to give up."""
        now = time.monotonic()
        self._failing_since = self._failing_since if self._failing_since is not None else now
        if not error.is_passing or now - self._failing_since > self._seconds:
            raise error
        await asyncio.sleep(self._pause)
        self._pause = min(max(self._pause * 2, 0.25), 5.0)


def _name(found: Any) -> str:
    return found.metadata.name or "" if found.metadata else ""
