"""The difference of two objects as a strategic merge patch, built as client-go's strategicpatch does."""

from typing import Any

from msgspec import Struct

from watchbill.lifecycle.kube.gosort import go_sorted
from watchbill.lifecycle.kube.schema import Field, Type
from watchbill.lifecycle.kube.strategic_values import (
    DELETE,
    DELETE_FROM,
    DIRECTIVE,
    ORDER,
    RETAIN_KEYS,
    Object,
    Unpatchable,
    are_maps,
    equal,
    field_of,
    in_order,
    key_of,
    list_field_of,
    same,
)


class Mode(Struct, frozen=True):
    additions: bool
    deletions: bool


ADDITIONS = Mode(additions=True, deletions=False)
DELETIONS = Mode(additions=False, deletions=True)


def diff(original: Object, modified: Object, schema: Type, mode: Mode, *, retain: bool = False) -> Object:
    """What is new or changed, or what is gone. `retain`: the server shall drop all members not named."""
    patch: Object = {}
    for key, new in modified.items():
        if key not in original:
            if mode.additions:
                patch[key] = new
        elif key == DIRECTIVE:
            if not isinstance(original[key], str) or not isinstance(new, str):
                raise Unpatchable(f"invalid value for special key: {DIRECTIVE}")
            if original[key] != new:
                patch[key] = new
        else:
            patch |= _diff_member(key, original[key], new, schema, mode)
    if mode.deletions:
        patch |= dict.fromkeys(key for key in original if key not in modified)
    if retain:
        kept = sorted(key for key, value in modified.items() if value is not None)
        if kept and (patch or any(v is not None and k not in modified for k, v in original.items())):
            patch[RETAIN_KEYS] = kept
    return patch


def _diff_member(key: str, old: Any, new: Any, schema: Type, mode: Mode) -> Object:
    if type(old) is type(new):
        if isinstance(new, dict):
            return _diff_map(key, old, new, schema, mode)
        if isinstance(new, list):
            return _diff_list(key, old, new, schema, mode)
        if old == new:
            return {}
    return {key: new} if mode.additions else {}


def _diff_map(key: str, old: Object, new: Object, schema: Type, mode: Mode) -> Object:
    try:
        field = field_of(schema, key)
    except Unpatchable:
        if same(old, new):
            return {}
        raise
    if field.replace:
        # Sent even if nothing changed.
        return {key: new} if mode.additions else {}
    inner = diff(old, new, field.type, mode, retain=field.retain_keys)
    return {key: inner} if inner else {}


def _diff_list(key: str, old: list[Any], new: list[Any], schema: Type, mode: Mode) -> Object:
    try:
        field, element = list_field_of(schema, key)
    except Unpatchable:
        if same(old, new):
            return {}
        raise
    if not field.merge:
        return {key: new} if mode.additions and not same(old, new) else {}
    if not old:
        return {key: new} if mode.additions and new else {}
    deleted: list[Any] = []
    if are_maps(old, new):
        changed, order = _diff_maps(old, new, element, field, mode)
    else:
        changed, deleted, order = _diff_scalars(old, new, mode)
    found = ((key, changed), (f"{DELETE_FROM}/{key}", deleted), (f"{ORDER}/{key}", order))
    return {name: items for name, items in found if items}


def _diff_maps(
    old: list[Object], new: list[Object], element: Type, field: Field, mode: Mode
) -> tuple[list[Object], list[Object]]:
    """Changed, added and (as directives) deleted items, and the order to keep if there is any reason to."""
    key = field.merge_key
    changed, deleted = [], []
    olds, news = _keyed(old, key), _keyed(new, key)
    i = j = 0
    while i < len(olds) or j < len(news):
        if i < len(olds) and j < len(news) and olds[i][0] == news[j][0]:
            _, item = news[j]
            if inner := diff(olds[i][1], item, element, mode, retain=field.retain_keys):
                inner[key] = item[key]
                changed.append(inner)
            i += 1
            j += 1
        elif j < len(news) and (i == len(olds) or olds[i][0] > news[j][0]):
            if mode.additions:
                changed.append(news[j][1])
            j += 1
        else:
            if mode.deletions:
                deleted.append({key: olds[i][1][key], DIRECTIVE: DELETE})
            i += 1
    changed = in_order(changed, new, key) + deleted
    moved = len(old) != len(new) or any(not equal(a[key], b[key]) for a, b in zip(old, new, strict=True))
    if changed or (mode.additions and moved):
        return changed, [{key: item[key]} for item in new]
    return changed, []


def _diff_scalars(old: list[Any], new: list[Any], mode: Mode) -> tuple[list[Any], list[Any], list[Any]]:
    """Added, deleted, and the order to keep if there is any reason to."""
    olds, news = sorted(old, key=_text), sorted(new, key=_text)
    added, deleted = [], []
    i = j = 0
    while i < len(olds) or j < len(news):
        a = _text(olds[i]) if i < len(olds) else None
        b = _text(news[j]) if j < len(news) else None
        if a == b:
            i += 1
            j += 1
        elif a is None or (b is not None and a > b):
            added.append(news[j])
            j += 1
        else:
            deleted.append(olds[i])
            i += 1
    added = in_order(added, new, "") if mode.additions else []
    deleted = list(dict.fromkeys(deleted)) if mode.deletions else []
    # Compared with the sorted list: one whose order is not the alphabet's is always sent again.
    reason = deleted or (mode.additions and not same(olds, new))
    return added, deleted, new if reason else []


def _keyed(items: list[Object], key: str) -> list[tuple[str, Object]]:
    """Items by the text of their key, duplicates in the order in which Go's sort leaves them."""
    return go_sorted([(_text(key_of(item, key)), item) for item in items])


def _text(value: Any) -> str:
    """As Go prints it."""
    if isinstance(value, str):
        return value
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
