"""All jobs of a bill."""

from collections.abc import Iterator, Sequence

from watchbill.errors import UserError
from watchbill.jobs.declare import Job
from watchbill.jobs.moments import Moment
from watchbill.versions import Version


class Registry:
    """In the order of their declaration."""

    def __init__(self, jobs: Sequence[Job] = ()) -> None:
        self._jobs = tuple(jobs)

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs)

    def __len__(self) -> int:
        return len(self._jobs)

    def of(self, component: str | None, moment: Moment) -> tuple[Job, ...]:
        """None: the global ones."""
        return tuple(job for job in self._jobs if job.component == component and job.moment == moment)

    def named(self, name: str) -> Job:
        """By its identity, or by its name where no other job is called so."""
        for job in self._jobs:
            if job.identity == name:
                return job
        found = [job for job in self._jobs if job.name == name]
        if len(found) == 1:
            return found[0]
        if found:
            choice = " or ".join(job.identity for job in found)
            raise UserError(f"{len(found)} jobs are called {name!r}", then=f"say which: {choice}")
        raise UserError(f"unknown job {name!r}", then=self._suggestion(name))

    def outdated(self, version: Version) -> tuple[Job, ...]:
        """Return those that must not be in this version any more. A release candidate counts as its release, so that the
        refusal does not wait for the day of the release."""
        reached = max(version, version.release)
        return tuple(job for job in self._jobs if job.until and job.until <= reached)

    def _suggestion(self, name: str) -> str:
        from difflib import get_close_matches  # for who mistypes alone

        known = {told: job.identity for job in self._jobs for told in (job.name, job.identity)}
        close = get_close_matches(name, list(known), n=1)
        if close:
            return f"did you mean {known[close[0]]}?"
        return "`watchbill jobs list` shows all of them" if self._jobs else "the bill names no jobs"
