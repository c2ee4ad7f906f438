"""What keeps a deploy from beginning, beyond the way between versions."""

from collections.abc import Iterable, Sequence

from watchbill.deploy.bill import Bill
from watchbill.deploy.outlook import Outlook
from watchbill.deploy.releases import PRODUCT, Release, label
from watchbill.errors import UserError
from watchbill.jobs.declare import Job
from watchbill.jobs.lint import outdated
from watchbill.jobs.registry import Registry
from watchbill.kube.rights import Right


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


def without_rights(missing: Sequence[Right], namespace: str) -> UserError | None:
    """A deploy that cannot write its own objects does not begin."""
    if not missing:
        return None
    return UserError(
        f"you may not write what a deploy keeps in namespace {namespace}",
        where="\n".join(f"you may not {right}" for right in missing),
        then="ask for these rights, or deploy as somebody who has them",
    )


def of_another_product(product: str, found: Iterable[Release]) -> UserError | None:
    """Two products with one release would overwrite each other."""
    lines, commands = [], []
    for release in found:
        theirs = release.last.labels.get(PRODUCT)
        if theirs and theirs != label(product):
            lines.append(f"release {release.namespace}/{release.name} belongs to product {theirs}")
            commands.append(
                f"  kubectl label {release.storage} --namespace {release.namespace} "
                f"--selector owner=helm,name={release.name} {PRODUCT}-"
            )
    if not lines:
        return None
    return UserError(
        f"{product} would take over what another product has deployed",
        where="\n".join(lines),
        then="\n".join(
            [
                "give the component another release or namespace; or, if it is handed over to this product:",
                *commands,
            ]
        ),
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
