"""The wish that a deploy stop: said once, heard by everything that runs in it."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
SECONDS_IN_A_HURRY = 0.8


def cancelling_signals() -> tuple[signal.Signals, ...]:
    """Return the signals that cancel a deploy. A terminal that goes away does, unless nohup made this program ignore it."""
    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return (signal.SIGINT, signal.SIGTERM, *(() if is_ignored else (signal.SIGHUP,)))


class Cancellation:
    def __init__(self) -> None:
        self.reason = ""  # empty as long as nobody wants it to stop
        self._wanted = asyncio.Event()
        self._forced = asyncio.Event()

    def cancel(self, reason: str) -> None:
        """The first reason counts."""
        self.reason = self.reason or reason
        self._wanted.set()

    def force(self) -> None:
        """Nobody waits any longer for what is in flight."""
        self._forced.set()

    @property
    def is_forced(self) -> bool:
        return self._forced.is_set()

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

    async def unless_forced(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What the work gives; None, and it is left behind, when nobody waits any longer."""
        task = asyncio.ensure_future(work)
        await self._ended_or_forced(task)
        return task.result() if task.done() else None

    async def in_a_hurry(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """What still is to be written must not take long where nobody waits any longer."""
        task = asyncio.ensure_future(work())
        await self._ended_or_forced(task)
        await asyncio.wait((task,), timeout=SECONDS_IN_A_HURRY)
        if task.done():
            task.result()

    async def _ended_or_forced(self, task: "asyncio.Future[Any]") -> None:
        forced = asyncio.ensure_future(self._forced.wait())
        await asyncio.wait((task, forced), return_when=asyncio.FIRST_COMPLETED)
        forced.cancel()
