"""Would it help? A change of the chart is tried where the violation was seen: the same moves, played again."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from watchbill.lifecycle.folding import killing
from watchbill.lifecycle.lab import Lab, ReleaseName, Versions
from watchbill.lifecycle.moves import Move
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.properties import FAILURES, Violation
from watchbill.lifecycle.scenarios import retrace, stage_for
from watchbill.lifecycle.world import Manifest, Rendered, World
from watchbill.rules.look import Look, look
from watchbill.rules.rule import Claim, Mend, Rule
from watchbill.rules.sighting import Sighting

MOST_KILLS = 40


class Mended:
    """Versions with a change in them, from the one on that is checked."""

    def __init__(self, versions: Versions, mend: Mend, since: int) -> None:
        self._versions = versions
        self._mend = mend
        self._since = since
        self._known: dict[int, tuple[Rendered, Rendered]] = {}

    def __len__(self) -> int:
        return len(self._versions)

    def render(
        self, version: int, release: ReleaseName, *, upgrade: bool, revision: int, world: World
    ) -> Rendered:
        full = self._versions.render(version, release, upgrade=upgrade, revision=revision, world=world)
        if version < self._since or full.error:
            return full
        known = self._known.get(id(full))
        if known is None:
            # Together with what it was made of, or another could come to have its id.
            known = self._known[id(full)] = (full, self._mend(full))
        return known[1]


def can_be_mended(claim: Claim, sighting: Sighting, since: int) -> bool:
    """Whether one of the claim's changes makes it go away, and breaks nothing on the same path."""
    return first_helpful(claim, sighting, since) is not None


def first_helpful(claim: Claim, sighting: Sighting, since: int) -> Mend | None:
    """The first of the claim's changes that makes it go away, and breaks nothing on the same path."""
    return next(
        (mend for mend in claim.mends if is_avoided(sighting, mended(sighting.lab, mend, since))), None
    )


def is_avoided(sighting: Sighting, lab: Lab) -> bool:
    """Whether the same moves in another lab neither show it nor fail where they worked."""
    failed_before = [not played.ok for played in sighting.plays]
    stage = stage_for(lab)
    for trace in _variants(sighting):
        plays, violations = retrace(stage, trace)
        if any(_same(sighting.violation, after) for after in violations):
            return False
        if _worse(plays, failed_before, violations):
            return False
    return True


def can_be_unsaid(rule: Rule, claim: Claim, seen: Look, since: int) -> bool:
    """The same for what one look shows."""
    assert rule.inspect is not None
    return any(
        not any(
            (again.subject, again.cause) == (claim.subject, claim.cause)
            for again in rule.inspect(_mended_look(seen, mend, since))
        )
        for mend in claim.mends
    )


def mended(lab: Lab, mend: Mend, since: int) -> Lab:
    """The lab with a change in its versions, from the one on that is checked."""
    return replace(lab, versions=Mended(lab.versions, mend, since))


def _mended_look(seen: Look, mend: Mend, since: int) -> Look:
    lab = mended(seen.lab, mend, since)
    documents = Rendered(tuple(Manifest(one.key, one.body, one.path) for one in seen.dropped))
    kept = {manifest.key for manifest in mend(documents).manifests}
    dropped = tuple(one for one in seen.dropped if one.key in kept)
    return look(lab, seen.checked, dropped, seen.volatile, seen.kubernetes)


def _same(violation: Violation, after: Violation) -> bool:
    if violation.property in FAILURES and after.property in FAILURES:
        # Another object that is refused too has its own violation, and its own mend.
        return len(after.trace) == len(violation.trace) and after.cause.key in (violation.cause.key, None)
    # A version before the mended one may show the same, earlier; and one object may break a property in two ways.
    same_place = len(after.trace) == len(violation.trace)
    return same_place and (after.property, after.cause) == (violation.property, violation.cause)


def _worse(plays: Sequence[Played], failed_before: Sequence[bool], violations: Sequence[Violation]) -> bool:
    """An operation fails that worked, and no fault excuses it."""
    blamed = {len(one.trace) for one in violations if one.property in FAILURES}
    return any(
        not played.ok and not failed and number in blamed
        for number, (played, failed) in enumerate(zip(plays, failed_before, strict=False), 1)
    )


def _variants(sighting: Sighting) -> Iterator[tuple[Move, ...]]:
    """With a change in the chart its writes are others: a client that is killed may be so at each of them."""
    trace = sighting.violation.trace
    place = next((place for place, move in enumerate(trace) if move.dies_after), None)
    if place is None:
        yield trace
        return
    for writes in range(1, min(len(sighting.plays[place].steps) + 3, MOST_KILLS)):
        move = replace(trace[place], dies_after=writes, text=killing(trace[place], writes))
        yield (*trace[:place], move, *trace[place + 1 :])
