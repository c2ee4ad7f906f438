"""Server-side apply and field ownership, as the API server's field manager works them out."""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle.kube import typed
from watchbill.lifecycle.kube.schema import Type, blank, deduced, find
from watchbill.lifecycle.kube.typed import Fields, Path

Object = dict[str, Any]
Operation = Literal["Apply", "Update"]

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
KUBECTL = "kubectl"
BEFORE_FIRST_APPLY = "before-first-apply"

# Nobody owns these.
UNOWNED: frozenset[Path] = frozenset(
    [("apiVersion",), ("kind",), ("metadata",)]
    + [
        ("metadata", name)
        for name in (
            "name namespace creationTimestamp selfLink uid clusterName generation managedFields "
            "resourceVersion"
        ).split()
    ]
)


class Manager(Struct, frozen=True, gc=False, cache_hash=True):
    """Who owns which fields, and how they came to own them."""

    name: str
    operation: Operation
    api_version: str
    fields: Fields

    @property
    def identity(self) -> str:
        """An applier is one manager in all versions; an updater one for each. Managers are listed by this."""
        entry = {"manager": self.name, "operation": self.operation}
        if self.operation == "Update":
            entry["apiVersion"] = self.api_version
        return msgspec.json.encode(entry).decode()


Managers = tuple[Manager, ...]


class Conflict(Struct, frozen=True):
    """A field that another manager owns with another value."""

    manager: str
    operation: Operation
    api_version: str
    path: str


class Applied(Struct, frozen=True):
    """The object before defaulting, and who owns what in it."""

    object: Object
    managers: Managers


class NotTyped(Exception):  # noqa: N818 - a refusal, not an error of ours
    """An object does not fit its kind, in the server's words (value dumps elided)."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


def fields_of(applied: Object) -> Fields | None:
    """The fields of what is applied; None if it does not fit its kind."""
    schema = find(applied["apiVersion"], applied["kind"]) or deduced()
    return None if typed.misfits(applied, schema) else typed.fields(applied, schema)


def fits(live: Object) -> bool:
    """Whether a live object fits its kind."""
    schema = find(live["apiVersion"], live["kind"]) or deduced()
    return not typed.misfits(live, schema, duplicates=True)


def apply(
    live: Object | None,
    managers: Managers,
    applied: Object,
    manager: str,
    *,
    force: bool,
    fields: Fields | None = None,
    is_typed: bool = False,
) -> Applied | tuple[Conflict, ...]:
    """What a server-side apply makes of the live object, or the conflicts that stop it.

    The object is `live` itself where the merge changes nothing. A list or map that loses its last item to
    the merge is null, which is the same as absent for every built-in kind. `fields`: those of what is applied, if
    they are known; `is_typed`: the live object is known to fit its kind.
    """
    schema = find(applied["apiVersion"], applied["kind"]) or deduced()
    if fields is None and (errors := typed.misfits(applied, schema)):
        raise NotTyped(f"failed to create typed patch object ({_title(applied)}): {_listed(errors)}")
    before = live if live is not None else _empty(applied)
    if not is_typed and (errors := typed.misfits(before, schema, duplicates=True)):
        raise NotTyped(f"failed to create typed live object ({_title(before)}): {_listed(errors)}")
    if fields is None:
        fields = typed.fields(applied, schema)
    if not managers:
        nothing = _empty(applied) if live is None else blank(applied["apiVersion"], applied["kind"])
        managers = _updated(nothing, (), before, BEFORE_FIRST_APPLY, schema)
    me = Manager(manager, "Apply", applied["apiVersion"], _without(fields, _ignored(schema)))
    result = _apply(before, managers, applied, me, schema, force=force)
    if manager == KUBECTL:
        result = _as_kubectl(result, before, managers, applied, schema, me=me)
    if isinstance(result, tuple):
        return result
    return Applied(before, result.managers) if typed.same(result.object, before) else result


def updated(before: Object | None, managers: Managers, after: Object, manager: str) -> Managers:
    """Who owns what after POST (nothing before), PUT or PATCH: whoever writes owns what changed."""
    if before is not None and not managers:
        return managers
    schema = find(after["apiVersion"], after["kind"]) or deduced()
    if before is None:
        before = blank(after["apiVersion"], after["kind"])
    try:
        return _updated(before, managers, after, manager, schema)
    except typed.UnknownItemError:
        # The server logs that this should not happen, and leaves everything to its owners.
        return managers


def conflict_words(conflicts: tuple[Conflict, ...]) -> str:
    """The server's text."""
    if len(conflicts) == 1:
        [conflict] = conflicts
        return f"Apply failed with 1 conflict: conflict with {_who(conflict)}: {conflict.path}"
    lines = []
    for n, conflict in enumerate(conflicts):
        if n == 0 or _who(conflicts[n - 1]) != _who(conflict):
            lines.append(f"conflicts with {_who(conflict)}:")
        lines.append(f"- {conflict.path}")
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)


def _who(conflict: Conflict) -> str:
    name = msgspec.json.encode(conflict.manager).decode()
    return f"{name} using {conflict.api_version}" if conflict.operation == "Update" else name


def _title(thing: Object) -> str:
    metadata = thing.get("metadata") or {}
    group, _, version = thing["apiVersion"].rpartition("/")
    return (
        f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {group}/{version}, Kind={thing['kind']}"
    )


def _listed(errors: list[str]) -> str:
    return errors[0] if len(errors) == 1 else "\n".join(["errors:", *(f"  {error}" for error in errors)])


def _empty(thing: Object) -> Object:
    return {"apiVersion": thing["apiVersion"], "kind": thing["kind"]}


def _ignored(schema: Type) -> str:
    """Writes to the object itself leave the status of built-in kinds alone."""
    return "status" if "status" in schema.fields else ""


def _without(paths: Iterable[Path], member: str) -> Fields:
    return frozenset(path for path in paths if path[0] != member) if member else frozenset(paths)


def _apply(
    live: Object, managers: Managers, applied: Object, me: Manager, schema: Type, *, force: bool
) -> Applied | tuple[Conflict, ...]:
    ignored = _ignored(schema)
    others = tuple(other for other in managers if other.identity != me.identity)
    last = next((other.fields for other in managers if other.identity == me.identity), frozenset())
    merged = typed.merge(live, applied, schema)
    pruned = _prune(merged, last, me.fields, others, schema)
    mine = replace(me, fields=me.fields - UNOWNED)
    if not others:
        return Applied(pruned, _in_order([mine]))
    changes = typed.compare(live, pruned, schema)
    taken = _without(changes.modified | changes.added, ignored)
    conflicts = [
        Conflict(other.name, other.operation, other.api_version, typed.text(path))
        for other in others
        for path in typed.in_order(other.fields & taken)
    ]
    if conflicts and not force:
        return tuple(conflicts)
    lost = taken | _without(changes.removed, ignored)
    return Applied(pruned, _in_order([mine, *_without_fields(others, lost)]))


def _prune(merged: Object, last: Fields, now: Fields, others: Managers, schema: Type) -> Object:
    """Without what the applier applied last time, does not apply now, and nobody else owns."""
    if last <= now:
        return merged
    owned_before = typed.with_parents(last, schema)
    owned_now = typed.with_parents(now.union(*(other.fields for other in others)), schema)
    there = typed.with_parents(typed.fields(merged, schema), schema)
    pruned = typed.remove(merged, owned_before, schema)
    kept = typed.with_parents(typed.fields(pruned, schema), schema)
    pruned = typed.remove(merged, there - (kept | owned_now), schema)
    kept = typed.with_parents(typed.fields(pruned, schema), schema)
    return typed.remove(merged, (there - kept) & owned_before, schema)  # type: ignore[no-any-return]


def _updated(before: Object, managers: Managers, after: Object, manager: str, schema: Type) -> Managers:
    ignored = _ignored(schema)
    changes = typed.compare(before, after, schema)
    taken = _without(changes.modified | changes.added, ignored)
    remaining = list(_without_fields(managers, taken | _without(changes.removed, ignored)))
    mine = taken - UNOWNED
    if mine:
        me = Manager(manager, "Update", after["apiVersion"], mine)
        for n, other in enumerate(remaining):
            if other.identity == me.identity:
                me = replace(me, fields=mine | remaining.pop(n).fields)
                break
        remaining.append(me)
    return _in_order(remaining)


def _without_fields(managers: Managers, lost: Fields) -> Iterable[Manager]:
    for manager in managers:
        yield replace(manager, fields=manager.fields - lost) if manager.fields & lost else manager


def _in_order(managers: Iterable[Manager]) -> Managers:
    return tuple(sorted((m for m in managers if m.fields), key=lambda m: m.identity))


def _as_kubectl(
    result: Applied | tuple[Conflict, ...],
    live: Object,
    managers: Managers,
    applied: Object,
    schema: Type,
    *,
    me: Manager,
) -> Applied | tuple[Conflict, ...]:
    """kubectl may take over what its own client-side apply left behind, and keeps its annotation up to date."""
    if isinstance(result, tuple):
        allowed = {typed.text(path) for path in _left_by_client_side_apply(live, schema)}
        if not allowed:
            return result
        if refused := tuple(conflict for conflict in result if conflict.path not in allowed):
            return refused
        forced = _apply(live, managers, applied, me, schema, force=True)
        assert isinstance(forced, Applied)
        result = forced
    metadata = result.object.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    if not annotations.get(LAST_APPLIED):
        return result
    annotations = {**annotations, LAST_APPLIED: _as_last_applied(applied)}
    return replace(result, object={**result.object, "metadata": {**metadata, "annotations": annotations}})


def _left_by_client_side_apply(live: Object, schema: Type) -> Fields:
    annotations = (live.get("metadata") or {}).get("annotations") or {}
    try:
        last = msgspec.json.decode(annotations.get(LAST_APPLIED, ""))
    except msgspec.DecodeError:
        return frozenset()
    if not isinstance(last, dict) or last.get("apiVersion") != live["apiVersion"]:
        return frozenset()
    if typed.misfits(last, schema) or typed.misfits(live, schema):
        return frozenset()
    changes = typed.compare(last, live, schema)
    return typed.fields(last, schema) - changes.modified - changes.added - changes.removed


def _as_last_applied(applied: Object) -> str:
    """Go's JSON of the object, without the annotation itself."""
    metadata = applied.get("metadata") or {}
    if isinstance(annotations := metadata.get("annotations"), dict):
        annotations = {key: value for key, value in annotations.items() if key != LAST_APPLIED}
        applied = {**applied, "metadata": {**metadata, "annotations": annotations}}
    import json  # kubectl alone asks

    written = json.dumps(applied, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for letter in "<>&":
        written = written.replace(letter, f"\\u{ord(letter):04x}")
    return written + "\n"
