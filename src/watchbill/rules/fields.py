"""A field of an object by its path, read and written."""

from typing import Any

from watchbill.lifecycle.objects import Object
from watchbill.rules.rule import Path


def get(thing: Any, path: Path) -> Any:
    """None where there is nothing."""
    for step in path:
        if isinstance(step, int):
            thing = thing[step] if isinstance(thing, list) and step < len(thing) else None
        else:
            thing = thing.get(step) if isinstance(thing, dict) else None
    return thing


def put(thing: Object, path: Path, value: Any) -> Object:
    """The object with another value there; None takes the field away. Items of a list must be there already."""
    name, rest = str(path[0]), path[1:]
    if rest and isinstance(rest[0], int):
        items = list(thing[name])
        items[rest[0]] = put(items[rest[0]], rest[1:], value)
        return {**thing, name: items}
    if rest:
        return {**thing, name: put(thing.get(name) or {}, rest, value)}
    if value is None:
        return {known: old for known, old in thing.items() if known != name}
    return {**thing, name: value}
