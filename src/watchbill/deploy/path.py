"""From which version to which a deploy may go: forward, one step at a time, and what was begun is finished first."""

from collections.abc import Sequence
from typing import Literal, Protocol

from msgspec import Struct

from watchbill import versions
from watchbill.deploy.way import Step, find_way, names
from watchbill.errors import UserError
from watchbill.versions import Version

Kind = Literal["first", "same", "upgrade", "resume", "back"]


class Recorded(Protocol):
    """What the cluster remembers of a product, as far as the way depends on it. Empty: there is none."""

    @property
    def installed(self) -> str: ...  # the last version that was deployed as a whole

    @property
    def target(self) -> str: ...  # another one: its deploy began and is not complete

    @property
    def done(self) -> tuple[str, ...]: ...  # components that are of the target already


class Hop(Struct, frozen=True):
    """One step that is allowed.

    In `back` (from a part of B to A) the record goes on naming B as its target until A is complete: what is there
    is a mixture of both until then.
    """

    from_: str  # empty: from nothing
    to: str
    kind: Kind
    warning: str = ""  # what the person should hear before it begins


def decide(
    record: Recorded | None,
    bill: Step,
    *,
    back: bool = False,
    abandon: str = "",
    known: Sequence[Step] = (),
) -> Hop:
    """The step to this bill, or a refusal. `known` are other bills of the product: they tell what lies between.

    `abandon` is a version that was begun and is given up: the step is then the one from what was installed before it."""
    to = bill.version
    installed, under_way = state(record)
    given_up = versions.parse(abandon) if abandon else None
    # The same command again finds the version that it gave up replaced already.
    if given_up is not None and (given_up == under_way or to not in (installed, under_way)):
        return _instead_of(given_up, record, bill, known)
    if under_way is not None:
        assert record is not None
        return _after_a_part(installed, under_way, record.done, bill, back=back, known=known)
    if installed is None:
        return Hop("", to.text, "first")
    if installed == to:
        return Hop(installed.text, to.text, "same")
    if installed in bill.upgrades_from:
        return Hop(installed.text, to.text, "upgrade")
    if to < installed:
        raise _older(bill, installed, back=back)
    raise _too_far(bill, installed, known)


def _instead_of(given_up: Version, record: Recorded | None, bill: Step, known: Sequence[Step]) -> Hop:
    installed, under_way = state(record)
    if record is None or under_way != given_up:
        then = f"--abandon {under_way}" if under_way else "leave --abandon out: no deploy was left incomplete"
        raise UserError(f"{bill.product} {given_up} cannot be abandoned: it is not under way", then=then)
    if bill.version == given_up:
        raise UserError(
            f"{bill.file} is the bill of {given_up}, which is to be abandoned",
            then=f"name the bill of another version; to finish {given_up}, leave --abandon out",
        )
    if bill.version == installed:
        raise UserError(
            f"{bill.product} {installed} was installed before {given_up} was begun",
            then="to go back to it, use --back instead of --abandon",
        )
    hop = decide(_Before(record.installed), bill, known=known)
    so_far = f"done so far: {', '.join(record.done)}" if record.done else "none of its components is done"
    return Hop(
        hop.from_,
        hop.to,
        hop.kind,
        warning=f"{bill.product} {given_up} is given up ({so_far}). {bill.version} is deployed over what is there of it: "
        f"what its jobs changed stays as they left it, and so do releases that {bill.version} does not have.",
    )


class _Before(Struct, frozen=True):
    """The record without what was begun last."""

    installed: str
    target: str = ""
    done: tuple[str, ...] = ()


def state(record: Recorded | None) -> tuple[Version | None, Version | None]:
    """What is installed as a whole, and which other version was begun; None for what is not."""
    installed = versions.parse(record.installed) if record and record.installed else None
    target = versions.parse(record.target) if record and record.target else None
    return installed, None if target == installed else target


def _after_a_part(
    installed: Version | None,
    begun: Version,
    done: tuple[str, ...],
    bill: Step,
    *,
    back: bool,
    known: Sequence[Step],
) -> Hop:
    so_far = f"{len(done)} of its components done: {', '.join(done[:10])}{', …' if len(done) > 10 else ''}"
    so_far = so_far if done else "none of its components done"
    before = installed.text if installed else ""
    if bill.version == begun:
        return Hop(before, begun.text, "resume")
    if bill.version == installed and back:
        return Hop(
            begun.text,
            bill.version.text,
            "back",
            warning=f"{bill.product} {begun} is there in part ({so_far}). {bill.version} is deployed over it: what "
            f"jobs of {begun} changed stays as they left it.",
        )
    file = next((step.file for step in known if step.version == begun), "")
    then = [f"finish {begun} first: watchbill deploy {file or f'FILE, with the bill of {begun}'}"]
    if bill.version == installed:
        then.append(f"or go back to {installed}: --back deploys it over what is there of {begun}")
    elif installed is None and back:
        then.append("--back has nothing to go back to: nothing was installed before")
    elif installed is not None:
        then.append(f"or go back to {installed}: with its bill and --back")
    if installed is None or installed in bill.upgrades_from:
        then.append(
            f"or give {begun} up, and deploy {bill.version} over what is there of it: --abandon {begun}"
        )
    raise UserError(
        f"{bill.product} cannot go to {bill.version}: the deploy of {begun} is not complete",
        where=f"{f'from {installed} to {begun}' if installed else f'first install of {begun}'}, {so_far}",
        then="\n".join(then),
    )


def _older(bill: Step, installed: Version, *, back: bool) -> UserError:
    then = f"downgrades are not supported: deploy {installed} or a later version"
    if back:
        then = f"--back is for a deploy that is not complete, and that of {installed} is\n{then}"
    return UserError(
        f"{bill.product} cannot go back to {bill.version}: {installed} is installed",
        where=bill.file,
        then=then,
    )


def _too_far(bill: Step, installed: Version, known: Sequence[Step]) -> UserError:
    allowed = (
        f"it upgrades from {names(bill.upgrades_from)}"
        if bill.upgrades_from
        else "it is a first version: it upgrades from none"
    )
    others = [step for step in known if step.version != bill.version]
    between = sorted({step.version for step in others if installed < step.version < bill.version})
    way = find_way([*others, bill], installed, bill.version)
    if way:
        then = "\n".join(
            [
                f"{' → '.join(map(str, (installed, *(step.version for step in way))))} is the way; deploy them one after the other:",
                *(f"  watchbill deploy {step.file}" for step in way),
                "or all of them with --through and their folder",
            ]
        )
    elif between:
        then = (
            f"{names(between)} lie between, but no upgrade leads from {installed} over them to {bill.version}"
        )
    elif bill.upgrades_from:
        then = f"deploy {names(bill.upgrades_from, 'or')} first, or name the folder of all bills: --through FOLDER"
    else:
        then = f"say under upgradesFrom that it upgrades from {installed}, if it does"
    return UserError(
        f"{bill.product} cannot go from {installed} to {bill.version}",
        where=f"{bill.file}: {allowed}",
        then=then,
    )
