"""WB103: an upgrade changes a field that Kubernetes does not let anybody change: a selector, a claim, a role's name."""

from collections.abc import Sequence
from typing import Any

from watchbill.lifecycle.kube import immutable
from watchbill.lifecycle.objects import Key, Object
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.world import Live, Manifest
from watchbill.rules.differences import OF_THE_RELEASE, Difference, change, differences, listed
from watchbill.rules.fields import get, put
from watchbill.rules.mends import changed, renamed, without
from watchbill.rules.rule import Claim, Mend, Path, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.wb101_immutable_job import MOST_POINTERS
from watchbill.rules.wb102_forced_upgrade import is_forced
from watchbill.rules.words import named, short

# Deleted without its pods, it is made again by the upgrade and takes them over.
ORPHANED = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
SHRINKS = "field can not be less than status.capacity"
SIZE: Path = ("spec", "resources", "requests", "storage")
KEEPS_DATA = ("PersistentVolumeClaim", "PersistentVolume", "StatefulSet")


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or key.kind == "Job" or sighting.broke not in FAILURES:
        return None
    if SHRINKS in sighting.what:
        return _shrunk(sighting, key)
    live, wanted = sighting.before.objects.get(key), sighting.manifest(key)
    fields = _fields(key, sighting.what)
    if live is None or wanted is None or not fields:
        return None
    found = differences(live.body, wanted.body, *fields)
    if is_forced(sighting) and not found:
        return None  # nothing changes: it is the forcing that is refused, see WB102
    field = ".".join(map(str, fields[0]))
    return Claim(
        subject=key,
        title=f"{sighting.operation} fails: {field} of {named(key)} cannot be changed",
        because=f"{listed(found) or field} {change(found)}, and {field} of a {key.kind} cannot change after its creation",
        fix=_fix(sighting, key, field, found),
        mends=(*_kept(key, fields, live, wanted, found), renamed(key, f"{key.name}-2"), without(key)),
        path=fields[0],
        related=tuple(Pointer(key, one.path, f"{one.words} changes") for one in found[:MOST_POINTERS]),
    )


def _shrunk(sighting: Sighting, key: Key) -> Claim:
    """A claim may grow, and that is what going back from it comes to: whoever lets one grow knows."""
    back = sighting.move.verb == "rollback" or sighting.move.flags.atomic
    return Claim(
        subject=key,
        title=f"{sighting.operation} fails: {named(key)} cannot become smaller",
        because="a PersistentVolumeClaim can grow, but not shrink",
        fix="leave the size as it is; or create a smaller claim with another name and copy the data",
        mends=(changed(key, lambda thing: put(thing, SIZE, "1Ei")), without(key)),
        path=SIZE,
        severity=Severity.NOTE if back else Severity.ERROR,
    )


def _fields(key: Key, words: str) -> list[Path]:
    """Fields that the server names, and that no update may change."""
    return [
        tuple(rule.field.partition(" ")[0].split("."))
        for rule in immutable.RULES
        if rule.kind == key.kind and f"{rule.cause}: " in words and rule.words in words
    ]


def _fix(sighting: Sighting, key: Key, field: str, found: Sequence[Difference]) -> str:
    marks = [one.words for one in found if str(one.path[-1]) in OF_THE_RELEASE]
    take_out = f"take {', '.join(marks)} out of {field}" if marks else ""
    if take_out and sighting.changes:
        return f"{take_out}: it changes with every release"
    anew = f"give the {key.kind} a new name"
    if key.kind in KEEPS_DATA:
        anew += " (its data stays with the old one)"
    orphaned = " --cascade=orphan" if key.kind in ORPHANED else ""
    by_hand = f"kubectl delete {short(key)}{orphaned} before the upgrade"
    return f"leave {field} as it is, or {anew}; or {by_hand}{'; and ' + take_out if take_out else ''}"


def _kept(
    key: Key, fields: list[Path], live: Live, wanted: Manifest, found: Sequence[Difference]
) -> tuple[Mend, ...]:
    """Without what changes with every release, or as it was."""
    mends = []
    if any(str(one.path[-1]) in OF_THE_RELEASE for one in found):
        mends.append(changed(key, lambda thing: _unmarked(thing, fields[0])))
    old = live.body.object

    def kept(thing: Object) -> Object:
        for field in fields:
            thing = put(thing, field, get(old, field))
        return thing

    if wanted.body.api_version == live.body.api_version:
        mends.append(changed(key, kept))
    return tuple(mends)


def _unmarked(thing: Object, field: Path) -> Object:
    """The labels are taken out of the field alone: a pod may have more than its selector asks for."""

    def strip(value: Any) -> Any:
        if isinstance(value, list):
            return [strip(item) for item in value]
        if isinstance(value, dict):
            return {name: strip(inner) for name, inner in value.items() if name not in OF_THE_RELEASE}
        return value

    return put(thing, field, strip(get(thing, field)))


RULE = Rule(
    "WB103",
    "immutable-field",
    "an upgrade changes a field of an object other than a Job that cannot be changed",
    claim=_claim,
)
