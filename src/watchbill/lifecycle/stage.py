"""Moves played with a memory: what was played in an equal world is not played again."""

from collections.abc import Callable, Hashable
from typing import Any

from msgspec.structs import replace

from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move
from watchbill.lifecycle.play import Played, play
from watchbill.lifecycle.world import World

# Objects in the worlds of all remembered steps, roughly: what is remembered takes some fifty megabytes at most.
ROOM = 1_000_000


class Stage:
    def __init__(self, lab: Lab, sketch: Callable[[World], Hashable]) -> None:
        self.lab = lab
        self.played = 0
        self._sketch = sketch
        self._worlds: dict[Hashable, World] = {}
        self._plays: dict[tuple[int, str, int], tuple[World, Played]] = {}
        self._taken = 0
        # What others have to say about what is remembered here, by its id and whatever else it depends on.
        self.notes: dict[tuple[int, Hashable], Any] = {}

    @property
    def worlds(self) -> int:
        return len(self._worlds)

    def known(self, world: World) -> World:
        """The one that stands for all worlds with the same sketch."""
        return self._worlds.setdefault(self._sketch(world), world)

    def play(self, world: World, move: Move, *, onwards: bool = True) -> Played:
        """A move is known by its words and its version; a world by being the same one.

        `onwards`: somebody may play on from the world it leads to.
        """
        which = (id(world), move.text, move.version)
        remembered = self._plays.get(which)
        if remembered is not None and remembered[0] is world:
            return remembered[1]
        self.played += 1
        played = play(world, move, self.lab)
        if onwards and (known := self.known(played.world)) is not played.world:
            played = replace(played, world=known)
        self.remember(world, played)
        return played

    def remember(self, world: World, played: Played) -> None:
        """What a move leads to from this very world, wherever it was played."""
        self._taken += len(played.steps) * len(played.world.objects) + 1
        if self._taken > ROOM:
            self._plays.clear()
            self.notes.clear()
            self._taken = 0
        self._plays[id(world), played.move.text, played.move.version] = (world, played)
