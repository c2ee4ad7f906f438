"""Fields in which two renderings of one chart differ, so that changes with the same effect are played once."""

from collections.abc import Iterator, Mapping
from typing import Any

from watchbill.charts.render import Rendering, Resource

Field = tuple[str | int, ...]
Effect = frozenset[Field]

# Maps whose keys are the user's own: which of them changes makes no difference to the tools.
_MAPS_OF_TEXT = frozenset("annotations data labels matchLabels nodeSelector stringData".split())


def effect(before: Rendering, after: Rendering) -> Effect:
    """Return the fields that differ, each with the place of its object. Items of a list count as one field."""
    old, new = _byplace_of(before), _byplace_of(after)
    return frozenset(
        (*place, *field)
        for place in old.keys() | new.keys()
        for field in _differing(old.get(place), new.get(place))
    )


def _byplace_of(rendering: Rendering) -> Mapping[Field, dict[str, Any]]:
    return {place_of(resource): resource.object for resource in rendering.resources}


def place_of(resource: Resource) -> Field:
    """Where templates make it: names may change."""
    return resource.origin.template, resource.origin.index, resource.kind, *resource.within


def _differing(one: Any, other: Any, path: Field = ()) -> Iterator[Field]:
    if one == other:
        return
    if isinstance(one, dict) and isinstance(other, dict) and not _MAPS_OF_TEXT.intersection(path[-1:]):
        for key in one.keys() | other.keys():
            yield from _differing(one.get(key), other.get(key), (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for before, after in zip(one, other, strict=True):
            yield from _differing(before, after, path)
    else:
        yield path
