"""Paths on which two tools part, played again: what they show, and which of them show the same thing."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from msgspec import Struct

from watchbill.checking.comparing.lockstep import Moves
from watchbill.checking.comparing.parting import ORDER, Parting
from watchbill.checking.result import Fact, Which
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.play import Played, play
from watchbill.lifecycle.world import World
from watchbill.rules.sighting import FAULTS, HARMLESS, operation


class Field(Struct, frozen=True):
    """Where two tools play: labs of the same versions."""

    labs: tuple[Lab, Lab]
    versions: tuple[Which, ...]  # what those are to the person who reads
    since: int = 0  # paths that come to no such version say nothing of the one that is compared
    changes: tuple[str, ...] = ()  # what makes the next one differ, where it is made up
    profile: str = ""  # the values file; empty: the chart's own values


class Seen(Struct, frozen=True, dict=True):
    field: Field
    parting: Parting
    trace: tuple[Moves, ...]  # they part at the last
    handed_over: int = 0  # after so many moves the second tool goes on with the first one's release; 0: never
    scenario: str = ""  # the named path that shows it

    def lab(self, side: int, place: int) -> Lab:
        """What a move is played with on this side."""
        taken_over = self.handed_over and place >= self.handed_over
        return self.field.labs[1] if taken_over else self.field.labs[side]

    @cached_property
    def plays(self) -> tuple[tuple[Played, ...], tuple[Played, ...]]:
        return tuple(self._played(0)), tuple(self._played(1))

    def _played(self, side: int) -> Iterator[Played]:
        world = World()
        for place, moves in enumerate(self.trace):
            played = play(world, moves[side], self.lab(side, place))
            world = played.world
            yield played

    @property
    def told(self) -> int:
        """The side in whose words moves are told: Helm's say more than kubectl's."""
        return int(self.field.labs[0].tool.name != "helm")

    @cached_property
    def operation(self) -> str:
        """The last move as the subject of a sentence: `the image upgrade`, `the retry`."""
        return operation(self.plays[self.told], self.field.changes)

    @property
    def facts(self) -> Iterator[Fact]:
        """What no chart can change, where that is why a side fails."""
        for side, text in self.parting.facts:
            yield Fact(text, (str(self.lab(side, len(self.trace) - 1).tool),))

    @property
    def plainness(self) -> tuple[int, bool, int, int, bool]:
        """What makes the best evidence: the shortest, without a fault, the worst, without flags, the plainest change."""
        moves = [pair[self.told] for pair in self.trace]
        flags = {flag for move in moves for flag in move.given} - HARMLESS
        faulted = any(move.verb in FAULTS or move.dies_after for move in moves)
        length, badness = sum(move.of_tool for move in moves), ORDER.index(self.parting.what)
        return length, faulted, badness, len(flags), "image" not in self.field.changes

    def shows_the_same(self, other: "Seen") -> bool:
        """Whether both have one root."""
        if bool(self.handed_over) != bool(other.handed_over):
            return False
        one, two = self.parting, other.parting
        if one.what != two.what:
            # What a failure keeps from happening is no difference of its own where the other side fails as well.
            return "outcome" in (one.what, two.what) and bool(one.failures & two.failures)
        shared = bool(set(one.objects) & set(two.objects))
        if one.what != "outcome":
            return shared
        same_operation = self.trace[-1][self.told].verb == other.trace[-1][other.told].verb
        if (one.fails, one.why) != (two.fails, two.why):
            return False
        # A tool names the first object that it fails at, which may be another one in another world.
        return (
            (shared or same_operation)
            if one.why
            else same_operation and (shared or one.objects == two.objects)
        )


def groups(seen: Iterable[Seen]) -> list[list[Seen]]:
    """One a root, the best evidence first in each, and the shortest path first of all."""
    found: list[list[Seen]] = []
    for one in sorted(seen, key=lambda one: one.plainness):
        group = next((group for group in found if any(map(one.shows_the_same, group))), None)
        if group is None:
            found.append([one])
        else:
            group.append(one)
    return found
