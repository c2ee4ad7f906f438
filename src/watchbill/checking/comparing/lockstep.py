"""Two tools on one chart, move by move: every short path is walked with both, and ends where they part.

Breadth first, and equal pairs of worlds are one. Nothing depends on time or on hashes.
"""

from collections.abc import Hashable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from watchbill.checking.comparing.parting import Parting, parting
from watchbill.lifecycle.explore import jobs_at_stake, sees_revisions
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move, parse
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.sketch import sketch
from watchbill.lifecycle.stage import Stage
from watchbill.lifecycle.world import World

# What each tool calls the operations of a life. kubectl keeps no revisions to go back to.
VERBS = {
    "helm": {"install": "install", "upgrade": "upgrade", "rollback": "rollback", "uninstall": "uninstall"},
    "kubectl": {"install": "apply", "upgrade": "apply", "uninstall": "delete"},
}
FAULTS = ("fail", "hang")
MOST_PATHS = 5_000

Moves = tuple[Move, Move]  # the same thing, as each side calls it
Plays = tuple[Played, Played]


class Spot(Struct, frozen=True):
    """Two worlds that are alike as far as anybody can tell, and how they were reached."""

    worlds: tuple[World, World] = (World(), World())
    trace: tuple[Moves, ...] = ()
    version: int = 0  # that was last asked for
    faulted: bool = False


class Parted(Struct, frozen=True):
    """A path to where two sides part: at its last move."""

    parting: Parting
    trace: tuple[Moves, ...]


class Lockstep:
    """Two sides, and what was compared on the way. Only paths that come to version `since` tell anything."""

    def __init__(
        self, stages: tuple[Stage, Stage], *, since: int = 0, faults: Sequence[str] = FAULTS
    ) -> None:
        self.paths = 0
        self._parted: dict[Hashable, Parted] = {}
        self.alike: list[Spot] = []  # all that were played on from
        self._stages = stages
        self._since = since
        self._faults = faults
        self._seen = set[tuple[int, int, int, bool]]()

    @property
    def parted(self) -> list[Parted]:
        """One path for each way in which they part at one kind of operation: the shortest."""
        return list(self._parted.values())

    @property
    def is_cut(self) -> bool:
        """Whether there are more paths than anybody waits for."""
        return self.paths >= MOST_PATHS

    def walk(self, start: Spot, depth: int) -> None:
        """All paths of so many operations from there, with at most one fault on each."""
        one, other = (stage.known(world) for stage, world in zip(self._stages, start.worlds, strict=True))
        frontier = [replace(start, worlds=(one, other))]
        for _ in range(depth):
            reached = list[Spot]()
            for spot in frontier:
                if self.is_cut:
                    return
                self.alike.append(spot)
                for name, version in self._operations(spot):
                    reached += self._operate(spot, name, version)
            frontier = reached

    def follow(self, trace: Sequence[Moves]) -> None:
        """One path, from nothing."""
        self._compare(Spot(), trace)

    def _operate(self, spot: Spot, name: str, version: int) -> Iterator[Spot]:
        """Where an operation leads, without a fault and with each that can befall it."""
        moves = self.moves(name, version)
        worked = self._compare(spot, (moves,))
        if worked is None:
            return
        after, plays = worked
        yield from self._new(replace(after, version=version))
        if spot.faulted or not all(played.ok for played in plays):
            return
        for job in jobs_at_stake(spot.worlds[0], plays[0]):
            for fault in self._faults:
                yield from self._disturb(spot, moves, f"{fault} {job.name}", f"succeed {job.name}")

    def _disturb(self, spot: Spot, moves: Moves, fault: str, end: str) -> Iterator[Spot]:
        """The same operation with a Job that does not end well; later it does. What hangs may go on hanging."""
        begun = self._compare(spot, (self._happening(fault), moves))
        if begun is None:
            return
        hanging = replace(begun[0], version=moves[0].version, faulted=True)
        if fault.startswith("hang"):
            yield from self._new(hanging)
        over = self._compare(hanging, (self._happening(end),))
        if over is not None:
            yield from self._new(over[0])

    def _compare(self, spot: Spot, path: Sequence[Moves]) -> tuple[Spot, Plays] | None:
        """The worlds after it, and what came of the last move; nothing where they part."""
        for moves in path:
            plays = (
                self._stages[0].play(spot.worlds[0], moves[0]),
                self._stages[1].play(spot.worlds[1], moves[1]),
            )
            spot = replace(spot, worlds=(plays[0].world, plays[1].world), trace=(*spot.trace, moves))
            self.paths += moves[0].of_tool
            if (found := parting(*plays)) is not None:
                self._part(found, spot)
                return None
        return spot, plays

    def _part(self, found: Parting, spot: Spot) -> None:
        if comes_to(self._since, spot.trace):
            # A fault on the way may hide that it goes without one, too.
            way = found, spot.trace[-1][0].verb, spot.faulted
            self._parted.setdefault(way, Parted(found, spot.trace))

    def _new(self, spot: Spot) -> Iterator[Spot]:
        """Unless such a pair was reached before, and without a fault if this one has none."""
        # The stages keep their worlds, and equal ones are the same.
        state = (id(spot.worlds[0]), id(spot.worlds[1]), spot.version)
        if (*state, False) not in self._seen and (*state, spot.faulted) not in self._seen:
            self._seen.add((*state, spot.faulted))
            yield spot

    def _operations(self, spot: Spot) -> Iterator[tuple[str, int]]:
        """What one would ask both tools for: no rollback without a revision, no second install."""
        sides = list(zip(self._stages, spot.worlds, strict=True))
        if not any(_is_installed(stage.lab, world) for stage, world in sides):
            yield "install", 0
            return
        yield "upgrade", spot.version
        if spot.version + 1 < len(self._stages[0].lab.versions):
            yield "upgrade", spot.version + 1
        if all(_can_go_back(stage.lab, world) for stage, world in sides):
            yield "rollback", spot.version
        yield "uninstall", spot.version

    def moves(self, name: str, version: int) -> Moves:
        """An operation in the words of each tool."""
        one, other = (stage.lab.tool.name for stage in self._stages)
        return _move(VERBS[one][name], one, version), _move(VERBS[other][name], other, version)

    def _happening(self, text: str) -> Moves:
        one, other = (stage.lab.tool.name for stage in self._stages)
        return _move(text, one), _move(text, other)


def comes_to(version: int, trace: Sequence[Moves]) -> bool:
    """Whether the release that is there has come to this version: one that was uninstalled is forgotten."""
    installs = [place for place, (one, other) in enumerate(trace) if "install" in (one.verb, other.verb)]
    life = trace[installs[-1] :] if installs else trace
    return any(moves[0].version >= version for moves in life if moves[0].of_tool)


def exploring_stage(lab: Lab) -> Stage:
    numbers = sees_revisions(lab)
    return Stage(lab, lambda world: sketch(world, numbers=numbers, whole=False))


def _move(text: str, tool: str, version: int = 0) -> Move:
    return replace(parse(text, tool), version=version)


def _is_installed(lab: Lab, world: World) -> bool:
    return bool(world.history(lab.release) if lab.tool.name == "helm" else world.objects)


def _can_go_back(lab: Lab, world: World) -> bool:
    history = world.history(lab.release)
    return "rollback" in VERBS[lab.tool.name] and any(
        known.revision == history[-1].revision - 1 for known in history
    )
