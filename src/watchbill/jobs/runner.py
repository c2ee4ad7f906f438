"""Runs one job to its end, whatever it does: in a thread of its own that nobody has to wait for."""

from watchbill.jobs.context import Context, SyncContext
from watchbill.jobs.declare import Job
from watchbill.jobs.events import Tell
from watchbill.jobs.outcomes import Outcome


async def run(job: Job, context: Context | SyncContext, *, grace: float, tell: Tell) -> Outcome:
    """Never raises for what the job does. If who waits for it is cancelled, the job is told to stop, its end is told
    as any other, and the cancellation goes on."""
    raise NotImplementedError
