"""WB104: with a longer release name the name of an object is longer than Kubernetes takes."""

from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial

from msgspec.structs import replace

from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import play
from watchbill.lifecycle.properties import FAILURES, refused
from watchbill.lifecycle.scenarios import LONGEST_NAME
from watchbill.lifecycle.world import Rendered, World
from watchbill.rules.mends import renamed, without
from watchbill.rules.rule import Claim, Mend, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

# A Job's name becomes the value of a label of its pods; a CronJob adds eleven characters for each Job it makes.
LIMITS = {"Job": 63, "CronJob": 52, "Service": 63}
FIX = (
    'leave room for the suffix: truncate what comes before it (| trunc N | trimSuffix "-"), '
    "so that the whole fits into 63 characters, for the name of a CronJob into 52"
)
USUAL = 40  # so long are names that pipelines put together

Place = tuple[str, str, int]  # template, kind, and which of them


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke not in FAILURES:
        return None
    limit = LIMITS.get(key.kind, 253)
    too_long = len(key.name) > limit
    if sighting.move.release == LONGEST_NAME:
        return _from_some_length_on(sighting, key, limit, too_long)
    if not too_long:
        return None
    return Claim(
        subject=key,
        title=f"{sighting.operation} fails: the name of {named(key)} is too long",
        because=f"its name has {len(key.name)} characters; the limit for a {key.kind} is {limit}",
        fix=FIX,
        mends=(_shortened(key.kind, limit), without(key)),
        path=("metadata", "name"),
    )


def _from_some_length_on(sighting: Sighting, key: Key, limit: int, too_long: bool) -> Claim:
    more = len(key.name) - len(LONGEST_NAME)
    place = next((place for place, one in _places(sighting, LONGEST_NAME).items() if one == key), None)
    if too_long and place is not None:
        length = _shortest(partial(_length, sighting, place), limit)
    else:
        length = _bisected(lambda length: _is_refused(sighting, place, LONGEST_NAME[:length]))
    subject = _places(sighting, "").get(place, key) if place is not None else key
    what = f"its name is {more} characters longer than the release's; the limit for a {key.kind} is {limit}"
    if not too_long:
        what = f"it carries the release's name where that is too long: {sighting.what.rpartition(': ')[2].rstrip(']')}"
    operation = "uninstall" if sighting.move.verb == "uninstall" else f"the {sighting.move.verb}"
    return Claim(
        subject=subject,
        title=f"{operation} fails with a release name of {length} characters or more: {named(subject)}",
        because=what,
        fix=FIX,
        mends=(_shortened(key.kind, limit), without(key)),
        path=("metadata", "name") if too_long else (),
        severity=Severity.WARNING if length <= USUAL else Severity.NOTE,
        release_name_length=length,
    )


def _shortest(measure: Callable[[int], int], limit: int) -> int:
    """The length of a release name from which on the object's is too long: rendered, since templates may cut names in
    their own ways. Mostly they do not: a letter less there is a letter less here."""
    works, fails = 0, len(LONGEST_NAME)
    length = fails - (measure(fails) - limit)
    while works < length < fails:
        found = measure(length)
        if found == limit:
            return length + 1
        if found < limit:
            works = length
        else:
            fails, length = length, length - (found - limit)
    return _bisected(lambda length: measure(length) > limit, works, fails)


def _bisected(is_too_long: Callable[[int], bool], works: int = 0, fails: int = len(LONGEST_NAME)) -> int:
    """The shortest one, between one that works and one that fails."""
    while fails - works > 1:
        length = (works + fails) // 2
        if is_too_long(length):
            fails = length
        else:
            works = length
    return fails


def _length(sighting: Sighting, place: Place, length: int) -> int:
    """Of the name that the object of this place has with a release name of that length."""
    found = _places(sighting, LONGEST_NAME[:length]).get(place)
    return len(found.name) if found is not None else 0


def _is_refused(sighting: Sighting, place: Place | None, name: str) -> bool:
    """Whether the moves fail at the object of this place; others of the chart may be refused from another length on."""
    keys = _refused_keys(sighting.lab, sighting.violation.trace, name)
    return keys is not None and (place is None or not keys or _places(sighting, name).get(place) in keys)


# A long name is too long for many objects of a chart: they ask for the same lengths.
@lru_cache(32)
def _refused_keys(lab: Lab, trace: tuple[Move, ...], name: str) -> frozenset[Key | None] | None:
    """Return what the moves fail at with a release of this name; None if they work."""
    world = World()
    for move in trace:
        played = play(world, replace(move, release=name), lab)
        if not played.ok:
            return frozenset(offence.cause.key for offence in refused(played))
        world = played.world
    return None


def _places(sighting: Sighting, name: str) -> dict[Place, Key]:
    """The objects of a release of this name by template and kind, in order: where one of another name has the same."""
    return _places_of(sighting.lab, sighting.move.version, sighting.move.verb != "install", name)


@lru_cache(32)
def _places_of(lab: Lab, version: int, upgrade: bool, name: str) -> dict[Place, Key]:
    rendered = lab.versions.render(
        version, lab.named(name), upgrade=upgrade, revision=1 + upgrade, world=World()
    )
    seen = Counter[tuple[str, str]]()
    found = {}
    for manifest in rendered.everything():
        which = (manifest.path, manifest.key.kind)
        found[(*which, seen[which])] = manifest.key
        seen[which] += 1
    return found


def _shortened(kind: str, limit: int) -> Mend:
    def mend(rendered: Rendered) -> Rendered:
        for manifest in rendered.everything():
            key = manifest.key
            if key.kind == kind and len(key.name) > limit:
                rendered = renamed(key, key.name[-limit:].strip("-."))(rendered)
        return rendered

    return mend


RULE = Rule(
    "WB104",
    "long-name",
    "a long release name makes the name of an object too long, and Kubernetes refuses it",
    rows=(32, 33),
    claim=_claim,
    joins_objects=True,
)
