"""A strategic merge patch put into an object, or into another patch, as client-go's strategicpatch does."""

from typing import Any

from watchbill.lifecycle.kube.schema import Type
from watchbill.lifecycle.kube.strategic_values import (
    DELETE,
    DELETE_FROM,
    DIRECTIVE,
    MERGE,
    ORDER,
    REPLACE,
    RETAIN_KEYS,
    Object,
    Unpatchable,
    are_maps,
    equal,
    field_of,
    in_order,
    key_of,
    list_field_of,
    place,
    same,
    without_null_members,
)


def merge(original: Object, patch: Object, schema: Type, *, applying: bool) -> Object:
    """`applying`: the original is an object, and directives are followed; else they are kept."""
    if DIRECTIVE in patch:
        return _directed(patch)
    out, rest = dict(original), dict(patch)
    _retain_keys(out, rest, applying=applying)
    _merge_ordered(out, rest, schema, applying=applying)
    for key, new in rest.items():
        if key.startswith(DELETE_FROM):
            if applying:
                _delete_from(out, key, new, schema)
            else:
                out[key] = new
        elif new is None and applying:
            out.pop(key, None)
        else:
            _merge_member(out, key, new, schema, applying=applying)
    return out


def _merge_member(out: Object, key: str, new: Any, schema: Type, *, applying: bool) -> None:
    if new is None or key not in out or type(out[key]) is not type(new):
        _take(out, key, without_null_members(new) if applying else new)
    elif isinstance(new, dict):
        field = field_of(schema, key)
        out[key] = new if field.replace else merge(out[key], new, field.type, applying=applying)
    elif isinstance(new, list):
        field, element = list_field_of(schema, key)
        if field.merge:
            new, _ = _merge_list(out[key], new, element, field.merge_key, applying=applying)
        out[key] = new
    else:
        out[key] = new


def _directed(patch: Object) -> Object:
    directive = patch[DIRECTIVE]
    if directive == REPLACE:
        return {key: value for key, value in patch.items() if key != DIRECTIVE}
    if directive == DELETE:
        return {}
    raise Unpatchable(f"unknown patch type: {directive} in map: …")


def _retain_keys(out: Object, rest: Object, *, applying: bool) -> None:
    kept = rest.pop(RETAIN_KEYS, None)
    if kept is None:
        return
    if not applying:
        if not same(out.setdefault(RETAIN_KEYS, kept), kept):
            raise Unpatchable(
                "… and … are not deep equal: this may happen when calculating the 3-way diff patch"
            )
        return
    for key, value in rest.items():
        if value is not None and not key.startswith((DELETE_FROM, ORDER)) and key not in kept:
            raise Unpatchable("invalid patch format of retainKeys")
    for key in [key for key in out if key not in kept]:
        del out[key]


def _delete_from(out: Object, directive: str, gone: list[Any], schema: Type) -> None:
    key = directive.partition("/")[2]
    if isinstance(out.get(key), list):
        list_field_of(schema, key)
        out[key] = [item for item in out[key] if place(gone, item, "") < 0]


def _merge_ordered(out: Object, rest: Object, schema: Type, *, applying: bool) -> None:
    """Merges the lists that come with an order, and takes them out of the rest."""
    for directive in [key for key in rest if key.startswith(ORDER)]:
        order = rest.pop(directive)
        if not applying and not same(out.setdefault(directive, order), order):
            raise Unpatchable("invalid patch format of setElementOrder list")
        key = directive.partition("/")[2]
        found, patched = key in out, key in rest
        old, new = out.get(key, []), rest.get(key, [])
        if not isinstance(old, list) or not isinstance(new, list):
            raise Unpatchable("expected a []interface {}, but received a …")
        field, element = list_field_of(schema, key)
        _check_order(new, order, field.merge_key)
        if not found and not patched:
            continue
        merged, old_after = old, old
        if found and patched:
            merged, old_after = _merge_list(old, new, element, field.merge_key, applying=applying)
        elif patched:
            merged = _without_directives(new)
        if not old and not new:
            raise Unpatchable("no elements in any of the given slices")
        are_maps(old, new)
        out[key] = _arranged(merged, order, old_after, field.merge_key)
        rest.pop(key, None)


def _check_order(new: list[Any], order: list[Any], merge_key: str) -> None:
    """What the patch lists must stand in the order's order."""
    if not new or not order:
        return
    at = 0
    for item in new:
        if _has_directive(item):
            continue
        value = key_of(item, merge_key) if merge_key else item
        while at < len(order) and not equal(value, order[at][merge_key] if merge_key else order[at]):
            at += 1
        if at == len(order):
            raise Unpatchable(f"The order in patch list:\n…\n doesn't match {ORDER} list:\n…\n")
        at += 1


def _merge_list(
    old: list[Any], new: list[Any], element: Type, merge_key: str, *, applying: bool
) -> tuple[list[Any], list[Any]]:
    """The merged list, and the old one as the library leaves it: it orders by that one."""
    if not old and not new:
        return old, old
    if not are_maps(old, new):
        merged: list[Any] = []
        for item in (*old, *new):
            if place(merged, item, "") < 0:
                merged.append(item)
        return _arranged(merged, new, old, ""), old
    if not merge_key:
        raise Unpatchable(f"cannot merge lists without merge key for {'struct' if element.name else 'map'}")
    kept, plain = _follow_directives(old, new, merge_key)
    merged = list(kept)
    for item in plain:
        key_of(item, merge_key)
        n = place(merged, item, merge_key)
        if n < 0:
            merged.append(item)
        else:
            merged[n] = merge(merged[n], item, element, applying=applying)
    # Deletion frees places in the old list's memory, and additions are written there: for the order of
    # items that only the server has, as many additions count as old as there were deletions.
    return _arranged(merged, plain, kept, merge_key), merged[: len(old)]


def _follow_directives(
    old: list[Object], new: list[Object], merge_key: str
) -> tuple[list[Object], list[Object]]:
    """What is left of the old items, and the new ones that are no directive."""
    kept, plain, replace = old, [], False
    for item in new:
        if DIRECTIVE not in item:
            plain.append(item)
            continue
        directive = item[DIRECTIVE]
        if directive == DELETE:
            value = key_of(item, merge_key)
            kept = [other for other in kept if not equal(other.get(merge_key), value)]
        elif directive == REPLACE:
            replace = True
        elif directive == MERGE:
            raise Unpatchable("merging lists cannot yet be specified in the patch")
        else:
            raise Unpatchable(f"unknown patch type: {directive} in map: …")
    return (plain, []) if replace else (kept, plain)


def _arranged(merged: list[Any], order: list[Any], old: list[Any], merge_key: str) -> list[Any]:
    """Items of the patch in its order; those of the server alone in between, where the old order puts them."""
    patched = in_order([item for item in merged if place(order, item, merge_key) >= 0], order, merge_key)
    others = in_order([item for item in merged if place(order, item, merge_key) < 0], old, merge_key)
    out = []
    i = 0
    for item in patched:
        if i < len(others):
            until = place(old, item, merge_key)
            while i < len(others) and 0 <= place(old, others[i], merge_key) < until:
                out.append(others[i])
                i += 1
        out.append(item)
    return out + others[i:]


def _take(out: Object, key: str, value: Any) -> None:
    if _has_directive(value):
        out.pop(key, None)
    else:
        out[key] = _without_directives(value)


def _has_directive(value: Any) -> bool:
    return isinstance(value, dict) and DIRECTIVE in value


def _without_directives(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_directives(member) for k, member in value.items() if not _has_directive(member)}
    if isinstance(value, list):
        return [_without_directives(item) for item in value if not _has_directive(item)]
    return value
