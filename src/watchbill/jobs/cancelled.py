"""The wish that a job stop, as the job can see it."""

import asyncio
import contextlib
import threading


class SyncCancelled:
    """`ctx.cancelled` of a plain function: `while not ctx.cancelled.wait(5): ...`"""

    def __init__(self) -> None:
        self._event = threading.Event()

    def is_set(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """True as soon as it is set, False when the time is over."""
        return self._event.wait(seconds)

    def set(self) -> None:
        self._event.set()


class Cancelled:
    """`ctx.cancelled` of an async function. Its `await`s are interrupted as well: this is for what must not be."""

    def __init__(self) -> None:
        self._is_set = False
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._lock = threading.Lock()

    def is_set(self) -> bool:
        return self._is_set

    async def wait(self) -> None:
        event = asyncio.Event()
        with self._lock:
            self._waiting.append((asyncio.get_running_loop(), event))
            if self._is_set:
                event.set()
        await event.wait()

    def set(self) -> None:
        """From any thread: a job that blocks its own event loop can still see it."""
        with self._lock:
            self._is_set = True
            waiting, self._waiting = self._waiting, []
        for loop, event in waiting:
            with contextlib.suppress(RuntimeError):  # its event loop is closed: nobody waits any more
                loop.call_soon_threadsafe(event.set)
