"""Two versions at once: a migration that is done, and the rest of its version rolled back."""

from collections.abc import Iterator

from watchbill.lifecycle.objects import Body, at
from watchbill.lifecycle.play import is_job
from watchbill.lifecycle.properties import Cause, Offence, Property, Scene
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.lifecycle.world import Rendered

# What a Job says of itself whose work the version before can live with.
ROLLBACK = "watchbill.dev/rollback"
SAFE = "safe"
UNDOING = frozenset({"pre-rollback", "post-rollback"})


def judge(scene: Scene) -> Iterator[Offence]:
    played = scene.played
    if not played.move.flags.atomic or played.move.verb != "upgrade":
        return
    turn = next(
        (number for number, step in enumerate(played.steps, 1) if step.status == "pending-rollback"), 0
    )
    if not turn:
        return
    history = played.world.history(scene.lab.records(scene.lab.named(played.move.release)))
    old, new = history[-1].rendered, history[-2].rendered
    if not _app_differs(old, new) or _undoes(old):
        return
    created = [(number, step) for number, step in enumerate(played.steps, 1) if step.created]
    for number, step in created:
        if step.key is None or not is_job(step.key) or number > turn:
            continue
        wanted, before = _body(new, step.key), _body(old, step.key)
        if wanted is None or wanted.annotations.get(ROLLBACK) == SAFE:
            continue
        # A Job that is the same in both versions does nothing that the old one does not know.
        if (before is None or _template(before) != _template(wanted)) and _succeeded(scene, number):
            yield Offence(Property.TOGETHER, Cause(step.key, "its version was rolled back"), number)


def _undoes(rendered: Rendered) -> bool:
    """Hooks of a rollback are those of the version that comes back; what they do nobody can see from here."""
    return any(
        not UNDOING.isdisjoint(hook.events) and any(is_job(one.key) for one in hook.objects)
        for hook in rendered.hooks
    )


def _app_differs(old: Rendered, new: Rendered) -> bool:
    before = {one.key: _template(one.body) for one in old.manifests if one.key.kind in WORKLOADS}
    after = {one.key: _template(one.body) for one in new.manifests if one.key.kind in WORKLOADS}
    return any(after.get(key) != template for key, template in before.items())


def _body(rendered: Rendered, key: object) -> Body | None:
    return next((one.body for one in rendered.everything() if one.key == key), None)


def _template(body: Body) -> object:
    return at(body.object, "spec", "template")


def _succeeded(scene: Scene, number: int) -> bool:
    """A Job that was created by this write."""
    key = scene.played.steps[number - 1].key
    assert key is not None
    for later in scene.played.steps[number:]:
        if later.key == key and later.deleted is not None:
            return later.deleted.run is not None and later.deleted.run.phase == "succeeded"
    live = scene.played.world.objects.get(key)
    return live is None or (live.run is not None and live.run.phase == "succeeded")
