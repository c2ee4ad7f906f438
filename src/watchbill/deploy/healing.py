"""Releases that an interrupted helm left behind: helm itself refuses to touch them again.

What was ours is healed: rolled back where there is a revision that worked. A first install is not taken away unless
somebody asks for it, and then it is first said what goes with it. What is not ours is left alone.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from watchbill.deploy.losses import losses
from watchbill.deploy.record import Record, Verb, Work, Writer
from watchbill.deploy.releases import OPERATION, PRODUCT, Release, label
from watchbill.errors import UserError
from watchbill.helm.driver import Helm
from watchbill.helm.requests import Done, RollbackRequest, UninstallRequest
from watchbill.kube.client import Kube

Tell = Callable[[str], None]
Action = Literal["rollback", "uninstall", "refuse"]


class Healing(Struct, frozen=True):
    """What is to be done with one release."""

    release: Release
    action: Action
    what: str  # what was found
    then: str = ""  # where it is refused: the commands
    revision: int = 0  # where it is rolled back: to which


def decide(record: Record, release: Release, *, uninstall: bool = False) -> Healing | None:
    """None: nothing is interrupted. Only who holds the Lease may act on it: then who left it is dead or has ended."""
    if not release.is_interrupted:
        return None
    last = release.last
    name = f"release {release.namespace}/{release.name}"
    found = f"{name}: revision {last.number} is {last.status}{_since(release)}"
    work = record.working.get(f"{release.namespace}/{release.name}")
    if work is None or not _is_from(work, release):
        return Healing(
            release,
            "refuse",
            f"{found}, and was not left by a deploy of {record.product}: {_whose(release)}",
            _commands(release),
        )
    if release.status != "uninstalling" and (good := release.good):
        return Healing(
            release, "rollback", f"{found}, left by operation {work.operation}", revision=good.number
        )
    if uninstall:
        return Healing(release, "uninstall", f"{found}, left by operation {work.operation}")
    then = (
        "to take it away, with its volumes and hooks listed first: run this again with --heal=uninstall\n"
        f"to keep all it has made: kubectl delete {_stored(release)} --namespace {release.namespace}\n"
        "  then run this again: helm installs over what is there, and its install hooks run again"
    )
    return Healing(
        release, "refuse", f"{found}, left by operation {work.operation}; no revision has ever worked", then
    )


def refusal(healings: Sequence[Healing]) -> UserError | None:
    """One error for all that cannot be healed."""
    refused = [healing for healing in healings if healing.action == "refuse"]
    if not refused:
        return None
    if len(refused) == 1:
        return UserError(refused[0].what, then=refused[0].then)
    parts = "\n".join(f"{healing.what}\n{_indented(healing.then)}" for healing in refused)
    return UserError(f"{len(refused)} releases were left in the middle of something", where=parts)


async def heal(
    kube: Kube, helm: Helm, writer: Writer, healing: Healing, *, seconds: float, history_max: int, tell: Tell
) -> None:
    """A UserError if helm cannot; `seconds` is its --timeout. The record knows before and after: who is killed here is healed the next time."""
    release = healing.release
    tell(healing.what)
    if healing.action == "rollback":
        tell(f"rolls back {release.namespace}/{release.name} to revision {healing.revision}")
        asked = RollbackRequest(
            release=release.name,
            namespace=release.namespace,
            revision=healing.revision,
            timeout=seconds,
            history_max=history_max,
        )
        await _recorded(writer, release, "rollback")
        _expect(await helm.rollback(asked, tell=tell), release, "rolled back")
    elif healing.action == "uninstall":
        for line in await losses(kube, release):
            tell(line)
        tell(f"uninstalls {release.namespace}/{release.name}")
        taken = UninstallRequest(release=release.name, namespace=release.namespace, timeout=seconds)
        await _recorded(writer, release, "uninstall")
        _expect(await helm.uninstall(taken, tell=tell), release, "uninstalled")
    else:
        raise UserError(healing.what, then=healing.then)
    await writer.change(lambda record: record.ended(release.namespace, release.name))


async def _recorded(writer: Writer, release: Release, verb: Verb) -> None:
    await writer.change(
        lambda record: record.started(release.namespace, release.name, verb, release.last.number)
    )


def _expect(done: Done, release: Release, what: str) -> None:
    if not done.ok:
        raise UserError(
            f"release {release.namespace}/{release.name} could not be {what}",
            where=done.reason,
            then=_commands(release),
        )


def _is_from(work: Work, release: Release) -> bool:
    """Whether that work left the release as it is. The revision must fit: helm hands labels on to what others do later."""
    ahead = release.last.number - work.revision
    match release.status, work.verb:
        case "pending-install" | "pending-upgrade", "upgrade" | "atomic-upgrade":
            return ahead == 1 and _carries(release, work, work.revision + 1)
        case "pending-rollback", "atomic-upgrade":
            return ahead == 2 and _carries(release, work, work.revision + 1)
        case "pending-rollback", "rollback":
            return ahead == 1
        case "uninstalling", "uninstall":
            return ahead == 0
        # Uninstalling or rolling back had not begun when it was killed: what was to be healed is as it was.
        case _, "uninstall" | "rollback":
            return ahead == 0
    return False


def _carries(release: Release, work: Work, number: int) -> bool:
    operations = {each.number: each.labels.get(OPERATION) for each in release.revisions}
    return operations.get(number) == label(work.operation)


def _whose(release: Release) -> str:
    labels = release.last.labels
    if product := labels.get(PRODUCT):
        return f"its labels name product {product}, operation {labels.get(OPERATION, 'unknown')}, and it may be somebody's own helm on that"
    return "it has no label of a deploy, so it is somebody's own helm"


def _since(release: Release) -> str:
    """Return since when, by the labels that helm writes in seconds since 1970. The later one counts: helm copies
    `modifiedAt` of the revision before into a new one."""
    labels = release.last.labels
    times = [int(at) for key in ("createdAt", "modifiedAt") if (at := labels.get(key, "")).isdecimal()]
    if not times:
        return ""
    return dt.datetime.fromtimestamp(max(times), dt.UTC).strftime(" since %Y-%m-%dT%H:%M:%SZ")


def _commands(release: Release) -> str:
    place = f"--namespace {release.namespace}"
    if release.status != "uninstalling" and (good := release.good):
        return f"if nobody is at work on it: helm rollback {release.name} {good.number} {place}"
    return f"if nobody is at work on it, this takes away all that it has made: helm uninstall {release.name} {place}"


def _stored(release: Release) -> str:
    return f"{release.storage} {release.last.stored}"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
