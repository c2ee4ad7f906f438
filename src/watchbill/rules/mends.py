"""Changes of what a chart renders that rules try: whether they help is seen by playing again, never assumed."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from watchbill.lifecycle.hash_names import differ_in_a_hash
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.world import Hook, Manifest, Rendered
from watchbill.rules.fields import put
from watchbill.rules.rule import Mend

BEFORE = "before-hook-creation"
POD_DEADLINE = ("spec", "template", "spec", "activeDeadlineSeconds")


def without(*keys: Key) -> Mend:
    """The objects are not there at all: what is left to do where nothing gentler helps."""

    def mend(rendered: Rendered) -> Rendered:
        return replace(
            rendered,
            manifests=tuple(one for one in rendered.manifests if one.key not in keys),
            crds=tuple(one for one in rendered.crds if one.key not in keys),
            hooks=tuple(hook for hook in rendered.hooks if not any(one.key in keys for one in hook.objects)),
        )

    return mend


def restored(old: Manifest) -> Mend:
    """A plain object as the version before has it."""

    def mend(rendered: Rendered) -> Rendered:
        if any(one.key == old.key for one in rendered.manifests):
            return rendered
        rest = without(old.key)(rendered)
        return replace(rest, manifests=(*rest.manifests, old))

    return mend


def once(key: Key) -> Mend:
    """Of several documents for one plain object, the first."""

    def mend(rendered: Rendered) -> Rendered:
        first = next((one for one in rendered.manifests if one.key == key), None)
        kept = tuple(one for one in rendered.manifests if one.key != key or one is first)
        return replace(rendered, manifests=kept)

    return mend


def with_job(job: Manifest) -> Mend:
    """The template of a plain Job with a hash in its name always makes this one."""

    def is_replaced(one: Manifest) -> bool:
        alike = one.key == job.key or differ_in_a_hash(one.key.name, job.key.name)
        return alike and (one.path, one.key.kind) == (job.path, "Job")

    def mend(rendered: Rendered) -> Rendered:
        rest = tuple(one for one in rendered.manifests if not is_replaced(one))
        made = len(rest) < len(rendered.manifests)
        return replace(rendered, manifests=(*rest, job)) if made else rendered

    return mend


def changed(key: Key, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Mend:
    """One object with another body."""

    def one(manifest: Manifest) -> Manifest:
        if manifest.key != key:
            return manifest
        return replace(manifest, body=Body.of(change(manifest.body.object)))

    return _each(one)


def every(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Mend:
    """Each object with another body, and another name if the change gives it one."""

    def one(manifest: Manifest) -> Manifest:
        body = Body.of(change(manifest.body.object))
        return replace(manifest, key=manifest.key._replace(name=body.name), body=body)

    return _each(one)


def _each(change: Callable[[Manifest], Manifest]) -> Mend:
    def mend(rendered: Rendered) -> Rendered:
        return replace(
            rendered,
            manifests=tuple(map(change, rendered.manifests)),
            crds=tuple(map(change, rendered.crds)),
            hooks=tuple(replace(hook, objects=tuple(map(change, hook.objects))) for hook in rendered.hooks),
        )

    return mend


def with_spec(key: Key, **fields: Any) -> Mend:
    """The object with these fields in its spec."""
    return changed(key, lambda thing: {**thing, "spec": {**(thing.get("spec") or {}), **fields}})


def rehooked(key: Key, change: Callable[[Hook], Hook]) -> Mend:
    """The hook that makes an object, with other events, weight or policies."""

    def mend(rendered: Rendered) -> Rendered:
        hooks = tuple(
            change(hook) if any(one.key == key for one in hook.objects) else hook for hook in rendered.hooks
        )
        return replace(rendered, hooks=tuple(sorted(hooks, key=_order)))

    return mend


def with_policies(key: Key, *policies: str) -> Mend:
    return rehooked(key, lambda hook: replace(hook, delete_policies=policies))


def with_before(*keys: Key) -> Mend:
    """The hooks that make these objects, or all there are, delete what is left of their last run first."""

    def one(hook: Hook) -> Hook:
        if keys and not any(made.key in keys for made in hook.objects):
            return hook
        return replace(hook, delete_policies=tuple(dict.fromkeys((BEFORE, *hook.delete_policies))))

    return lambda rendered: replace(rendered, hooks=tuple(map(one, rendered.hooks)))


def with_events(key: Key, change: Mapping[str, str]) -> Mend:
    """The hook at other events; at none instead of one that is changed to nothing."""

    def moved(hook: Hook) -> Hook:
        events = (change.get(event, event) for event in hook.events)
        return replace(hook, events=tuple(dict.fromkeys(filter(None, events))))

    return rehooked(key, moved)


def with_copies(key: Key, *needed: Key) -> Mend:
    """A hook with what it needs of its own: hooks of the same events, before it, under other names."""

    def mend(rendered: Rendered) -> Rendered:
        hook = next((hook for hook in rendered.hooks if any(one.key == key for one in hook.objects)), None)
        if hook is None:
            return rendered
        names = {one.name: f"{one.name[:240]}-hook" for one in needed}
        copies = tuple(
            replace(
                hook,
                kind=one.key.kind,
                name=names[one.key.name],
                weight=hook.weight - 1,
                objects=(
                    Manifest(
                        one.key._replace(name=names[one.key.name]),
                        Body.of(_saying(one.body.object, names)),
                        one.path,
                    ),
                ),
            )
            for one in rendered.everything()
            if one.key in needed
        )
        repointed = changed(key, lambda thing: {**thing, "spec": _saying(thing.get("spec"), names)})
        with_them = replace(rendered, hooks=tuple(sorted((*rendered.hooks, *copies), key=_order)))
        return repointed(with_them)

    return mend


def _saying(thing: Any, names: Mapping[str, str]) -> Any:
    """The same with other names where these stand."""
    if isinstance(thing, dict):
        return {field: _saying(value, names) for field, value in thing.items()}
    if isinstance(thing, list):
        return [_saying(item, names) for item in thing]
    return names.get(thing, thing) if isinstance(thing, str) else thing


def with_deadline_of_pods(key: Key) -> Mend:
    """The deadline of a Job is that of each of its pods."""

    def change(thing: dict[str, Any]) -> dict[str, Any]:
        spec = dict(thing.get("spec") or {})
        deadline = spec.pop("activeDeadlineSeconds", None)
        return put({**thing, "spec": spec}, POD_DEADLINE, deadline)

    return changed(key, change)


def as_hook(
    *keys: Key,
    events: tuple[str, ...] = ("pre-install", "pre-upgrade"),
    policies: tuple[str, ...] = (BEFORE,),
    weight: int = 0,
) -> Mend:
    """Plain objects become hooks."""

    def mend(rendered: Rendered) -> Rendered:
        chosen = [one for one in rendered.manifests if one.key in keys]
        made = [
            Hook(one.key.kind, one.key.name, one.path, events, weight, policies, (one,)) for one in chosen
        ]
        return replace(
            rendered,
            manifests=tuple(one for one in rendered.manifests if one.key not in keys),
            hooks=tuple(sorted((*rendered.hooks, *made), key=_order)),
        )

    return mend


def as_plain(*keys: Key) -> Mend:
    """Hooks become plain objects."""

    def mend(rendered: Rendered) -> Rendered:
        freed = [one for hook in rendered.hooks for one in hook.objects if one.key in keys]
        return replace(
            rendered,
            manifests=(*rendered.manifests, *freed),
            hooks=tuple(hook for hook in rendered.hooks if not any(one.key in keys for one in hook.objects)),
        )

    return mend


def renamed(key: Key, name: str) -> Mend:
    """The object under another name."""

    def one(manifest: Manifest) -> Manifest:
        if manifest.key != key:
            return manifest
        thing = manifest.body.object
        body = Body.of({**thing, "metadata": {**thing["metadata"], "name": name}})
        return replace(manifest, key=key._replace(name=name), body=body)

    def mend(rendered: Rendered) -> Rendered:
        return replace(
            rendered,
            manifests=tuple(map(one, rendered.manifests)),
            hooks=tuple(
                replace(
                    hook,
                    name=name if (hook.kind, hook.name) == (key.kind, key.name) else hook.name,
                    objects=tuple(map(one, hook.objects)),
                )
                for hook in rendered.hooks
            ),
        )

    return mend


def all_of(*mends: Mend) -> Mend:
    def mend(rendered: Rendered) -> Rendered:
        for each in mends:
            rendered = each(rendered)
        return rendered

    return mend


def _order(hook: Hook) -> tuple[int, str]:
    return hook.weight, hook.name
