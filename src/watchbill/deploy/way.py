"""The way through several versions: bills in the order in which they are deployed."""

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from watchbill import versions
from watchbill.errors import UserError
from watchbill.versions import Version


class Step(Protocol):
    """A bill, as far as the way depends on it."""

    @property
    def file(self) -> str: ...

    @property
    def product(self) -> str: ...

    @property
    def version(self) -> Version: ...

    @property
    def upgrades_from(self) -> tuple[Version, ...]: ...


AnyStep = TypeVar("AnyStep", bound=Step)


def through(
    bills: Sequence[AnyStep], installed: str, target: Version | None = None, *, under_way: str = ""
) -> list[AnyStep]:
    """The bills to deploy one after the other: to the target, or to the newest of them.

    `installed` and `under_way` are what the record says, as its `installed` and `target`. From nothing, one bill
    is enough; what was begun is finished first; what is installed already is deployed again.
    """
    by_version = _by_version(bills)
    goal = target or max(by_version, default=None)
    if goal is None:
        raise UserError("no bills found", then="name a folder with bills of the product")
    product = bills[0].product
    if goal not in by_version:
        raise UserError(f"no bill of {product} {goal}", then=f"found bills of {names(sorted(by_version))}")
    known, begun = (versions.parse(text) if text else None for text in (installed, under_way))
    begun = None if begun == known else begun
    now = begun or known
    if now is None:
        return [by_version[goal]]
    if begun and begun not in by_version:
        raise UserError(
            f"the deploy of {product} {begun} is incomplete, and no bill of {begun} was found",
            then=f"found bills of {names(sorted(by_version))}: add that of {begun}",
        )
    if goal < now:
        raise UserError(
            f"{product} cannot go back to {goal}: {now} is {'under way' if begun else 'installed'}",
            then="downgrades are not supported",
        )
    if goal == now:
        return [by_version[goal]]
    way = find_way(bills, now, goal)
    if not way:
        raise _gap(by_version, now, goal)
    return [by_version[begun], *way] if begun else way


def find_way(bills: Sequence[AnyStep], start: Version, goal: Version) -> list[AnyStep]:
    """The shortest way; of several, that over the latest versions. Empty: there is none."""
    by_version = {bill.version: bill for bill in bills}
    ways = {goal: [by_version[goal]]} if goal in by_version else {}
    edge = list(ways)
    while edge:
        further = []
        for version in edge:
            for before in sorted(by_version[version].upgrades_from, reverse=True):
                if before == start:
                    return ways[version]
                if before in by_version and before not in ways:
                    ways[before] = [by_version[before], *ways[version]]
                    further.append(before)
        edge = further
    return []


def names(found: Iterable[Version], last: str = "and") -> str:
    *most, end = map(str, found)
    return f"{', '.join(most)} {last} {end}" if most else end


def _by_version(bills: Sequence[AnyStep]) -> dict[Version, AnyStep]:
    found = dict[Version, AnyStep]()
    for bill in bills:
        for before in bill.upgrades_from:
            if before >= bill.version:
                raise UserError(
                    f"{bill.file}: {bill.version} upgrades from {before}, which is not older",
                    then="upgrades that lead in a circle have no order: correct upgradesFrom",
                )
        if bill.version in found:
            raise UserError(
                f"two bills are of {bill.product} {bill.version}",
                where=f"{found[bill.version].file}\n{bill.file}",
                then="leave one of them out",
            )
        found[bill.version] = bill
    return found


def _gap(by_version: dict[Version, AnyStep], start: Version, goal: Version) -> UserError:
    """Where the way from the start ends, and where the one to the goal begins."""
    forward = {start}
    for version in sorted(by_version):
        if forward.intersection(by_version[version].upgrades_from):
            forward.add(version)
    backward = {goal}
    for version in sorted(by_version, reverse=True):
        if version in backward:
            backward.update(by_version[version].upgrades_from)
    reached = max((version for version in forward if version < goal), default=start)
    missing = sorted(version for version in backward if version not in by_version and version > start)
    begins = sorted(version for version in backward if version in by_version)
    where = [
        f"{by_version[version].file}: {version} upgrades from "
        + (names(by_version[version].upgrades_from) if by_version[version].upgrades_from else "none")
        for version in begins
    ]
    then = (
        f"from {start} bills lead no further than {reached}"
        if reached != start
        else f"no bill upgrades from {start}"
    )
    if missing:
        then += f"\nadd the bill of {names(missing, 'or')}"
    return UserError(
        f"no bills lead from {by_version[goal].product} {start} to {goal}", where="\n".join(where), then=then
    )
