"""What the hooks of an event did, to be done again where nothing is different that they look at.

Hooks look at their own objects, at what their pods need, and at fates. An exploration runs the same hooks in hundreds of
worlds, which mostly differ in something else: each course is played once, and from then on it is followed.
"""

from functools import lru_cache
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle import server
from watchbill.lifecycle.client import Client, Step
from watchbill.lifecycle.fates import Fates
from watchbill.lifecycle.flags import Flags
from watchbill.lifecycle.helm.build import builds_everywhere
from watchbill.lifecycle.helm.operation import Failed, Operation
from watchbill.lifecycle.helm.traits import HelmTraits
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.server import Cluster
from watchbill.lifecycle.world import Hook, Live, Release, World

# They bring about more than themselves.
FAR_REACHING = frozenset({"Namespace", "CustomResourceDefinition"})

Changes = tuple[tuple[Key, Live | None], ...]  # None: it is gone


class Situation(Struct, frozen=True, gc=False):
    """All that decides what hooks do."""

    hooks: tuple[Hook, ...]
    event: str
    server_side: bool
    flags: Flags
    traits: HelmTraits
    manager: str
    cluster: Cluster
    fates: Fates
    lives: tuple[Live | None, ...]  # of what is concerned

    def operation(self) -> Operation:
        """One in a world where there is nothing else."""
        keys = _concerned(self.hooks, self.cluster) or ()
        there = {key: live for key, live in zip(keys, self.lives, strict=True) if live is not None}
        client = Client(World(there, {}, self.fates), self.cluster, self.manager)
        return Operation(client, "", "", "", self.flags, self.traits)


class Course(Struct, frozen=True, gc=False):
    writes: tuple[tuple[Step, Changes], ...]  # each with what is different since the one before
    rest: Changes  # what is different after the last one
    error: str | None


def situation(op: Operation, hooks: tuple[Hook, ...], event: str, *, server_side: bool) -> Situation | None:
    """None if it cannot be said what these hooks look at."""
    client = op.client
    keys = _concerned(hooks, client.cluster)
    if keys is None:
        return None
    lives = tuple(map(client.world.objects.get, keys))
    for key, live in zip(keys, lives, strict=True):
        # A pod that is there already may need something else.
        if live is not None and live.run is not None and not _covers(keys, needs(live.body, key.namespace)):
            return None
    fates = client.world.fates
    return Situation(
        hooks, event, server_side, op.flags, op.traits, client.manager, client.cluster, fates, lives
    )


@lru_cache(1 << 10)
def _concerned(hooks: tuple[Hook, ...], cluster: Cluster) -> tuple[Key, ...] | None:
    """Everything the hooks look at; None if that cannot be said."""
    keys = dict[Key, None]()
    for hook in hooks:
        for manifest in hook.objects:
            key = manifest.key
            if not key.name or key.kind in FAR_REACHING or key.namespace in cluster.namespaces:
                return None
            keys.update(dict.fromkeys((key, *needs(manifest.body, key.namespace))))
        if not builds_everywhere(hook.objects):
            return None
    return tuple(keys)


def _covers(keys: tuple[Key, ...], needed: tuple[Key, ...]) -> bool:
    return all(key in keys for key in needed)


def recorded(client: Client, before: World, error: str | None) -> Course:
    worlds = [before, *(step.world for step in client.steps), client.world]
    changes = [_changes(one, other) for one, other in pairwise(worlds)]
    return Course(tuple(zip(client.steps, changes, strict=False)), changes[-1], error)


def _changes(before: World, after: World) -> Changes:
    if before.objects is after.objects:
        return ()
    gone = [(key, None) for key in before.objects if key not in after.objects]
    new = [(key, live) for key, live in after.objects.items() if before.objects.get(key) is not live]
    return (*gone, *new)


def follow(op: Operation, course: Course, release: Release) -> None:
    client, saved = op.client, None
    for step, changes in course.writes:
        if changes:
            client.world = _changed(client.world, changes)
        if step.key is not None:
            client.steps.append(replace(step, world=client.world))
        elif saved is None:  # before each hook the same record is written
            op.save(release)
            saved = client.steps[-1]
        else:
            client.steps.append(replace(saved, world=client.world))
    if course.rest:
        client.world = _changed(client.world, course.rest)
    if course.error is not None:
        raise Failed(course.error)


def _changed(world: World, changes: Changes) -> World:
    objects = world.objects.copy()
    for key, live in changes:
        if live is not None:
            objects[key] = live
        elif key.kind == "ServiceAccount" and key in objects:
            objects = server.delete(World(objects), key).objects  # tokens go with it, whosever they are
        else:
            objects.pop(key, None)
    return World(objects, world.releases, world.fates)
