"""A hook's pod that cannot start: what it waits for, and who makes that too late."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.references import places
from watchbill.lifecycle.world import Hook, Manifest
from watchbill.rules.rule import Pointer
from watchbill.rules.sighting import Sighting, hook_of
from watchbill.rules.words import named

HOOK_STEP = "hook "
MOST_SHOWN = 4


class Lacking(Struct, frozen=True):
    """What is missed, by who makes it. The model takes what no version makes for there, so that is not here."""

    pod: Manifest  # the Job or Pod
    hook: Hook
    event: str
    plain: tuple[Key, ...]  # plain objects of the version
    hooked: tuple[Key, ...]  # objects of its hooks
    dropped: tuple[Key, ...]  # objects that this very operation has deleted
    unmade: tuple[Key, ...]  # objects of another version, which this one takes for given
    asked: Key | None  # which of them the violation is about


def lacking(sighting: Sighting) -> Lacking | None:
    """All that the pod waits for, whichever of it the violation names."""
    step = sighting.step
    if sighting.broke is not Property.STARTS or step is None or step.key is None:
        return None
    hook = hook_of(sighting.recorded, step.key)
    if hook is None or not step.why.startswith(HOOK_STEP):
        return None
    pod = next(one for one in hook.objects if one.key == step.key)
    body = step.world.objects[step.key].body
    plain = {one.key for one in sighting.recorded.manifests}
    hooked = {one.key for made in sighting.recorded.hooks for one in made.objects}
    deleted = {one.key for one in sighting.last.steps if one.deleted is not None}
    absent = missing(step.world, sighting.lab.cluster, step.key, body)
    others = [key for key in absent if key not in plain | hooked]
    return Lacking(
        pod,
        hook,
        step.why.removeprefix(HOOK_STEP).partition(",")[0],
        tuple(key for key in absent if key in plain),
        tuple(key for key in absent if key in hooked - plain),
        tuple(key for key in others if key in deleted),
        tuple(key for key in others if key not in deleted),
        next((key for key in absent if sighting.what == f"needs {key}"), None),
    )


def pointers(pod: Manifest, needed: Sequence[Key], note: str) -> tuple[Pointer, ...]:
    """For each the field that names it, and where it is made."""
    return tuple(_pointers(pod, needed[:MOST_SHOWN], note))


def _pointers(pod: Manifest, needed: Sequence[Key], note: str) -> Iterator[Pointer]:
    fields = places(pod.body, pod.key.namespace)
    for key in needed:
        if key in fields:
            yield Pointer(pod.key, fields[key], f"needs {named(key)}")
        yield Pointer(key, (), note)
