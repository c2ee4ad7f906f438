"""Where two tools part: the same move in worlds that were alike, with another outcome."""

from collections import Counter
from typing import Literal, NamedTuple

from msgspec import Struct

from watchbill.checking.tabulating.reasons import reason
from watchbill.lifecycle.fates import RUNS_TO_COMPLETION, fate_of
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.properties import failed, refused
from watchbill.lifecycle.world import Live
from watchbill.rules.facts import FACTS

What = Literal["outcome", "runs", "remains", "ends"]
ORDER: tuple[What, ...] = ("outcome", "runs", "remains", "ends")  # the worst first

DOOMED = "doomed"  # the Job it waits for is fated not to end well: to fail or to hang is one reason


class Failure(NamedTuple):
    """That the operation fails on one side, at an object, and why in a word or two."""

    side: int
    key: Key | None
    why: str


class Parting(Struct, frozen=True):
    what: What  # the operation works or fails; Jobs run or do not; objects are there or not; Jobs end well or not
    objects: tuple[Key, ...]  # that it shows in; none where an operation fails at no object in particular
    failures: frozenset[Failure] = frozenset()
    facts: tuple[tuple[int, str], ...] = ()  # what no chart can change, and the side that fails because of it

    @property
    def fails(self) -> int:
        """The side on which the operation fails, where only one does."""
        assert self.what == "outcome"
        return next(iter(self.failures)).side

    @property
    def why(self) -> str:
        return next(iter(self.failures)).why if self.what == "outcome" else ""


def parting(one: Played, other: Played) -> Parting | None:
    """Nothing where they do the same. Words of errors are no difference: versions of one tool differ in them everywhere."""
    found = _difference(one, other)
    if found is None:
        return None
    what, objects = found
    sides = list(enumerate((one, other)))
    return Parting(
        what,
        tuple(sorted(objects)),
        frozenset(failure for side, played in sides if not played.ok for failure in _failures(side, played)),
        tuple((side, fact) for side, played in sides for words, fact in FACTS if words in played.error),
    )


def _difference(one: Played, other: Played) -> tuple[What, set[Key]] | None:
    if one.ok != other.ok:
        return "outcome", {failure.key for failure in _failures(0, one if other.ok else other) if failure.key}
    if different := _uneven(Counter(one.ran), Counter(other.ran)):
        return "runs", different
    if different := _there(one) ^ _there(other):
        return "remains", different
    if different := _unlike(_ends(one), _ends(other)):
        return "ends", different
    return None


def _failures(side: int, played: Played) -> list[Failure]:
    """At all objects that the operation gives as a reason, or at the one it failed at, or at none in particular."""
    why = reason(played.error).short
    if found := [Failure(side, offence.cause.key, why) for offence in refused(played)]:
        return found
    key = failed(played).cause.key
    doomed = key is not None and fate_of(key.kind, key.name, played.world.fates) != "succeed"
    return [Failure(side, key, DOOMED if doomed else why)]


def _uneven(one: Counter[Key], other: Counter[Key]) -> set[Key]:
    return {key for key in one.keys() | other.keys() if one[key] != other[key]}


def _unlike(one: dict[Key, tuple[str, ...]], other: dict[Key, tuple[str, ...]]) -> set[Key]:
    return {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}


def _there(played: Played) -> set[Key]:
    return {key for key, live in played.world.objects.items() if not live.terminating}


def _ends(played: Played) -> dict[Key, tuple[str, ...]]:
    """How each Job that is there or was deleted meanwhile has ended, one after the other."""
    found = dict[Key, list[str]]()
    for step in played.steps:
        if step.key is not None and step.deleted is not None:
            _add(found, step.key, step.deleted)
    for key, live in played.world.objects.items():
        _add(found, key, live)
    return {key: tuple(phases) for key, phases in found.items()}


def _add(found: dict[Key, list[str]], key: Key, live: Live) -> None:
    if live.run is not None and key.kind in RUNS_TO_COMPLETION:
        found.setdefault(key, []).append(live.run.phase)
