"""What hooks read that run before an upgrade changes it: the contents of plain ConfigMaps and Secrets of the chart."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from watchbill.charts.render import Rendering, Resource

# Fields of a pod that name one, wherever they stand in it.
_NAMING = {
    "configMap": "ConfigMap",
    "configMapKeyRef": "ConfigMap",
    "configMapRef": "ConfigMap",
    "secret": "Secret",
    "secretKeyRef": "Secret",
    "secretRef": "Secret",
}
_CONTENTS = ("data", "stringData", "binaryData")


class Input(NamedTuple):
    kind: str
    name: str
    key: str = ""  # all of them, if it is empty


def read_by_hooks(rendering: Rendering) -> dict[Input, Resource]:
    hooks = [one for one in rendering.resources if one.hook and "pre-upgrade" in one.hook.events]
    plain = {(one.kind, one.name): one for one in rendering.resources if one.hook is None}
    named = (one for hook in hooks for one in _named(hook.object))
    return {one: plain[one.kind, one.name] for one in named if (one.kind, one.name) in plain}


def contents(rendering: Rendering) -> dict[Input, list[Any]]:
    return {
        one: [_within(resource.object.get(field), one.key) for field in _CONTENTS]
        for one, resource in read_by_hooks(rendering).items()
    }


def _within(content: Any, key: str) -> Any:
    return content.get(key) if key and isinstance(content, dict) else content


def _named(thing: Any) -> Iterator[Input]:
    if isinstance(thing, dict):
        for field, value in thing.items():
            if isinstance(value, dict) and (kind := _NAMING.get(field)):
                yield Input(
                    kind, str(value.get("name") or value.get("secretName")), str(value.get("key") or "")
                )
            yield from _named(value)
    elif isinstance(thing, list):
        for item in thing:
            yield from _named(item)
