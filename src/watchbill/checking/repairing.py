"""Repairs charts that cannot be installed, so that one refused object does not hide what happens after the install.

The repair is the first change that a rule proposes and that helps. It is tried in every version that is played.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from watchbill.checking.findings import claimed
from watchbill.checking.grounds import Change, Ground
from watchbill.checking.mending import first_helpful, mended
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import to_the_next
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.scenarios import retrace, stage_for
from watchbill.lifecycle.world import Rendered
from watchbill.rules.rule import Mend
from watchbill.rules.sighting import Sighting

MOST_ROUNDS = 8  # an object may have several fields that are refused, one after the other
HOLD_OTHERS = frozenset({"CustomResourceDefinition", "Namespace"})


def repair(ground: Ground) -> Ground | None:
    """Return the ground with the objects repaired that keep it from being installed.

    None if it can be installed as it is, or if no repair is known.
    """
    for _ in range(MOST_ROUNDS):
        failures = _failed_installs(ground)
        if not failures:
            return ground if ground.repaired else None
        for failure in failures:
            found = _find_repair(failure)
            if found is None:
                return None
            ground = _repaired(ground, *found)
    return None


def _failed_installs(ground: Ground) -> Sequence[Sighting]:
    install, _ = to_the_next(ground.tool.name)
    for lab in (ground.life, ground.alone):
        plays, violations = retrace(stage_for(lab), (install,))
        failed = [Sighting(one, lab, walked=plays) for one in violations if one.property in FAILURES]
        if failed:
            return failed
    return ()


def _find_repair(failure: Sighting) -> tuple[Key, Mend] | None:
    """The object to repair, and how: the tool's error does not always name it, but the rule does."""
    said = claimed(failure)
    if said is None:
        return None
    claim = said[1]
    mend = first_helpful(claim, failure, 0)
    if mend is None or _removes_needed_objects(mend, failure.rendered):
        return None
    return claim.subject, mend


def _removes_needed_objects(mend: Mend, rendered: Rendered) -> bool:
    """Whether others cannot do without an object that the change removes: they would fail for want of it."""
    kept = list(mend(rendered).everything())
    removed = _keys(rendered) - {one.key for one in kept}
    needed = {key for one in kept for key in needs(one.body, one.key.namespace)}
    return any(key in needed or key.kind in HOLD_OTHERS for key in removed)


def _keys(rendered: Rendered) -> set[Key]:
    return {one.key for one in rendered.everything()}


def _repaired(ground: Ground, key: Key, mend: Mend) -> Ground:
    alone = mended(ground.alone, mend, 0)
    return replace(
        ground,
        alone=alone,
        life=alone if ground.life is ground.alone else mended(ground.life, mend, 0),
        trials=tuple(_repaired_trials(ground.trials, mend)),
        repaired=tuple(dict.fromkeys((*ground.repaired, key))),
    )


def _repaired_trials(trials: Iterable[Change], mend: Mend) -> Iterable[Change]:
    def lab_of(change: Change) -> Lab:
        return mended(change.lab, mend, 0)

    return (Change(change.kind, partial(lab_of, change)) for change in trials)
