"""WB603: the migration succeeded, the rest failed and was rolled back: the old application runs on the new schema."""

from msgspec.structs import replace

from watchbill.lifecycle.objects import Object
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.skew import ROLLBACK, SAFE
from watchbill.lifecycle.world import Hook
from watchbill.rules.fields import put
from watchbill.rules.mends import changed, rehooked, without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.TOGETHER:
        return None
    return Claim(
        subject=key,
        title=f"a rolled back upgrade leaves the work of {named(key)}: the old version runs on it",
        because="the Job of the new version has run when the roll-out fails, and no hook of a rollback undoes it",
        fix="make the migration compatible with the old version (expand first, contract later) and declare it with "
        f"{ROLLBACK}: {SAFE}; or undo it in a post-rollback hook",
        mends=(rehooked(key, _undone), changed(key, _declared), without(key)),
        severity=Severity.WARNING,
    )


def _undone(hook: Hook) -> Hook:
    return replace(hook, events=(*hook.events, "post-rollback"))


def _declared(thing: Object) -> Object:
    return put(thing, ("metadata", "annotations", ROLLBACK), SAFE)


RULE = Rule(
    "WB603",
    "reverse-skew",
    "an upgrade is rolled back after its migration has succeeded: the old version runs on the result",
    claim=_claim,
)
