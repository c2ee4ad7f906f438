"""Values with types, as structured-merge-diff sees them: which fields there are, which changed, how two merge.

A field is a path: names of members, keys of list items (pairs, sorted), and for lists of plain values the
value itself in a tuple of one. A set of fields is a set of paths; whoever owns a path does not own what is
above it.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.json import encode

from watchbill.lifecycle.kube.schema import Type, deduced

Element = str | tuple[Any, ...]
Path = tuple[Element, ...]
Fields = frozenset[Path]

MISSING = object()
SCALAR, LIST, MAP = range(3)


class Comparison(Struct, frozen=True):
    removed: set[Path]
    modified: set[Path]
    added: set[Path]


def _kind(type_: Type, value: Any) -> int:
    """How the type takes the value: untyped fields take anything."""
    if isinstance(value, dict):
        if type_.mapping:
            return MAP
    elif isinstance(value, list):
        if type_.element is not None:
            return LIST
    elif value is not None and type_.scalar:
        return SCALAR
    # A null, or a value of the wrong kind.
    return MAP if type_.mapping else SCALAR if type_.scalar else LIST


def _member(type_: Type, key: str) -> Type:
    field = type_.fields.get(key)
    if field is not None:
        return field.type
    return type_.others or deduced()


def _item(type_: Type) -> Type:
    assert type_.element is not None
    return type_.element


# ---- items of lists


class UnknownItemError(Exception):
    """An item of a list that nothing tells from others: no key, or a kind that cannot be one."""


def _element(type_: Type, item: Any) -> Element:
    if not type_.keys:
        return (_plain(item),)
    if item is None:
        raise UnknownItemError("associative list with keys may not have a null element")
    if not isinstance(item, dict):
        raise UnknownItemError("associative list with keys may not have non-map elements")
    defaults = type_.defaults
    element = tuple(
        (key, _hashable(item[key] if key in item else defaults[key]))
        for key in sorted(type_.keys)
        if key in item or key in defaults
    )
    if not element:
        names = " ".join(f'"{key}"' for key in type_.keys)
        raise UnknownItemError(
            f"associative list with keys has an element that omits all key fields [{names}] "
            "(and doesn't have default values for any key fields)"
        )
    return element


def _plain(item: Any) -> Any:
    if isinstance(item, dict):
        raise UnknownItemError("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise UnknownItemError("not supported: associative list with lists as elements")
    if item is None:
        raise UnknownItemError("associative list without keys has an element that's an explicit null")
    return _hashable(item)


def _hashable(value: Any) -> Any:
    """A key, which is hardly ever more than a string or number; true is not 1."""
    if isinstance(value, bool):
        return ("true",) if value else ("false",)
    return encode(value, order="sorted") if isinstance(value, dict | list) else value


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, tuple):
        return str(value[0])
    if isinstance(value, bytes):
        return value.decode()
    return encode(value).decode()


def text(path: Path) -> str:
    """As the server writes it: .spec.containers[name="c"].image"""
    return "".join(map(_element_text, path))


def _element_text(element: Element) -> str:
    if isinstance(element, str):
        return f".{element}"
    if _has_keys(element):
        return "[" + ",".join(f"{key}={_shown(value)}" for key, value in element) + "]"
    return f"[={_shown(element[0])}]"


def _has_keys(element: tuple[Any, ...]) -> bool:
    return isinstance(element[0], tuple) and len(element[0]) == 2


def in_order(paths: Iterable[Path]) -> list[Path]:
    """As the server lists them: at each level its own fields first, then what is below them."""
    return sorted(paths, key=_order)


def _order(path: Path) -> list[tuple[Any, ...]]:
    last = len(path) - 1
    return [(n < last, *_element_order(element)) for n, element in enumerate(path)]


def _element_order(element: Element) -> tuple[Any, ...]:
    if isinstance(element, str):
        return 0, element
    if _has_keys(element):
        return 1, [(key, _value_order(value)) for key, value in element]
    return 2, _value_order(element[0])


def _value_order(value: Any) -> tuple[int, Any]:
    if isinstance(value, int | float):
        return 0, value
    return (1, value) if isinstance(value, str) else (2, str(value))


# ---- does a value fit its type?


Wrong = list[tuple[str, str]]  # where and why; paths grow on the way up, so that what fits costs nothing


def misfits(value: Any, type_: Type, *, duplicates: bool = False) -> list[str]:
    """What is wrong with an object, in the server's words (value dumps elided)."""
    if type_ is deduced() or _fits(value, type_, duplicates):
        return []
    return [f"{at}: {why}" if at else why for at, why in _wrong(value, type_, duplicates=duplicates)]


def _fits(value: Any, type_: Type, duplicates: bool) -> bool:
    """Whether nothing is wrong with it, which is said much sooner than what is."""
    if isinstance(value, dict):
        if not type_.mapping:
            return False
        fields, others = type_.fields, type_.others
        for key, member in value.items():
            field = fields.get(key)
            inner = others if field is None else field.type
            if inner is None or (member is not None and not _fits(member, inner, duplicates)):
                return False
        return True
    if isinstance(value, list):
        element = type_.element
        if element is None:
            return False
        if type_.associative:
            try:
                seen = {_element(type_, item) for item in value}
            except UnknownItemError:
                return False
            if len(seen) < len(value) and not duplicates:
                return False
        return all(item is None or _fits(item, element, duplicates) for item in value)
    return value is None or (bool(type_.scalar) and not _wrong_scalar(type_.scalar, value))


def _wrong(value: Any, type_: Type, *, duplicates: bool) -> Wrong:
    if value is None:
        return []
    kind = _kind(type_, value)
    if kind == SCALAR:
        why = _wrong_scalar(type_.scalar, value)
        return [("", why)] if why else []
    if kind == LIST:
        return (
            _wrong_items(value, type_, duplicates=duplicates)
            if isinstance(value, list)
            else [("", "expected list, got …")]
        )
    return (
        _wrong_members(value, type_, duplicates=duplicates)
        if isinstance(value, dict)
        else [("", "expected map, got …")]
    )


def _wrong_members(members: dict[str, Any], type_: Type, *, duplicates: bool) -> Wrong:
    found: Wrong = []
    for key, member in members.items():
        if key not in type_.fields and type_.others is None:
            found.append((f".{key}", "field not declared in schema"))
            return found
        if wrong := _wrong(member, _member(type_, key), duplicates=duplicates):
            found += [(f".{key}{at}", why) for at, why in wrong]
    return found


def _wrong_items(items: list[Any], type_: Type, *, duplicates: bool) -> Wrong:
    found: Wrong = []
    seen: set[Element] = set()
    element: Element | None = None
    for n, item in enumerate(items):
        if type_.associative:
            try:
                element = _element(type_, item)
            except UnknownItemError as why:
                found.append(("", f"element {n}: {why}"))
                return found
            if element in seen and not duplicates:
                found.append(("", f"duplicate entries for key {_element_text(element)}"))
            seen.add(element)
        if wrong := _wrong(item, _item(type_), duplicates=duplicates):
            here = f"[{n}]" if element is None else _element_text(element)
            found += [(f"{here}{at}", why) for at, why in wrong]
    return found


def _wrong_scalar(scalar: str, value: Any) -> str:
    if scalar == "numeric":
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"expected numeric (int or float), got {_go_type(value)}"
    elif scalar == "string":
        if not isinstance(value, str):
            return "expected string, got …"
    elif scalar == "boolean":
        if not isinstance(value, bool):
            return "expected boolean, got …"
    elif isinstance(value, dict | list):
        return "expected any scalar, got …"
    return ""


def _go_type(value: Any) -> str:
    if isinstance(value, dict):
        return "map[string]interface {}"
    if isinstance(value, list):
        return "[]interface {}"
    return "bool" if isinstance(value, bool) else "string"


# ---- the fields of a value


def fields(value: Any, type_: Type) -> Fields:
    out: set[Path] = set()
    _collect(value, type_, (), out)
    out.discard(())
    return frozenset(out)


def _collect(value: Any, type_: Type, path: Path, out: set[Path]) -> None:
    kind = _kind(type_, value)
    if kind == SCALAR or (kind == LIST and not type_.associative) or (kind == MAP and type_.atomic):
        out.add(path)
    elif kind == LIST:
        item_type = _item(type_)
        for element, items in _by_element(type_, value or ()).items():
            here = (*path, element)
            if len(items) == 1:
                _collect(items[0], item_type, here, out)
            out.add(here)
    elif value is not None:
        for key, member in value.items():
            here = (*path, key)
            _collect(member, _member(type_, key), here, out)
            if member is None or member == {} or key not in type_.fields:
                out.add(here)


def _by_element(type_: Type, items: Iterable[Any]) -> dict[Element, list[Any]]:
    found: dict[Element, list[Any]] = {}
    for item in items:
        found.setdefault(_element(type_, item), []).append(item)
    return found


def with_parents(paths: Iterable[Path], type_: Type) -> set[Path]:
    """And the declared fields above them, which are owned only by implication."""
    out = set(paths)
    types: dict[Path, Type | None] = {(): type_}
    for path in list(out):
        at: Type | None = type_
        for n in range(1, len(path)):
            prefix = path[:n]
            if prefix not in types:
                types[prefix] = _below(at, path[n - 1])
                if at is not None and path[n - 1] in at.fields:
                    out.add(prefix)
            at = types[prefix]
    return out


def _below(type_: Type | None, element: Element) -> Type | None:
    if type_ is None:
        return None
    if isinstance(element, str):
        field = type_.fields.get(element)
        return field.type if field is not None else type_.others
    return type_.element if _has_keys(element) else None


# ---- what changed from one value to another


def compare(old: Any, new: Any, type_: Type) -> Comparison:
    comparison = Comparison(set(), set(), set())
    _compare(old, new, type_, (), comparison)
    for paths in (comparison.removed, comparison.modified, comparison.added):
        paths.discard(())
    return comparison


def _compare(old: Any, new: Any, type_: Type, path: Path, out: Comparison) -> None:
    if old is new:
        return
    pair = (old, new)
    if new is MISSING or old is MISSING:
        _compare_as(_kind(type_, old if new is MISSING else new), pair, type_, path, out)
        (out.removed if new is MISSING else out.added).add(path)
        return
    before, after = _kind(type_, old), _kind(type_, new)
    _compare_as(before, pair, type_, path, out)
    if before != after:
        _compare_as(after, pair, type_, path, out)


def _compare_as(kind: int, pair: tuple[Any, Any], type_: Type, path: Path, out: Comparison) -> None:
    old, new = pair
    if kind == MAP and not type_.atomic:
        before = old if isinstance(old, dict) else {}
        after = new if isinstance(new, dict) else {}
        if before or after:
            _compare_members(before, after, type_, path, out)
            return
    elif kind == LIST and type_.associative:
        items = old if isinstance(old, list) else []
        others = new if isinstance(new, list) else []
        if items or others:
            _compare_items(_by_element(type_, items), _by_element(type_, others), type_, path, out)
            return
    if old is not MISSING and new is not MISSING and not same(old, new):
        out.modified.add(path)


def _compare_members(
    old: dict[str, Any], new: dict[str, Any], type_: Type, path: Path, out: Comparison
) -> None:
    for key, value in old.items():
        _compare(value, new.get(key, MISSING), _member(type_, key), (*path, key), out)
    for key, value in new.items():
        if key not in old:
            _compare(MISSING, value, _member(type_, key), (*path, key), out)


def _compare_items(
    olds: dict[Element, list[Any]], news: dict[Element, list[Any]], type_: Type, path: Path, out: Comparison
) -> None:
    """Items with equal keys are one field together."""
    item_type = _item(type_)
    for element in {**olds, **news}:
        here = (*path, element)
        before, after = olds.get(element, []), news.get(element, [])
        if len(before) <= 1 and len(after) <= 1:
            _compare(before[0] if before else MISSING, after[0] if after else MISSING, item_type, here, out)
        elif len(before) > 1 and len(after) > 1:
            if not same(before, after):
                out.modified.add(here)
        elif len(before) > 1:
            if after:
                _compare(MISSING, after[0], item_type, here, out)
            out.removed.add(here)
        else:
            if before:
                _compare(before[0], MISSING, item_type, here, out)
            out.added.add(here)


def same(a: Any, b: Any) -> bool:
    """Numbers are equal by value; true is not 1."""
    if a is b:
        return True
    if isinstance(a, dict):
        return (
            isinstance(b, dict)
            and len(a) == len(b)
            and all(key in b and same(value, b[key]) for key, value in a.items())
        )
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    return isinstance(a, bool) is isinstance(b, bool) and bool(a == b)


# ---- merge and removal


def merge(old: Any, new: Any, type_: Type) -> Any:
    """What `new` says over what `old` is; the old value itself where nothing changes."""
    if new is None and old is not None and _kind(type_, None) == MAP and isinstance(old, dict):
        return None if type_.atomic or not old else old
    kind = _kind(type_, new)
    if kind == MAP and not type_.atomic and isinstance(old, dict) and isinstance(new, dict):
        return _merge_maps(old, new, type_)
    if kind == LIST and type_.associative:
        if isinstance(old, list) and old:
            return _merge_lists(old, new or [], type_)
        return new
    return old if type(old) is type(new) and same(old, new) else new


def _merge_maps(old: dict[str, Any], new: dict[str, Any], type_: Type) -> dict[str, Any]:
    if not new:
        return old
    out = dict(old)
    changed = False
    for key, value in new.items():
        if key not in old:
            out[key] = value
            changed = True
        elif (merged := merge(old[key], value, _member(type_, key))) is not old[key]:
            out[key] = merged
            changed = True
    return out if changed else old


def _merge_lists(old: list[Any], new: list[Any], type_: Type) -> list[Any]:
    """In the new order where it says something; items of the old list alone stay where they were."""
    if not new:
        return old
    item_type = _item(type_)
    olds = [_element(type_, item) for item in old]
    news = [_element(type_, item) for item in new]
    # Of duplicates nothing is merged: the new item takes their place.
    known: dict[Element, Any] = {}
    for element, item in zip(olds, old, strict=True):
        known[element] = MISSING if element in known else item
    given = dict(zip(news, new, strict=True))

    def merged(element: Element) -> Any:
        before = known.get(element, MISSING)
        return given[element] if before is MISSING else merge(before, given[element], item_type)

    shared = [element for element in news if element in known]
    out = []
    done: set[Element] = set()
    i = j = next_shared = 0
    while i < len(olds) or j < len(news):
        if i < len(olds) and j < len(news):
            if olds[i] == news[j]:
                out.append(merged(olds[i]))
                done.add(olds[i])
                i += 1
                j += 1
                next_shared += 1
                continue
            if olds[i] in given and next_shared < len(shared) and shared[next_shared] != olds[i]:
                i += 1
                continue
        if i < len(olds):
            if olds[i] not in given:
                out.append(old[i])
                i += 1
                continue
            if olds[i] in done:
                i += 1
        if j < len(news):
            out.append(merged(news[j]))
            done.add(news[j])
            if next_shared < len(shared) and shared[next_shared] == news[j]:
                next_shared += 1
            j += 1
    if len(out) == len(old) and all(a is b for a, b in zip(out, old, strict=True)):
        return old
    return out


def remove(value: Any, paths: set[Path], type_: Type) -> Any:
    """The value without these fields; a container that loses all it has becomes null."""
    if not paths:
        return value
    above = {path[:n] for path in paths for n in range(1, len(path))}
    return _remove(value, type_, (), paths, above)


def _remove(value: Any, type_: Type, path: Path, paths: set[Path], above: set[Path]) -> Any:
    kind = _kind(type_, value)
    if kind == SCALAR:
        return value
    if kind == LIST:
        if not isinstance(value, list) or not type_.associative:
            return None
        items = []
        for item in value:
            here = (*path, _element(type_, item))
            if here not in paths:
                items.append(_remove(item, _item(type_), here, paths, above) if here in above else item)
        return items or None
    if not isinstance(value, dict) or type_.atomic:
        return None
    out = {}
    for key, member in value.items():
        here = (*path, key)
        if here not in paths:
            out[key] = _remove(member, _member(type_, key), here, paths, above) if here in above else member
    return out or None
