"""What is wrong with jobs that load: those that should be gone, and timeouts that never come."""

from msgspec import Struct

from watchbill import durations
from watchbill.errors import UserError
from watchbill.jobs.declare import Job
from watchbill.jobs.places import Mistake, refusal
from watchbill.jobs.registry import Registry
from watchbill.versions import Version


class Problem(Struct, frozen=True):
    job: Job
    is_error: bool
    what: str
    then: str

    def __str__(self) -> str:
        return f"{self.job.place}: {self.what}"


def problems(registry: Registry, version: Version, *, timeout: float | None = None) -> list[Problem]:
    """In the order of files and lines. `timeout` is the bill's own."""
    found = [_outdated(job) for job in registry.outdated(version)]
    for job in registry:
        if timeout is not None and job.timeout is not None and job.timeout > timeout:
            what = (
                f"{job.identity} may take {durations.told(job.timeout)}, the deploy {durations.told(timeout)}"
            )
            found.append(Problem(job, False, what, "give the deploy more time, or the job less"))
    return sorted(found, key=lambda problem: problem.job.place)


def outdated(registry: Registry, version: Version) -> UserError | None:
    """Why this version cannot be deployed as long as these jobs are there."""
    found = [_outdated(job) for job in registry.outdated(version)]
    if not found:
        return None
    return refusal(Mistake(problem.job.place, problem.what, problem.then) for problem in found)


def _outdated(job: Job) -> Problem:
    then = "remove it; or, if it is still needed, say until when"
    return Problem(job, True, f"{job.identity} should be gone since {job.until}", then)
