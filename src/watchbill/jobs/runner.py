"""Runs one job to its end, whatever it does."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Any

from watchbill import durations
from watchbill.jobs import output
from watchbill.jobs.context import Context, SyncContext
from watchbill.jobs.declare import Job
from watchbill.jobs.events import TRACE, Ended, Started, Tell
from watchbill.jobs.failures import Failure
from watchbill.jobs.logbook import Logbook
from watchbill.jobs.outcomes import Outcome, Status
from watchbill.jobs.plain import paragraph
from watchbill.jobs.threads import Work

SECONDS_TO_DRAIN = 1.0


async def run(job: Job, context: Context | SyncContext, *, grace: float, tell: Tell) -> Outcome:
    """Never raises for what the job does. If who waits for it is cancelled, the job is told to stop, its end is told
    as any other, and the cancellation goes on. A second cancellation waits no longer."""
    return await _Run(job, context, job.grace if job.grace is not None else grace, tell).outcome()


class _Run:
    def __init__(self, job: Job, context: Context | SyncContext, grace: float, tell: Tell) -> None:
        if job.is_async == isinstance(context, SyncContext):
            wanted = Context if job.is_async else SyncContext
            raise TypeError(f"{job.identity} needs a {wanted.__name__}")
        self._job = job
        self._context = context
        self._grace = grace
        self._tell = tell
        self._book = Logbook(job.identity, asyncio.get_running_loop(), tell)
        self._interrupted: asyncio.CancelledError | None = None

    async def outcome(self) -> Outcome:
        with output.listening(self._book):
            self._work = Work(self._job.identity, self._job.function, self._context)
            outcome = await self._outcome()
        self._tell(Ended(outcome))
        if self._interrupted:
            raise self._interrupted
        return outcome

    async def _outcome(self) -> Outcome:
        started, clock = datetime.now(UTC), time.monotonic()
        self._tell(Started(self._job.identity, started))
        self._context.attach(self._book.logger, self._book.progress, self._grace)
        self._work.start()
        await self._wait(self._work.ended, self._job.timeout)
        stopped: Status | None = None
        over = time.monotonic() + self._grace
        if not self._work.ended.done():
            stopped = "cancelled" if self._interrupted else "timed-out"
            self._work.stop()
            await self._wait(self._work.ended, self._grace)
        if self._work.ended.done():
            await self._wait(self._work.gone, max(1.0, over - time.monotonic()))
        status, reason, guide = self._end(stopped)
        await self._wait(output.drained(), SECONDS_TO_DRAIN)
        return Outcome(
            identity=self._job.identity,
            component=self._job.component,
            moment=self._job.moment,
            status=status,
            started=started,
            seconds=time.monotonic() - clock,
            reason=paragraph(reason),
            guide=paragraph(guide),
            log=self._book.take(),
        )

    async def _wait(self, future: "asyncio.Future[Any]", seconds: float | None) -> None:
        """No longer than until somebody wants it to stop."""
        try:
            await asyncio.wait([future], timeout=seconds)
        except asyncio.CancelledError as error:
            self._interrupted = error

    def _end(self, stopped: Status | None) -> tuple[Status, str, str]:
        """Status, reason and guide."""
        if not self._work.ended.done():
            return (
                "abandoned",
                f"{self._why(stopped)}; it did not stop within {durations.told(self._grace)}",
                "",
            )
        error = self._work.ended.result()
        failure = None if error is None else Failure(error, self._job.place.file)
        if failure and not (stopped and isinstance(failure.error, asyncio.CancelledError)):
            for line in failure.lines():
                self._book.write(line, TRACE)
        if stopped:
            status, reason, guide = stopped, self._why(stopped) + _meanwhile(failure), ""
        elif failure:
            status, reason, guide = failure.status, failure.reason, failure.guide
        else:
            status, reason, guide = "done", "", ""
        if not self._work.gone.done():
            return (
                "abandoned",
                "; ".join(filter(None, [reason, "something that it started is still running"])),
                guide,
            )
        return status, reason, guide

    def _why(self, stopped: Status | None) -> str:
        if stopped == "cancelled":
            return "cancelled"
        within = f"it did not end within {durations.told(self._job.timeout or 0)}"
        return f"{within}: {self._context.obstacle}" if self._context.obstacle else within


def _meanwhile(failure: Failure | None) -> str:
    """Whether the work was done nobody can know: it was told to stop, and has ended."""
    if failure is None:
        return "; it returned when it was told to stop"
    if isinstance(failure.error, asyncio.CancelledError):
        return ""
    return f"; when it was told to stop: {failure.reason}"
