"""One event's hooks: strictly one after the other, by weight and then by name."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from watchbill.lifecycle.helm import courses
from watchbill.lifecycle.helm.build import build
from watchbill.lifecycle.helm.courses import Course, Situation
from watchbill.lifecycle.helm.operation import Failed, Operation
from watchbill.lifecycle.helm.requests import create_all, side_by_side
from watchbill.lifecycle.helm.waits import wait_for_deletion, wait_for_hook
from watchbill.lifecycle.world import Hook, Release, Rendered

BEFORE = "before-hook-creation"
SUCCEEDED = "hook-succeeded"
FAILED = "hook-failed"

Then = Callable[[], object]


def _nothing() -> None:
    pass


def run_hooks(
    op: Operation, release: Release, event: str, *, server_side: bool, before_cleaning_up: Then = _nothing
) -> None:
    """Before its policies delete a hook, successful or not, something may still have to be done."""
    hooks = ordered(release.rendered.hooks, event)
    situation = courses.situation(op, hooks, event, server_side=server_side) if hooks else None
    if situation is not None and before_cleaning_up is _nothing:
        courses.follow(op, _course(situation), release)
    else:
        _run(op, release, hooks, event, server_side=server_side, before_cleaning_up=before_cleaning_up)


@lru_cache(1 << 12)
def _course(situation: Situation) -> Course:
    op, error = situation.operation(), None
    before = op.client.world
    try:
        _run(
            op,
            Release(0, "deployed", Rendered()),
            situation.hooks,
            situation.event,
            server_side=situation.server_side,
            before_cleaning_up=_nothing,
        )
    except Failed as failed:
        error = failed.words
    return courses.recorded(op.client, before, error)


def _run(
    op: Operation,
    release: Release,
    hooks: tuple[Hook, ...],
    event: str,
    *,
    server_side: bool,
    before_cleaning_up: Then,
) -> None:
    for position, hook in enumerate(hooks):
        _delete(op, hook, BEFORE)
        build(op.client, hook.objects, f"unable to build kubernetes object for {event} hook {hook.path}: ")
        op.save(release)
        try:
            create_all(op, hook.objects, server_side=server_side, why=_why(hook, event))
        except Failed as failed:
            raise Failed(f"warning: Hook {event} {hook.path} failed: {failed.words}") from None
        try:
            wait_for_hook(op, hook.objects)
        except Failed:
            before_cleaning_up()
            _after_failure(op, hooks[:position], hook)
            raise
    before_cleaning_up()
    for hook in reversed(hooks) if op.traits.deletes_hooks_backwards else hooks:
        _delete(op, hook, SUCCEEDED)


@lru_cache(1 << 12)
def ordered(hooks: tuple[Hook, ...], event: str) -> tuple[Hook, ...]:
    """A hook that names the event twice runs twice."""
    executing = [hook for hook in hooks for named in hook.events if named == event]
    return tuple(sorted(executing, key=lambda hook: (hook.weight, hook.name)))


def policies(hook: Hook) -> tuple[str, ...]:
    """An annotation with nothing Helm knows in it still takes the default away."""
    return hook.delete_policies or (BEFORE,)


def _after_failure(op: Operation, earlier: Sequence[Hook], hook: Hook) -> None:
    try:
        _delete(op, hook, FAILED)
    except Failed:
        if op.traits.hook_failed_error_wins:
            raise
    if op.traits.cleans_up_before_failed_hook:
        for done in earlier:
            _delete(op, done, SUCCEEDED)


def _delete(op: Operation, hook: Hook, policy: str) -> None:
    if hook.kind == "CustomResourceDefinition" or policy not in policies(hook):
        return
    build(op.client, hook.objects, f"unable to build kubernetes object for deleting hook {hook.path}: ")
    errors = []
    for manifest in side_by_side(hook.objects):
        if manifest.key.name:
            op.client.delete(manifest, why=policy)
        else:
            errors.append("resource name may not be empty")
    if errors:
        raise Failed("; ".join(errors))
    wait_for_deletion(op, hook.objects)


def _why(hook: Hook, event: str) -> str:
    return f"hook {event}, weight {hook.weight}"
