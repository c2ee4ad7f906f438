"""What must hold whenever a tool is used: each operation that is played is judged, and nothing is searched."""

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache

from msgspec import Struct

from watchbill.lifecycle.client import Step
from watchbill.lifecycle.fates import RUNS_TO_COMPLETION, fate_of
from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move
from watchbill.lifecycle.objects import Body, Key, at
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.lifecycle.world import Live, World

ON_PURPOSE = ("hook-succeeded", "hook-failed")
BRINGS = ("install", "upgrade", "rollback", "apply")
REMOVES = ("uninstall", "delete")

Writes = Sequence[tuple[int, Step]]  # some of the steps, with their places from 1


class Property(Enum):
    WORKS = "operations without special flags work"
    RETRIES = "an operation that failed can be tried again"
    RECOVERS = "after a failure every other operation works"
    RETURNS = "a release can be brought back to deployed"
    RUNS = "a hook that is executed runs"
    CATCHES_UP = "a Job that failed has run before its release counts as deployed"
    ONCE = "a plain Job runs again only if what it runs has changed"
    OWN = "a plain Job that an operation brings runs: none that an earlier release left counts for it"
    STARTS = "what a pod needs is there when it starts"
    SPARES = "nothing is deleted that running pods need"
    KEEPS = "what a version brings is there afterwards"
    ALONE = "pods of one Job never run at the same time"
    FINISHES = "no Job is deleted while it runs"
    LOGS = "the logs of a failed Job stay readable"
    CLEANS_UP = "nothing is left behind for ever"
    NEIGHBOURS = "no release touches the objects of another"
    STEADY = "an upgrade that changes nothing leaves Secrets as they are"
    UP_TO_DATE = "a hook's pod reads what its own version says"
    SEEN = "what a tool waits for is there until it has seen it"
    TELLS = "a tool that waits for a Job says so when it has failed"
    TOGETHER = "the application runs with what its own migration left, not a newer one's"
    MEANT = "a hook runs in its own operation only"
    KEEPS_ITS_WORD = "a Job runs when it says so"
    ALONE_AS_SAID = "a Job that says so never overlaps with itself"


FAILURES = (Property.WORKS, Property.RETRIES, Property.RECOVERS)  # an operation fails that should not


class Cause(Struct, frozen=True):
    """What makes two violations the same one: an object, and what is wrong with it."""

    key: Key | None
    what: str


class Offence(Struct, frozen=True):
    """A violation before anybody knows how the world came to be as it was."""

    property: Property
    cause: Cause
    step: int = 0  # the write at which it shows, from 1; 0: at none in particular


class Violation(Struct, frozen=True):
    property: Property
    cause: Cause
    step: int  # of the last move
    trace: tuple[Move, ...]  # the shortest that shows it


class Past(Struct, frozen=True, cache_hash=True):
    """What went wrong before; one fault a trace, and nothing is judged after a failure that no fault excuses."""

    faulted: bool = False
    failed: Move | None = None  # because of the fault, and not made good yet
    job: Key | None = None  # the Job whose failure it was
    broken: bool = False


CLEAN = Past()


class Scene(Struct, frozen=True):
    """One operation in its place in a trace."""

    lab: Lab
    before: World
    played: Played
    past: Past = CLEAN
    excused: bool = False  # a fault that still holds is a reason to fail


def judge(scene: Scene) -> Iterator[Offence]:
    played = scene.played
    jobs, deletions = list[tuple[int, Step]](), list[tuple[int, Step]]()
    for number, step in enumerate(played.steps, 1):
        key = step.key
        if key is None:
            continue
        if key.kind in RUNS_TO_COMPLETION:
            jobs.append((number, step))
        if step.deleted is not None:
            deletions.append((number, step))
    waiting = list(_cannot_start(scene, jobs, deletions))
    yield from waiting
    if not played.ok and not scene.excused:
        for failure in [*refused(played)] or [failed(played)]:
            # A hook that cannot start is why its operation fails: one cause, one violation.
            if not any(found.cause.key == failure.cause.key for found in waiting):
                yield Offence(_which(scene), failure.cause, failure.step)
    if deletions:
        yield from _deletions(scene, deletions)
    yield from _jobs(scene, jobs, deletions)
    if played.ok and played.move.verb in BRINGS:
        yield from _gone(scene, deletions)
        yield from _not_caught_up(scene)
    if played.ok and played.move.verb in REMOVES:
        yield from _left_behind(scene)


def failed(played: Played) -> Offence:
    """Why an operation failed: a write that was refused, a hook that did not end well, or its words alone."""
    error = played.error
    status = f"{played.release.status}: " if played.release is not None else ""
    if played.killed:
        return Offence(Property.WORKS, Cause(None, f"{status}killed"))
    for offence in refused(played):
        return offence
    words = error.removeprefix("Error: ")
    if number := _unsuccessful_hook(played):
        return Offence(Property.WORKS, Cause(played.steps[number - 1].key, words), number)
    for key in played.world.objects:
        if f'"{key.name}"' in error and key.kind in error:
            return Offence(Property.WORKS, Cause(key, words))
    return Offence(Property.WORKS, Cause(None, f"{status}{words}"))


def refused(played: Played) -> Iterator[Offence]:
    """Every write that the operation gives as a reason: a tool may try all objects before it gives up."""
    if played.killed:
        return
    for number, step in enumerate(played.steps, 1):
        # Not to find what is to be deleted is no reason, and its words stand in many errors.
        if step.refused and step.verb != "delete" and step.refused in played.error:
            yield Offence(Property.WORKS, Cause(step.key, step.refused), number)


def _unsuccessful_hook(played: Played) -> int:
    """The write that created the last hook that ran, if its client saw it not succeed."""
    steps = played.steps
    for number in range(len(steps), 0, -1):
        step = steps[number - 1]
        if step.key is None or step.refused or not _runs_hook(step):
            continue
        if number == len(steps):
            return number
        after = steps[number]
        live = after.deleted if after.key == step.key else after.world.objects.get(step.key)
        return 0 if live is None or _phase(live) == "succeeded" else number
    return 0


def _runs_hook(step: Step) -> bool:
    return (
        step.key is not None
        and step.key.kind in RUNS_TO_COMPLETION
        and step.verb in ("create", "apply")
        and step.why.startswith("hook")
    )


def _which(scene: Scene) -> Property:
    if not scene.past.faulted:
        return Property.WORKS
    before, again = scene.past.failed, scene.played.move.verb
    if before is not None and (again == before.verb or (before.verb, again) == ("install", "upgrade")):
        return Property.RETRIES
    return Property.RECOVERS


def _cannot_start(scene: Scene, jobs: Writes, deletions: Writes) -> Iterator[Offence]:
    """A hook's pod when it is created, since its client waits for it; all others when things have settled."""
    lab, played = scene.lab, scene.played
    created = dict[Key, int]()
    for number, step in jobs:
        if not step.created or step.key is None:
            continue
        created[step.key] = number
        if _runs_hook(step):
            body = step.world.objects[step.key].body
            for needed in missing(step.world, lab.cluster, step.key, body):
                yield Offence(Property.STARTS, Cause(step.key, f"needs {needed}"), number)
    if not played.ok:
        return
    deleted = {step.key for _, step in deletions}
    for key, live in played.world.objects.items():
        if live.run is None:
            if key.kind not in WORKLOADS:
                continue
        elif live.run.phase != "waiting" or key not in created:
            continue
        for needed in missing(played.world, lab.cluster, key, live.body):
            if (
                needed not in deleted or key not in scene.before.objects
            ):  # else it was taken away: see _deletions
                yield Offence(Property.STARTS, Cause(key, f"needs {needed}"), created.get(key, 0))


def _deletions(scene: Scene, deletions: Writes) -> Iterator[Offence]:
    played = scene.played
    others = _of_others(scene)
    removes = played.move.verb in REMOVES
    for number, step in deletions:
        key = step.key
        if key is None or step.deleted is None:
            continue
        if key in others:
            yield Offence(Property.NEIGHBOURS, Cause(key, "deleted by another release"), number)
        if _phase(step.deleted) == "running":
            again = any(later.created and later.key == key for later in played.steps[number:])
            yield Offence(
                Property.ALONE if again else Property.FINISHES,
                Cause(key, "deleted while it ran" + (" and created again" if again else "")),
                number,
            )
        if removes or key.kind in RUNS_TO_COMPLETION:
            continue
        for user, live in {**_with_pods(scene.before), **_running(step.world)}.items():
            # By then it may have been changed, and do without.
            body = step.world.objects.get(user, live).body
            if key in needs(body, user.namespace) and not any(one.key == user for _, one in deletions):
                yield Offence(Property.SPARES, Cause(key, f"needed by {user}"), number)


def _jobs(scene: Scene, jobs: Writes, deletions: Writes) -> Iterator[Offence]:
    """What is wrong with Jobs that this operation created, or took for created."""
    for number, step in jobs:
        key = step.key
        if key is None or step.refused:
            continue
        if not step.created and _runs_hook(step):
            yield Offence(Property.RUNS, Cause(key, "was there already"), number)
        if not step.created:
            continue
        if may_overlap(step.world.objects[key].body):
            yield Offence(Property.ALONE, Cause(key, "podReplacementPolicy"), number)
        if (what := _lost_logs(scene, key, number, deletions)) is not None:
            yield Offence(Property.LOGS, Cause(key, what), number)


def _lost_logs(scene: Scene, key: Key, created: int, deletions: Writes) -> str | None:
    """By what the logs of a Job are gone that failed in this operation."""
    for number, later in deletions:
        if number > created and later.key == key and later.deleted is not None:
            return later.why if _phase(later.deleted) == "failed" else None
    live = scene.played.world.objects.get(key)
    if live is None:
        doomed = fate_of(key.kind, key.name, scene.before.fates) == "fail"
        return "ttlSecondsAfterFinished" if doomed else None
    return live.run.lost or None if live.run is not None else None


def _gone(scene: Scene, deletions: Writes) -> Iterator[Offence]:
    """Objects of the version that its own operation has deleted: a plain object that became a hook, mostly."""
    played = scene.played
    if played.release is None or not deletions:
        return
    deleted = {step.key: (number, step.why) for number, step in deletions}
    for manifest in played.release.rendered.everything():
        key = manifest.key
        if key in played.world.objects or key.kind in RUNS_TO_COMPLETION or key not in deleted:
            continue
        number, why = deleted[key]
        if why not in ON_PURPOSE:
            yield Offence(Property.KEEPS, Cause(key, why), number)


def _not_caught_up(scene: Scene) -> Iterator[Offence]:
    past, played = scene.past, scene.played
    if past.failed is None or past.job is None or played.move.verb == "rollback" or past.job in played.ran:
        return
    if past.failed.verb not in BRINGS:
        return  # a Job of an uninstall is none that a release needs
    if any(one in played.ran for one in _successors(scene, past.job)):
        return
    live = played.world.objects.get(past.job)
    if played.move.version == past.failed.version and (live is None or _phase(live) != "succeeded"):
        yield Offence(Property.CATCHES_UP, Cause(past.job, f"failed in {past.failed.verb}"))


def _successors(scene: Scene, job: Key) -> Iterator[Key]:
    """The same Job where it is named by its revision, the clock or chance: what its template makes in its place."""
    release = scene.played.release
    made = (
        [] if release is None else [one for one in release.rendered.everything() if one.key.kind == job.kind]
    )
    if release is None or any(one.key == job for one in made):
        return
    history = scene.before.history(scene.lab.records(scene.lab.named(scene.played.move.release)))
    known = (one for revision in history for one in revision.rendered.everything())
    templates = {one.path for one in known if one.key == job}
    yield from (one.key for one in made if one.path in templates)


def _left_behind(scene: Scene) -> Iterator[Offence]:
    others = _of_others(scene)
    for key, live in scene.played.world.objects.items():
        if key in others or key.kind == "CustomResourceDefinition":  # definitions stay, for what they define
            continue
        if "helm.sh/resource-policy" in live.body.annotations:
            continue
        if at(live.body.object, "spec", "ttlSecondsAfterFinished") is None:
            yield Offence(Property.CLEANS_UP, Cause(key, "left behind"))


def _of_others(scene: Scene) -> frozenset[Key]:
    """What other releases say is theirs."""
    histories = scene.before.releases
    own = scene.played.move.release or scene.lab.release
    if len(histories) == (own in histories):
        return frozenset()
    return frozenset(
        manifest.key
        for name, history in histories.items()
        if name != own
        for manifest in history[-1].rendered.everything()
    )


def _running(world: World) -> dict[Key, Live]:
    """Jobs that are at work at this very moment: the operation may have created them itself."""
    return {
        key: live
        for key, live in world.objects.items()
        if live.run is not None and live.run.phase == "running" and key.kind == "Job"
    }


def _with_pods(world: World) -> dict[Key, Live]:
    return {
        key: live
        for key, live in world.objects.items()
        if (key.kind in WORKLOADS if live.run is None else live.run.phase == "running")
    }


def _phase(live: Live) -> str:
    return live.run.phase if live.run is not None else ""


@lru_cache(1 << 12)
def may_overlap(body: Body) -> bool:
    """A pod that is evicted is replaced while it still ends, unless the Job says otherwise."""
    spec = body.object.get("spec") or {}
    return (
        body.kind == "Job"
        and spec.get("podReplacementPolicy") != "Failed"
        and spec.get("parallelism", 1) == 1
        and spec.get("backoffLimit", 6) > 0
    )
