"""Where two tools part: the same move in worlds that were alike, with another outcome."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.properties import failed, refused
from watchbill.lifecycle.world import Live

What = Literal["outcome", "runs", "remains", "ends"]


class Parting(Struct, frozen=True):
    what: What  # the operation works or fails; Jobs run or do not; objects are there or not; Jobs end well or not
    objects: tuple[Key, ...]  # that it shows in; none where an operation fails at no object in particular
    fails: int = -1  # the side on which the operation fails, where only one does


def parting(one: Played, other: Played) -> Parting | None:
    """Nothing where they do the same. Words of errors are no difference: versions of one tool differ in them everywhere."""
    if one.ok != other.ok:
        loser = one if other.ok else other
        return Parting("outcome", _sorted(_culprits(loser)), int(one.ok))
    runs = [Counter(played.ran) for played in (one, other)]
    if different := _uneven(*runs):
        return Parting("runs", _sorted(different))
    there = [_there(played) for played in (one, other)]
    if different := there[0] ^ there[1]:
        return Parting("remains", _sorted(different))
    ends = [_ends(played) for played in (one, other)]
    if different := {key for key in ends[0].keys() | ends[1].keys() if ends[0].get(key) != ends[1].get(key)}:
        return Parting("ends", _sorted(different))
    return None


def _culprits(played: Played) -> Iterator[Key]:
    """All objects that the operation gives as a reason to fail, or the one it failed at."""
    offences = [*refused(played)] or [failed(played)]
    yield from {offence.cause.key for offence in offences if offence.cause.key is not None}


def _uneven(one: Counter[Key], other: Counter[Key]) -> set[Key]:
    return {key for key in one.keys() | other.keys() if one[key] != other[key]}


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


def _sorted(keys: Iterable[Key]) -> tuple[Key, ...]:
    return tuple(sorted(keys))
