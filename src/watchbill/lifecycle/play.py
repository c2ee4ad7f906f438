"""One move in one world: what the tool says, what it wrote, and the world when everything has settled."""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from watchbill.lifecycle import happenings
from watchbill.lifecycle.client import Client, Step
from watchbill.lifecycle.helm import command
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.settling import settle
from watchbill.lifecycle.world import Release, World


class Played(Struct, frozen=True):
    move: Move
    world: World  # afterwards
    steps: tuple[Step, ...] = ()
    error: str = ""  # in the tool's words
    killed: bool = False  # it had no time for words
    release: Release | None = None  # its last revision, if there is one

    @property
    def ok(self) -> bool:
        return not self.error and not self.killed

    @property
    def ran(self) -> tuple[Key, ...]:
        """The Jobs that were created, in order; one that was created twice is there twice."""
        return tuple(step.key for step in self.steps if step.created and step.key and is_job(step.key))


def is_job(key: Key) -> bool:
    return key.kind == "Job" and key.group == "batch"


def play(world: World, move: Move, lab: Lab) -> Played:
    if not move.of_tool:
        after, error = happenings.happen(world, move, lab)
        return Played(move, settle(after, lab.cluster), error=error, release=_last(after, lab.release))
    release = lab.named(move.release)
    render = partial(lab.versions.render, move.version, release)
    client = Client(world, lab.cluster, lab.tool.name)
    if lab.tool.name == "helm":
        error = command.run(client, move, release, lab, render)
    else:
        from watchbill.lifecycle import kubectl  # few runs have anything to do with it

        error = kubectl.run(client, move, release, lab, render)
    steps, after = tuple(client.steps), client.world
    if move.dies_after and len(steps) >= move.dies_after:
        return cut_off(move, steps, lab)
    return Played(move, settle(after, lab.cluster), steps, error, release=_last(after, lab.records(release)))


def cut_off(move: Move, steps: Sequence[Step], lab: Lab) -> Played:
    """The same move by a client that is killed: a prefix of what it would have written."""
    steps = tuple(steps[: move.dies_after])
    after = settle(steps[-1].world, lab.cluster)
    return Played(move, after, steps, killed=True, release=_last(after, lab.records(lab.named(move.release))))


def _last(world: World, release: str) -> Release | None:
    history = world.history(release)
    return history[-1] if history else None


def objects(world: World) -> list[Key]:
    """What is there of the versions, sorted: nothing else ever comes into a world.

    What the server named itself has no name that a version knows.
    """
    return sorted(
        key for key, live in world.objects.items() if not live.terminating and not key.name.endswith("*")
    )
