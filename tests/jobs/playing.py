"""Jobs of tests: declared, run, and what was told of them."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from watchbill.jobs.context import Context, SyncContext
from watchbill.jobs.declare import Collector, Job, collecting, job
from watchbill.jobs.events import Ended, Event, Logged, Progressed
from watchbill.jobs.moments import Pre
from watchbill.jobs.outcomes import Outcome
from watchbill.jobs.runner import run


class Played(NamedTuple):
    outcome: Outcome
    events: list[Event]

    @property
    def said(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Logged)]

    @property
    def progress(self) -> list[tuple[str, float | None]]:
        return [(event.text, event.fraction) for event in self.events if isinstance(event, Progressed)]


def declared(function: Callable[[Any], Any], component: str = "logging", **options: Any) -> Job:
    collector = Collector()
    token = collecting.set(collector)
    try:
        job(component, Pre, **{"until": "9.0.0", **options})(function)
    finally:
        collecting.reset(token)
    assert collector.mistakes == []
    return collector.jobs[0]


def context(job: Job, **facts: Any) -> Context | SyncContext:
    return Context(**facts) if job.is_async else SyncContext(**facts)


def play(
    function: Callable[[Any], Any],
    *,
    grace: float = 5,
    facts: dict[str, Any] | None = None,
    own_grace: str = "",
    **options: Any,
) -> Played:
    """To its end."""
    if own_grace:
        options["grace"] = own_grace
    job = declared(function, **options)
    events: list[Event] = []

    async def main() -> Outcome:
        return await run(job, context(job, **(facts or {})), grace=grace, tell=events.append)

    return Played(asyncio.run(main()), events)


def play_cancelled(
    function: Callable[[Any], Any], *, grace: float = 5, cancels: tuple[float, ...] = (0.1,), **options: Any
) -> Played:
    """Cancelled so many seconds after it began, perhaps again after some more. Who waits for it must hear of that, too."""
    begun = threading.Event()
    job = declared(_announcing(function, begun), **options)
    events: list[Event] = []

    async def main() -> Outcome:
        task = asyncio.create_task(run(job, context(job), grace=grace, tell=events.append))
        await asyncio.to_thread(begun.wait)
        for seconds in cancels:
            await asyncio.sleep(seconds)
            task.cancel()
        await asyncio.wait([task])
        assert task.cancelled(), "the cancellation did not go on"
        [outcome] = [event.outcome for event in events if isinstance(event, Ended)]
        return outcome

    return Played(asyncio.run(main()), events)


def _announcing(function: Callable[[Any], Any], begun: threading.Event) -> Callable[[Any], Any]:
    """The same function, which says when it begins."""

    @wraps(function)
    def plain_one(ctx: SyncContext) -> Any:
        begun.set()
        return function(ctx)

    @wraps(function)
    async def async_one(ctx: Context) -> Any:
        begun.set()
        return await function(ctx)

    return async_one if inspect.iscoroutinefunction(function) else plain_one
