"""What the history keeps of a deploy, made of how it went."""

from typing import TypeVar

from msgspec.structs import replace

from watchbill.deploy import history, holder
from watchbill.deploy.lease import held_by
from watchbill.deploy.result import Result
from watchbill.kube.client import Kube

Entry = TypeVar("Entry", bound=history.Summary)


async def true_ends(kube: Kube, namespace: str, found: list[Entry]) -> list[Entry]:
    """One that says it is running was killed if nobody is at work on it: the next deploy will write that down."""
    if not any(one.status == "running" for one in found):
        return found
    at_work = await held_by(kube, namespace, found[0].product)
    alive = at_work.operation if at_work and holder.state(at_work) not in ("dead", "ending") else ""
    return [
        replace(one, status="killed") if one.status == "running" and one.operation != alive else one
        for one in found
    ]


def told(entry: history.Deploy, result: Result) -> history.Deploy:
    """The entry that was made when it began, with its end."""
    return replace(
        entry,
        status=result.status,
        reason=result.reason or _first_reason(result),
        seconds=result.seconds,
        stages=tuple(history.StageEntry(one.stage, one.status, one.seconds) for one in result.stages),
        components=tuple(
            history.ComponentEntry(
                one.name,
                one.status,
                one.reason,
                one.seconds,
                one.chart.revision if one.chart else 0,
                (*one.chart.log, *one.chart.diagnosis) if one.chart else (),
            )
            for one in result.components
        ),
        jobs=tuple(
            history.JobEntry(
                one.identity,
                one.component or "",
                one.moment,
                one.status,
                one.reason,
                one.guide,
                one.seconds,
                one.log,
            )
            for one in result.jobs
        ),
    )


def _first_reason(result: Result) -> str:
    """Of what ran: what was never begun has its reason in that."""
    if result.missing:
        return f"the version is not complete: {', '.join(result.missing)} not deployed yet"
    for job in result.jobs:
        if not job.is_good and job.component is None:
            return f"{job.moment} job {job.identity}: {job.reason}"
    begun = (one for one in result.components if not one.is_good and one.status != "not-started")
    return next((one.reason for one in begun), "")
