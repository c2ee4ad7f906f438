"""Whether plain Jobs run when they should: again after a failure, for each install, and not without a reason."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from watchbill.lifecycle.hash_names import differ_in_a_hash
from watchbill.lifecycle.objects import Body, Key, at
from watchbill.lifecycle.play import is_job
from watchbill.lifecycle.properties import Cause, Offence, Property, Scene
from watchbill.lifecycle.world import Manifest, Release, Rendered, World

STILL_FAILED = "still failed"
ADOPTED = "left by an earlier release"
EXPIRED = "expired"
RENAMED = "another name at each render"
RELABELLED = "only labels or annotations of its pods differ"
INSTALL_ONLY = "rendered by installs only"
WORKED = ("deployed", "superseded")


def judge(scene: Scene) -> Iterator[Offence]:
    played = scene.played
    release = played.release
    if not played.ok or release is None or played.move.verb not in ("install", "upgrade", "rollback"):
        return
    jobs = [one for one in release.rendered.manifests if is_job(one.key)]
    if not jobs:
        return
    history = scene.before.history(scene.lab.records(scene.lab.named(played.move.release)))
    for job in jobs:
        if job.key not in played.ran:
            yield from _not_run(scene, job, history)
        elif history:
            yield from _run_again(scene, job, history[-1])


def _not_run(scene: Scene, job: Manifest, history: Sequence[Release]) -> Iterator[Offence]:
    found, verb = scene.before.objects.get(job.key), scene.played.move.verb
    if found is None or found.run is None or not found.run.finished or verb == "rollback":
        return
    if history and _has(history[-1].rendered, job.key):
        if found.run.phase == "failed":
            yield Offence(Property.CATCHES_UP, Cause(job.key, STILL_FAILED))
    elif not any(one.status in WORKED and _has(one.rendered, job.key) for one in history):
        yield Offence(Property.OWN, Cause(job.key, ADOPTED))


def _run_again(scene: Scene, job: Manifest, before: Release) -> Iterator[Offence]:
    if scene.played.move.verb == "rollback":
        if not any(one.path == job.path and is_job(one.key) for one in _next_upgrade(scene).everything()):
            yield Offence(Property.ONCE, Cause(job.key, INSTALL_ONLY))
        return
    if any(one.key == job.key and one.body == job.body for one in before.rendered.manifests):
        if job.key not in scene.before.objects and _ttl(job.body) is not None:
            yield Offence(Property.ONCE, Cause(job.key, EXPIRED))
        return
    old = predecessor(before.rendered, job)
    # Jobs that are named by a revision, a version, the clock or chance are meant to run again.
    if old is None or not differ_in_a_hash(old.key.name, job.key.name):
        return
    # A Job that failed is a reason to run another one.
    if not (_has_succeeded(scene.before, old.key) and _has_succeeded(scene.played.world, job.key)):
        return
    following = predecessor(_next_upgrade(scene), job)
    if following is not None and following.key != job.key:
        if template_of(following, job) != template_of(job, job):
            yield Offence(Property.ONCE, Cause(job.key, RENAMED))
    elif template_of(old, job) != template_of(job, job) and runs_the_same(old, job):
        yield Offence(Property.ONCE, Cause(job.key, RELABELLED))


def _has_succeeded(world: World, key: Key) -> bool:
    found = world.objects.get(key)
    return found is not None and found.run is not None and found.run.phase == "succeeded"


def predecessor(rendered: Rendered, job: Manifest) -> Manifest | None:
    """The Job that the same template makes in another revision; of several, the one whose name differs in a hash."""
    made = [one for one in rendered.manifests if one.path == job.path and is_job(one.key)]
    if len(made) > 1:
        made = [one for one in made if differ_in_a_hash(one.key.name, job.key.name)]
    return made[0] if len(made) == 1 else None


def runs_the_same(old: Manifest, new: Manifest) -> bool:
    """Whether the pods of two Jobs differ in labels and annotations at most, apart from the Jobs' names."""
    one, other = (at(template_of(job, new), "spec") for job in (old, new))
    return one is not None and one == other


def template_of(job: Manifest, like: Manifest) -> Any:
    """The Job's pod template, with the name of another Job where it says its own."""
    return renamed(at(job.body.object, "spec", "template"), job.key.name, like.key.name)


def renamed(thing: Any, old: str, new: str) -> Any:
    """The same with another name wherever this one stands."""
    if isinstance(thing, Mapping):
        return {field: renamed(value, old, new) for field, value in thing.items()}
    if isinstance(thing, list):
        return [renamed(item, old, new) for item in thing]
    return thing.replace(old, new) if isinstance(thing, str) else thing


def _next_upgrade(scene: Scene) -> Rendered:
    """What the next upgrade to the same version would bring."""
    lab, move, release = scene.lab, scene.played.move, scene.played.release
    assert release is not None
    return lab.versions.render(
        move.version,
        lab.named(move.release),
        upgrade=True,
        revision=release.revision + 1,
        world=scene.played.world,
    )


def _has(rendered: Rendered, key: Key) -> bool:
    return any(one.key == key for one in rendered.manifests)


def _ttl(body: Body) -> Any:
    return at(body.object, "spec", "ttlSecondsAfterFinished")
