"""All that can happen to a release within a few moves: every sequence is played, equal worlds are one.

Breadth first, and at each distance first what goes without a fault, so the first trace that shows something is
the shortest and the plainest. Nothing depends on time or on hashes: two runs find the same, in the same order.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle.attempts import ending
from watchbill.lifecycle.client import Step
from watchbill.lifecycle.fates import fate_of
from watchbill.lifecycle.folding import REVISIONS, Unforeseen, fold, killing, unfold
from watchbill.lifecycle.judges import judge
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move, parse
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played, cut_off, is_job
from watchbill.lifecycle.properties import (
    CLEAN,
    FAILURES,
    Cause,
    Offence,
    Past,
    Property,
    Scene,
    Violation,
    failed,
)
from watchbill.lifecycle.scenarios import retrace
from watchbill.lifecycle.separating import jobs_apart, separate
from watchbill.lifecycle.sketch import sketch
from watchbill.lifecycle.stage import Stage
from watchbill.lifecycle.world import World

T = TypeVar("T")
Kills = Callable[[Step], bool]

MOST_WORLDS = 20_000
# What fails without any fault is known to fail; that it does so after one too says nothing new.
AFTER_A_FAULT = (Property.RETRIES, Property.RECOVERS)


class Explored(Struct, frozen=True):
    violations: tuple[Violation, ...]  # in the order in which they were found: the shortest traces first
    worlds: int  # that are different
    played: int  # operations
    cut: bool  # there were more worlds than may be kept; what is found is right, but not all there is
    folded: frozenset[Key] = frozenset()


def explore(
    lab: Lab,
    depth: int = 3,
    *,
    most: int = MOST_WORLDS,
    neighbour: str = "",
    folding: bool = True,
    merging: bool = True,
    separating: bool = True,
    kills: Kills = lambda _: True,
) -> Explored:
    """Everything that goes wrong within so many moves after the install, with at most one fault.

    `neighbour`: the name of a second release of the same versions, which is installed and upgraded too.
    `kills`: after which writes a client may be killed.
    Without `folding` and `separating` and with less `merging` the same is found, later.
    """
    explorer = partial(_Explorer, depth=depth, most=most, neighbour=neighbour, merging=merging)
    if folding and not neighbour:
        folded, inert = fold(lab)
        stage = Stage(lab, id)  # traces begin alike
        try:
            if (jobs := jobs_apart(folded) if separating else None) is not None:
                whole = explorer(folded, kills=kills, doomed=jobs.examples.__contains__).run()
                failing = _failing(whole)
                if None not in failing:
                    each = [
                        explorer(one.lab, kills=lambda _: False, doomed=one.names.__contains__).run()
                        for one in separate(folded, jobs, failing)
                    ]
                    return _joined(_unfolded(whole, stage, inert), each, stage, inert)
            if inert:
                return _unfolded(explorer(folded, kills=kills).run(), stage, inert)
        except Unforeseen:
            pass
    return explorer(lab, kills=kills).run()


def _unfolded(found: Explored, stage: Stage, inert: frozenset[Key]) -> Explored:
    violations = []
    for violation in found.violations:
        trace, step = unfold(violation.trace, stage, inert, violation.step)
        violations.append(replace(violation, trace=trace, step=step))
    return replace(found, violations=tuple(violations), folded=inert)


def _failing(found: Explored) -> set[Key | None]:
    """Return what makes operations fail without any fault; None for what cannot even be installed."""
    return {
        violation.cause.key if len(violation.trace) > 1 else None
        for violation in found.violations
        if violation.property in FAILURES and not _has_fault(violation.trace)
    }


def _joined(whole: Explored, each: Sequence[Explored], stage: Stage, inert: frozenset[Key]) -> Explored:
    """Return what was found with all Jobs and no fault in any, and what a fault in each alone shows that is also found
    with all of them there."""
    known = {(one.property, one.cause) for one in whole.violations}
    more = list[Violation]()
    for found in each:
        for violation in found.violations:
            which = (violation.property, violation.cause)
            if which not in known and (shown := _shown(stage, violation)) is not None:
                known.add(which)
                more.append(shown)
    return Explored(
        tuple(sorted([*whole.violations, *more], key=lambda one: len(one.trace))),
        whole.worlds + sum(found.worlds for found in each),
        whole.played + sum(found.played for found in each),
        whole.cut or any(found.cut for found in each),
        inert,
    )


def _shown(stage: Stage, violation: Violation) -> Violation | None:
    """Return the violation as the same trace shows it in another lab; None if it does not."""
    plays, violations = retrace(stage, violation.trace)
    if violation.property is Property.RETURNS:
        operation = next(played for played in reversed(plays) if played.move.of_tool)
        is_stuck = _trouble(replace(operation, world=plays[-1].world)) == violation.cause
        return violation if is_stuck else None
    which = (violation.property, violation.cause)
    return next((one for one in violations if (one.property, one.cause) == which), None)


class _Node(Struct, frozen=True):
    """How a world was reached: enough to play it again."""

    parent: int
    moves: tuple[Move, ...]


class _Spot(Struct, frozen=True):
    """A world from which is played on."""

    node: int
    world: World
    versions: tuple[int, ...]  # which one each release was last asked to have
    past: Past
    trouble: Cause | None = None  # what failed on the way here: can one get out again?


class _Explorer:
    def __init__(
        self,
        lab: Lab,
        depth: int,
        *,
        most: int,
        neighbour: str,
        merging: bool,
        kills: Kills,
        doomed: Callable[[Key], bool] = lambda _: True,
    ) -> None:
        """`doomed`: which Jobs may fail, hang or be late."""
        self.kills = kills
        self.doomed = doomed
        self.lab = lab
        self.depth = depth
        self.most = most
        self.releases = (lab.release, neighbour) if neighbour else (lab.release,)
        numbers = sees_revisions(lab)
        self.stage = Stage(lab, lambda world: sketch(world, numbers=numbers, whole=not merging))
        self.nodes: list[_Node] = []
        self.seen: set[Hashable] = set()
        self.violations: dict[tuple[Property, Cause], Violation] = {}
        self.found: list[Violation] = []
        self.cut = False
        self.next: list[_Spot] = []
        self.last = False  # nobody plays on from where this round leads
        self._moves: dict[tuple[str, int], Move] = {}

    def run(self) -> Explored:
        start = _Spot(-1, World(), tuple(0 for _ in self.releases), CLEAN)
        frontier = [start]
        for distance in range(self.depth + 1):
            self.next = []
            self.last = distance == self.depth
            clean = [spot for spot in frontier if spot.past == CLEAN]
            worked = [
                (spot, move, played) for spot in self._kept(clean) for move, played in self._operate(spot)
            ]
            for spot, move, played in self._kept(worked):
                self._disturb(spot, move, played)
            del worked, clean
            for spot in self._kept([spot for spot in frontier if spot.past != CLEAN]):
                self._operate(spot)
            frontier = self.next
        found = tuple(self.found)
        return Explored(found, self.stage.worlds, self.stage.played, self.cut)

    def _kept(self, things: Sequence[T]) -> Iterator[T]:
        """One after the other, until there are as many worlds as may be kept: then it is over."""
        for thing in things:
            if self.stage.worlds >= self.most:
                self.cut = True
                return
            yield thing

    def _operate(self, spot: _Spot) -> list[tuple[Move, Played]]:
        """Every move that makes sense here, without a new fault; gives those that worked."""
        worked, back, children = [], False, len(self.next)
        for move in self._of_releases(spot):
            if spot.past.broken and (back or spot.trouble is None):
                break  # nothing is judged any more, but whether there is a way back
            played = self.stage.play(spot.world, move, onwards=not self.last)
            back = back or (played.ok and played.release is not None and played.release.status == "deployed")
            if spot.past.broken:
                continue
            scene = Scene(self.lab, spot.world, played, spot.past, _held_up(spot.world, played))
            self._judge(spot, (move,), scene)
            if played.ok:
                worked.append((move, played))
                past = Past(faulted=True) if spot.past.faulted else CLEAN
            else:
                past = spot.past if scene.excused else replace(spot.past, broken=True)
            self._arrive(spot, (move,), played, past)
        if not self.last:
            for seconds in _timers(spot.world):
                waiting = self._move(f"wait {seconds}s")
                self._arrive(spot, (waiting,), self.stage.play(spot.world, waiting), spot.past)
        if spot.trouble is not None and not back:
            self._report(spot, (), Offence(Property.RETURNS, spot.trouble))
            # Whatever fails from here on is no more stuck than this.
            self.next[children:] = [replace(child, trouble=None) for child in self.next[children:]]
        return worked

    def _disturb(self, spot: _Spot, move: Move, played: Played) -> None:
        """The same move again, once with each fault that can befall it."""
        for job in filter(self.doomed, jobs_at_stake(spot.world, played)):
            for fate in ("fail", "hang", "late"):
                if not self._doom(spot, move, job, fate) and fate == "hang":
                    break  # nobody waits for it: to be late is to be in time
        if self.last:
            return
        for writes in range(1, len(played.steps)):
            if not self.kills(played.steps[writes - 1]):
                continue
            killed = replace(move, dies_after=writes, text=killing(move, writes))
            cut = cut_off(killed, played.steps, self.lab)
            cut = replace(cut, world=self.stage.known(cut.world))
            self._arrive(spot, (killed,), cut, Past(faulted=True, failed=move))

    def _doom(self, spot: _Spot, move: Move, job: Key, fate: str) -> bool:
        """Whether it made a difference to the operation."""
        dooming = self._move(f"{fate} {job.name}")
        doomed = self.stage.play(spot.world, dooming).world
        played = self.stage.play(doomed, move, onwards=not self.last)
        moves: tuple[Move, ...] = (dooming, move)
        self._judge(spot, moves, Scene(self.lab, doomed, played, spot.past, excused=True))
        if self.last:
            return not played.ok
        past = Past(faulted=True)
        if not played.ok:
            past = Past(faulted=True, failed=move, job=job if fate == "fail" else None)
        after = played
        if fate != "hang":  # what hangs goes on hanging; the others are over
            over = self._move(f"succeed {job.name}")
            moves = (*moves, over)
            after = replace(played, world=self.stage.play(played.world, over).world)
        self._arrive(spot, moves, after, past)
        return not played.ok

    def _of_releases(self, spot: _Spot) -> Iterator[Move]:
        for number, release in enumerate(self.releases):
            yield from self._of_release(spot, release, number)

    def _of_release(self, spot: _Spot, release: str, number: int) -> Iterator[Move]:
        """What one would ask the tool for: no rollback without a revision, no second install."""
        version = spot.versions[number]
        neighbour = number > 0
        if self.lab.tool.name == "kubectl":
            verbs = ["apply", "delete"] if spot.world.objects else ["apply"]
        else:
            history = spot.world.history(release)
            if not history:
                verbs = ["install"]
            else:
                before = history[-1].revision - 1
                back = not neighbour and any(known.revision == before for known in history)
                verbs = ["upgrade", *(["rollback"] if back else []), "uninstall"]
        for verb in verbs:
            text = f"release {release} {verb}" if neighbour else verb
            yield self._move(text, 0 if verb == "install" else version)
            if verb in ("upgrade", "apply") and spot.node >= 0 and version + 1 < len(self.lab.versions):
                yield self._move(text, version + 1)

    def _move(self, text: str, version: int = 0) -> Move:
        move = self._moves.get((text, version))
        if move is None:
            move = replace(parse(text, self.lab.tool.name), version=version)
            self._moves[(text, version)] = move
        return move

    def _arrive(self, spot: _Spot, moves: tuple[Move, ...], played: Played, past: Past) -> None:
        """A world to play on from, unless it was reached before: with nothing wrong, or with the same."""
        if self.last:
            return
        versions = spot.versions
        if played.move.of_tool:
            own = self.releases.index(played.move.release or self.lab.release)
            versions = (*versions[:own], played.move.version, *versions[own + 1 :])
        state = (id(played.world), versions)  # the stage keeps it, and equal ones are the same
        if (state, CLEAN) in self.seen or (state, past) in self.seen:
            return
        self.seen.add((state, past))
        self.nodes.append(_Node(spot.node, moves))
        self.next.append(_Spot(len(self.nodes) - 1, played.world, versions, past, _trouble(played)))

    def _judge(self, spot: _Spot, moves: tuple[Move, ...], scene: Scene) -> None:
        for offence in judge(scene):
            self._report(spot, moves, offence)

    def _report(self, spot: _Spot, moves: tuple[Move, ...], offence: Offence) -> None:
        """What a fault shows early may show without one later: then it is seen both ways."""
        known = self.violations.get((offence.property, offence.cause))
        if known is not None and (spot.past.faulted or not _has_fault(known.trace)):
            return
        if offence.property in AFTER_A_FAULT and any(
            (other, offence.cause) in self.violations for other in (Property.WORKS, *AFTER_A_FAULT)
        ):
            return
        trace = (*self._trace(spot.node), *moves)
        if known is not None and _has_fault(trace):
            return
        violation = Violation(offence.property, offence.cause, offence.step, trace)
        self.violations[(offence.property, offence.cause)] = violation
        self.found.append(violation)

    def _trace(self, node: int) -> tuple[Move, ...]:
        moves: list[Move] = []
        while node >= 0:
            moves[:0] = self.nodes[node].moves
            node = self.nodes[node].parent
        return tuple(moves)


def words(move: Move) -> str:
    """A move as people read it in a trace."""
    return f"{move.text} v{move.version + 1}" if move.verb in ("install", "upgrade", "apply") else move.text


def sees_revisions(lab: Lab) -> bool:
    """Whether its templates render the number of a revision."""
    for version in range(len(lab.versions)):
        one, other = (
            lab.versions.render(version, lab.named(""), upgrade=True, revision=revision, world=World())
            for revision in REVISIONS
        )
        if one != other:
            return True
    return False


def _has_fault(trace: Sequence[Move]) -> bool:
    return any(move.dies_after or move.fate != "succeed" for move in trace)


def jobs_at_stake(world: World, played: Played) -> list[Key]:
    """Jobs whose fate is decided in this operation; one whose name is made up by the server cannot be meant."""
    unfinished = (
        key for key, live in world.objects.items() if live.run and not live.run.finished and is_job(key)
    )
    return [key for key in dict.fromkeys([*played.ran, *unfinished]) if key.name]


def _held_up(world: World, played: Played) -> bool:
    """Whether it failed because of a Job that still hangs."""
    if played.ok or not world.fates:
        return False
    failure = failed(played)
    key = failure.cause.key
    if key is None or not failure.step or played.steps[failure.step - 1].refused:
        return False
    return fate_of(key.kind, key.name, world.fates) != "succeed"


def _trouble(played: Played) -> Cause | None:
    """What keeps a release from being deployed; a fault that still holds is none that one has to get out of."""
    release = played.release
    if played.ok or release is None or release.status == "deployed":
        return None
    if any(fate != "succeed" for _, fate in played.world.fates):
        return None
    cause = failed(played).cause
    return cause if cause.key is None else Cause(cause.key, f"{release.status}: {cause.what}")


def _timers(world: World) -> list[int]:
    """The first and the last moment at which time alone changes something."""
    found = set[int]()
    for live in world.objects.values():
        run = live.run
        if run is None:
            continue
        if run.expires_in is not None:
            found.add(run.expires_in)
        ended = ending(live.body)
        if ended is not None and not run.finished and run.phase != "suspended":
            found.add(ended.after - run.running_for)
    return sorted({min(found), max(found)}) if found else []
