"""`retry`: tries again, for who wants it. A deploy never does so by itself."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar, overload

from watchbill import durations
from watchbill.jobs.context import Context, SyncContext
from watchbill.jobs.outcomes import Abort, Manual, Skip

Result = TypeVar("Result")
Kinds = type[Exception] | tuple[type[Exception], ...]


@overload
def retry(
    ctx: Context,
    what: Callable[[], Awaitable[Result]],
    *,
    attempts: int = 5,
    wait: str = "1s",
    longest: str = "30s",
    on: Kinds = Exception,
) -> Awaitable[Result]: ...
@overload
def retry(
    ctx: SyncContext,
    what: Callable[[], Result],
    *,
    attempts: int = 5,
    wait: str = "1s",
    longest: str = "30s",
    on: Kinds = Exception,
) -> Result: ...
def retry(
    ctx: Context | SyncContext,
    what: Callable[[], Any],
    *,
    attempts: int = 5,
    wait: str = "1s",
    longest: str = "30s",
    on: Kinds = Exception,
) -> Any:
    """What `what` returns, as soon as it does not raise one of `on`; the last error after so many attempts. Waits in
    between, twice as long each time, and no longer when the job shall stop. Skip, Abort and Manual are answers, which
    are not asked for again."""
    attempt = _Attempts(ctx, attempts, list(_waits(attempts, wait, longest)))
    if isinstance(ctx, SyncContext):
        return _in_thread(ctx, what, attempt, on)
    return _in_loop(what, attempt, on)


class _Attempts:
    """Which attempt this is, and how long to wait for the next."""

    def __init__(self, ctx: Context | SyncContext, attempts: int, waits: list[float]) -> None:
        self._ctx = ctx
        self._attempts = attempts
        self._waits = waits

    def next_in(self, error: Exception) -> float:
        """Seconds; raises the error if it was the last attempt, or is not to be repeated."""
        if isinstance(error, Skip | Abort | Manual) or not self._waits or self._ctx.cancelled.is_set():
            raise error
        this = self._attempts - len(self._waits)
        seconds = self._waits.pop(0)
        self._ctx.log.warning(
            "attempt %d of %d: %s: %s; again in %.1f s",
            this,
            self._attempts,
            type(error).__name__,
            error,
            seconds,
        )
        return seconds


async def _in_loop(what: Callable[[], Awaitable[Result]], attempts: _Attempts, on: Kinds) -> Result:
    while True:
        try:
            return await what()
        except on as error:
            seconds = attempts.next_in(error)
        await asyncio.sleep(seconds)


def _in_thread(ctx: SyncContext, what: Callable[[], Result], attempts: _Attempts, on: Kinds) -> Result:
    while True:
        try:
            return what()
        except on as error:
            failure = error
        if ctx.cancelled.wait(attempts.next_in(failure)):
            raise failure


def _waits(attempts: int, first: str, longest: str) -> Iterator[float]:
    """A little different each time, so that many jobs do not come back at once."""
    seconds, most = _seconds("wait", first), _seconds("longest", longest)
    if attempts < 1:
        raise ValueError(f"attempts must be at least 1, and is {attempts}")
    for power in range(attempts - 1):
        yield min(seconds * 2.0**power, most) * random.uniform(0.8, 1.0)  # noqa: S311  (not for secrets)


def _seconds(key: str, text: str) -> float:
    seconds = durations.seconds(text)
    if seconds is None:
        raise ValueError(f'{key} cannot be {text!r}: write a duration like {key}="2s"')
    return seconds
