"""What keeps a deploy from beginning, beyond the way between versions."""

from collections.abc import Sequence

from watchbill.deploy.bill import Bill
from watchbill.deploy.outlook import Outlook
from watchbill.errors import UserError
from watchbill.jobs.declare import Job
from watchbill.jobs.lint import outdated
from watchbill.jobs.registry import Registry


def refusals(
    bill: Bill, registry: Registry, jobs: Sequence[Job], outlook: Outlook, settled: Sequence[Job]
) -> list[UserError]:
    """`settled` are jobs of which the person says whether they shall run again."""
    found = (outdated(registry, bill.version), lacking(outlook), unsure(jobs, outlook, settled))
    return [refusal for refusal in found if refusal is not None]


def lacking(outlook: Outlook) -> UserError | None:
    if not outlook.lacks:
        return None
    return UserError(
        "you may not do what jobs of this deploy must do",
        where="\n".join(map(str, outlook.lacks)),
        then="ask for these rights, or deploy as somebody who has them",
    )


def unsure(jobs: Sequence[Job], outlook: Outlook, settled: Sequence[Job]) -> UserError | None:
    """A second run of what must run once is a person's decision."""
    found = [job for job in outlook.maybe_ran(jobs) if job not in settled]
    if not found:
        return None
    lines, known = [], outlook.record.once
    for job in found:
        once = known[job.identity]
        lines.append(f"{job.place}: job {job.identity}, begun at {once.at} for {once.version}")
    [name, *_] = (job.identity for job in found)
    return UserError(
        f"{_count(found)} maybe ran: it must run once, and nobody saw how it ended",
        where="\n".join(lines),
        then=f"look whether it did its work; then: --rerun {name} to run it again, or --done {name} if it did",
    )


def _count(jobs: Sequence[Job]) -> str:
    return f"job {jobs[0].identity}" if len(jobs) == 1 else f"{len(jobs)} jobs"
