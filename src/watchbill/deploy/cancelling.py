"""The wish that a deploy stop: said once, heard by everything that runs in it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Cancellation:
    def __init__(self) -> None:
        self.reason = ""  # empty as long as nobody wants it to stop
        self._wanted = asyncio.Event()

    def cancel(self, reason: str) -> None:
        """The first reason counts."""
        self.reason = self.reason or reason
        self._wanted.set()

    async def bound(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What the work gives; it is cancelled with the deploy, and waited for: None then."""
        task, wanted = asyncio.ensure_future(work), asyncio.ensure_future(self._wanted.wait())
        try:
            await asyncio.wait((task, wanted), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                task.cancel()
            await asyncio.wait((task,))
            return None if task.cancelled() else task.result()
        finally:
            wanted.cancel()
            task.cancel()
