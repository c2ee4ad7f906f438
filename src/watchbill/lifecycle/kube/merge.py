"""What a client's patch makes of the live object.

Patches are built and applied as client-go's strategicpatch and jsonmergepatch do it, their habits included:
how duplicate keys are paired, where items that only the server has end up, which null survives. A Job's
template is immutable, so the order of a list decides whether an upgrade fails.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from watchbill.lifecycle.kube.gosort import go_sorted
from watchbill.lifecycle.kube.schema import Field, Type, find

Object = dict[str, Any]

DIRECTIVE = "$patch"
DELETE = "delete"
REPLACE = "replace"
MERGE = "merge"
RETAIN_KEYS = "$retainKeys"
DELETE_FROM = "$deleteFromPrimitiveList"
ORDER = "$setElementOrder"


class Unpatchable(Exception):
    """The client or the server gives up on the patch, in the library's words (value dumps elided)."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


def strategic(api_version: str, kind: str, original: Object, modified: Object, current: Object) -> Object:
    """The live object after a three-way strategic merge patch; `current` itself if there is nothing to send."""
    schema = find(api_version, kind)
    assert schema is not None, f"{api_version} {kind} is no built-in kind: it gets a JSON merge patch"
    delta = _diff(current, modified, schema, _ADDITIONS)
    deletions = {} if original is modified else _diff(original, modified, schema, _DELETIONS)
    patch = _merge(deletions, delta, schema, applying=False)
    return _merge(current, patch, schema, applying=True) if patch else current


def json_three_way(original: Object, modified: Object, current: Object) -> Object:
    """The same with a JSON merge patch, for kinds without Go types: lists are replaced as a whole."""
    changes = _without_nulls(_json_diff(current, modified))
    deletions = {} if original is modified else _only_nulls(_json_diff(original, modified))
    patch = _json_merge(deletions, changes)
    return _json_merge(current, patch) if patch else current


def json_two_way(original: Object, modified: Object, current: Object) -> Object:
    """What changed from one version to the next, applied to the live object without looking at it."""
    patch = _json_diff(original, modified)
    return _json_merge(current, patch) if patch else current


# ---- strategic: the difference of two objects, as a patch


class _Mode(NamedTuple):
    additions: bool
    deletions: bool


_ADDITIONS = _Mode(additions=True, deletions=False)
_DELETIONS = _Mode(additions=False, deletions=True)


def _diff(original: Object, modified: Object, schema: Type, mode: _Mode, *, retain: bool = False) -> Object:
    patch: Object = {}
    for key, new in modified.items():
        if key not in original:
            if mode.additions:
                patch[key] = new
            continue
        old = original[key]
        if key == DIRECTIVE:
            if not isinstance(old, str) or not isinstance(new, str):
                raise Unpatchable(f"invalid value for special key: {DIRECTIVE}")
            if old != new:
                patch[key] = new
        elif type(old) is not type(new):
            if mode.additions:
                patch[key] = new
        elif isinstance(new, dict):
            _diff_map(key, old, new, patch, schema, mode)
        elif isinstance(new, list):
            _diff_list(key, old, new, patch, schema, mode)
        elif mode.additions and old != new:
            patch[key] = new
    if mode.deletions:
        for key in original:
            if key not in modified:
                patch[key] = None
    if retain:
        kept = sorted(key for key, value in modified.items() if value is not None)
        if kept and (patch or any(v is not None and k not in modified for k, v in original.items())):
            patch[RETAIN_KEYS] = kept
    return patch


def _diff_map(key: str, old: Object, new: Object, patch: Object, schema: Type, mode: _Mode) -> None:
    try:
        field = _field(schema, key)
    except Unpatchable:
        if _same(old, new):
            return
        raise
    if field.replace:
        # Sent even if nothing changed.
        if mode.additions:
            patch[key] = new
    elif inner := _diff(old, new, field.type, mode, retain=field.retain_keys):
        patch[key] = inner


def _diff_list(key: str, old: list[Any], new: list[Any], patch: Object, schema: Type, mode: _Mode) -> None:
    try:
        field, element = _list_field(schema, key)
    except Unpatchable:
        if _same(old, new):
            return
        raise
    if not field.merge:
        if mode.additions and not _same(old, new):
            patch[key] = new
        return
    if not old:
        if new and mode.additions:
            patch[key] = new
        return
    if _elements_are_maps(old, new):
        changed, order = _diff_maps(old, new, element, field, mode)
        if changed:
            patch[key] = changed
    else:
        added, deleted, order = _diff_scalars(old, new, mode)
        if added:
            patch[key] = added
        if deleted:
            patch[f"{DELETE_FROM}/{key}"] = deleted
    if order:
        patch[f"{ORDER}/{key}"] = order


def _diff_maps(
    old: list[Object], new: list[Object], element: Type, field: Field, mode: _Mode
) -> tuple[list[Object], list[Object]]:
    """Changed, added and (as directives) deleted items, and the order to keep if there is any reason to."""
    key = field.merge_key
    changed, deleted = [], []
    olds, news = _keyed(old, key), _keyed(new, key)
    i = j = 0
    while i < len(olds) or j < len(news):
        if i < len(olds) and j < len(news) and olds[i][0] == news[j][0]:
            _, item = news[j]
            if inner := _diff(olds[i][1], item, element, mode, retain=field.retain_keys):
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
    changed = _in_order(changed, new, key)
    moved = len(old) != len(new) or any(not _equal(a[key], b[key]) for a, b in zip(old, new, strict=True))
    changed += deleted
    if changed or (mode.additions and moved):
        return changed, [{key: item[key]} for item in new]
    return changed, []


def _diff_scalars(old: list[Any], new: list[Any], mode: _Mode) -> tuple[list[Any], list[Any], list[Any]]:
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
    added = _in_order(added, new, "") if mode.additions else []
    deleted = list(dict.fromkeys(deleted)) if mode.deletions else []
    # Compared with the sorted list: one whose order is not the alphabet's is always sent again.
    reason = deleted or (mode.additions and not _same(olds, new))
    return added, deleted, new if reason else []


def _keyed(items: list[Object], key: str) -> list[tuple[str, Object]]:
    """Items by the text of their key, duplicates in the order in which Go's sort leaves them."""
    keyed = [(_text(item.get(key)), item) for item in items]
    for _, item in keyed:
        _key_of(item, key)
    return go_sorted(keyed)


# ---- strategic: a patch merged into an object, or (not applying) into another patch


def _merge(original: Object, patch: Object, schema: Type, *, applying: bool) -> Object:
    if DIRECTIVE in patch:
        return _directed(patch)
    out, rest = dict(original), dict(patch)
    _retain_keys(out, rest, applying=applying)
    _merge_ordered(out, rest, schema, applying=applying)
    for patched_key, new in rest.items():
        key, from_list = patched_key, patched_key.startswith(DELETE_FROM)
        if from_list:
            if not applying:
                out[key] = new
                continue
            prefix, slash, key = key.partition("/")
            if prefix != DELETE_FROM or not slash:
                raise Unpatchable("invalid patch format of primitive list")
        if new is None:
            out.pop(key, None)
            if applying:
                continue
        if key not in out or type(out[key]) is not type(new):
            if not from_list:
                _take(out, key, _without_null_members(new) if applying else new)
        elif isinstance(new, dict):
            field = _field(schema, key)
            out[key] = new if field.replace else _merge(out[key], new, field.type, applying=applying)
        elif isinstance(new, list):
            field, element = _list_field(schema, key)
            if from_list:
                out[key] = [item for item in out[key] if not _contains(new, item)]
            elif field.merge:
                out[key] = _merge_list(out[key], new, element, field.merge_key, applying=applying)[0]
            else:
                out[key] = new
        else:
            out[key] = new
    return out


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
        if not _same(out.setdefault(RETAIN_KEYS, kept), kept):
            raise Unpatchable(
                "… and … are not deep equal: this may happen when calculating the 3-way diff patch"
            )
        return
    for key, value in rest.items():
        if value is not None and not key.startswith((DELETE_FROM, ORDER)) and key not in kept:
            raise Unpatchable("invalid patch format of retainKeys")
    for key in [key for key in out if key not in kept]:
        del out[key]


def _merge_ordered(out: Object, rest: Object, schema: Type, *, applying: bool) -> None:
    """Merges the lists that come with an order, and takes them out of the rest."""
    for directive in [key for key in rest if key.startswith(ORDER)]:
        order = rest.pop(directive)
        if not applying and not _same(out.setdefault(directive, order), order):
            raise Unpatchable("invalid patch format of setElementOrder list")
        key = directive.partition("/")[2]
        found, patched = key in out, key in rest
        if found and not isinstance(out[key], list) or patched and not isinstance(rest[key], list):
            raise Unpatchable("expected a []interface {}, but received a …")
        old, new = out.get(key, []), rest.get(key, [])
        field, element = _list_field(schema, key)
        _check_order(new, order, field.merge_key)
        if found and patched:
            if field.merge:
                merged, old_after = _merge_list(old, new, element, field.merge_key, applying=applying)
            else:
                merged, old_after = new, old
        elif found:
            merged, old_after = old, old
        elif patched:
            merged, old_after = _without_directives(new), old
        else:
            continue
        if not old and not new:
            raise Unpatchable("no elements in any of the given slices")
        _elements_are_maps(old, new)
        out[key] = _arranged(merged, order, old_after, field.merge_key)
        rest.pop(key, None)


def _check_order(new: list[Any], order: list[Any], merge_key: str) -> None:
    """What the patch lists must stand in the order's order."""
    if not new or not order:
        return
    items = [item for item in new if not (isinstance(item, dict) and DIRECTIVE in item)]
    at = 0
    for item in items:
        while at < len(order) and not _equal(_identity(item, merge_key), _identity(order[at], merge_key)):
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
    if not _elements_are_maps(old, new):
        merged = [item for n, item in enumerate([*old, *new]) if not _contains([*old, *new][:n], item)]
        return _arranged(merged, new, old, ""), old
    if not merge_key:
        raise Unpatchable(f"cannot merge lists without merge key for {'struct' if element.name else 'map'}")
    kept, plain, replace = list(old), [], False
    for item in new:
        directive = item.get(DIRECTIVE)
        if DIRECTIVE not in item:
            plain.append(item)
        elif directive == DELETE:
            value = _key_of(item, merge_key)
            kept = [other for other in kept if not _equal(other.get(merge_key), value)]
        elif directive == REPLACE:
            replace = True
        elif directive == MERGE:
            raise Unpatchable("merging lists cannot yet be specified in the patch")
        else:
            raise Unpatchable(f"unknown patch type: {directive} in map: …")
    if replace:
        kept, plain = plain, []
    merged = list(kept)
    for item in plain:
        value = _key_of(item, merge_key)
        for n, other in enumerate(merged):
            if merge_key in other and _equal(other[merge_key], value):
                merged[n] = _merge(other, item, element, applying=applying)
                break
        else:
            merged.append(item)
    # Deletion frees places in the old list's memory, and additions are written there: for the order of
    # items that only the server has, as many additions count as old as there were deletions.
    old_after = [*kept, *merged[len(kept) :]][: len(old)]
    return _arranged(merged, plain, kept, merge_key), old_after


def _arranged(merged: list[Any], order: list[Any], old: list[Any], merge_key: str) -> list[Any]:
    """Items of the patch in its order; those of the server alone in between, where the old order puts them."""
    patched = [item for item in merged if _place(order, item, merge_key) >= 0]
    others = [item for item in merged if _place(order, item, merge_key) < 0]
    if not others:
        return _in_order(patched, order, merge_key)
    patched = _in_order(patched, order, merge_key)
    others = _in_order(others, old, merge_key)
    out = []
    i = 0
    for item in patched:
        place = _place(old, item, merge_key)
        while i < len(others) and 0 <= _place(old, others[i], merge_key) < place:
            out.append(others[i])
            i += 1
        out.append(item)
    return out + others[i:]


def _in_order(items: list[Any], order: list[Any], merge_key: str) -> list[Any]:
    """As the order has them; what is to be deleted goes last."""
    if not merge_key:
        return sorted(items, key=lambda item: _place(order, item, ""))
    for item in (*items, *order):
        _key_of(item, merge_key)
    staying = [item for item in items if item.get(DIRECTIVE) != DELETE]
    going = [item for item in items if item.get(DIRECTIVE) == DELETE]
    return sorted(staying, key=lambda item: _place(order, item, merge_key)) + going


def _place(items: list[Any], item: Any, merge_key: str) -> int:
    value = item.get(merge_key) if merge_key else item
    for n, other in enumerate(items):
        if _equal(other.get(merge_key) if merge_key else other, value):
            return n
    return -1


def _take(out: Object, key: str, value: Any) -> None:
    if isinstance(value, dict) and DIRECTIVE in value:
        out.pop(key, None)
    else:
        out[key] = _without_directives(value)


def _without_directives(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_directives(member)
            for key, member in value.items()
            if not (isinstance(member, dict) and DIRECTIVE in member)
        }
    if isinstance(value, list):
        return [
            _without_directives(item) for item in value if not (isinstance(item, dict) and DIRECTIVE in item)
        ]
    return value


def _without_null_members(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null_members(member) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [_without_null_members(item) for item in value]
    return value


# ---- fields and values


def _field(schema: Type, key: str) -> Field:
    if field := schema.fields.get(key):
        return field
    if not schema.name:
        kind = "map" if schema.mapping else "slice" if schema.element else schema.scalar
        raise Unpatchable(f"merging an object in json but data type is not struct, instead is: {kind}")
    # Go reads member names in any case.
    for name, field in schema.fields.items():
        if name.lower() == key.lower():
            return field
    raise Unpatchable(f'unable to find api field in struct {schema.name} for the json field "{key}"')


def _list_field(schema: Type, key: str) -> tuple[Field, Type]:
    field = _field(schema, key)
    element = field.type.element
    if element is None or field.type.scalar:
        raise Unpatchable("expected slice or array type, but got: struct")
    return field, element


def _elements_are_maps(*lists: Iterable[Any]) -> bool:
    kinds = {type(item) for items in lists for item in items}
    if len(kinds) > 1:
        raise Unpatchable("list element types are not identical: …")
    if list in kinds:
        raise Unpatchable("lists of lists are not supported")
    return dict in kinds


def _key_of(item: Any, merge_key: str) -> Any:
    if merge_key not in item:
        raise Unpatchable(f"map: … does not contain declared merge key: {merge_key}")
    return item[merge_key]


def _identity(item: Any, merge_key: str) -> Any:
    return _key_of(item, merge_key) if merge_key else item


def _text(value: Any) -> str:
    """As Go prints it."""
    if isinstance(value, str):
        return value
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _equal(a: Any, b: Any) -> bool:
    """Two scalars; 1 and true are not equal."""
    return type(a) is type(b) and bool(a == b)


def _contains(items: list[Any], item: Any) -> bool:
    return any(_equal(item, other) for other in items)


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return len(a) == len(b) and all(key in b and _same(value, b[key]) for key, value in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


# ---- JSON merge patch


def _json_diff(old: Object, new: Object) -> Object:
    patch: Object = {}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif isinstance(value, dict) and isinstance(old[key], dict):
            if inner := _json_diff(old[key], value):
                patch[key] = inner
        elif not _json_same(old[key], value):
            patch[key] = value
    for key in old:
        if key not in new:
            patch[key] = None
    return patch


def _json_same(a: Any, b: Any) -> bool:
    """Numbers have one type here."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return len(a) == len(b) and all(key in b and _json_same(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_json_same, a, b))
    return bool(a == b)


def _json_merge(doc: Object, patch: Object) -> Object:
    out = dict(doc)
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        elif isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = _json_merge(out[key], value)
        elif isinstance(out.get(key), dict):
            out[key] = value
        else:
            out[key] = _without_null_members(value)
    return out


def _without_nulls(patch: Object) -> Object:
    out: Object = {}
    for key, value in patch.items():
        if isinstance(value, dict) and value:
            if inner := _without_nulls(value):
                out[key] = inner
        elif value is not None:
            out[key] = value
    return out


def _only_nulls(patch: Object) -> Object:
    out: Object = {}
    for key, value in patch.items():
        if value is None:
            out[key] = None
        elif isinstance(value, dict) and (inner := _only_nulls(value)):
            out[key] = inner
    return out
