"""The scalar leaves of a chart's values: which may change from one release to the next, and how."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from watchbill.charts.bump import bump

Path = tuple[str | int, ...]

# What these say is which object, or how many, not what runs: a release does not change them in passing.
_NAMES = re.compile(r"(name|names|namespace|existing\w*|claim|class|ref|hostname)$", re.IGNORECASE)
_COUNTS = re.compile(
    r"(replicas?|count|parallelism|completions|instances|shards|limit|max|min)$", re.IGNORECASE
)

# Words of Kubernetes' own enumerations: any other word would be refused.
_ENUM_WORDS = frozenset(
    [
        "Always",
        "IfNotPresent",
        "Never",
        "OnFailure",
        "ClusterIP",
        "NodePort",
        "LoadBalancer",
        "ExternalName",
        "TCP",
        "UDP",
        "SCTP",
        "HTTP",
        "HTTPS",
        "RuntimeDefault",
        "Unconfined",
        "Localhost",
        "ReadWriteOnce",
        "ReadOnlyMany",
        "ReadWriteMany",
        "ReadWriteOncePod",
        "Recreate",
        "RollingUpdate",
        "OnDelete",
        "OrderedReady",
        "Parallel",
        "Retain",
        "Delete",
        "Recycle",
        "Forbid",
        "Allow",
        "Replace",
        "None",
        "Default",
        "ClusterFirst",
        "ClusterFirstWithHostNet",
        "Local",
        "Cluster",
        "Exists",
        "Equal",
        "In",
        "NotIn",
        "NoSchedule",
        "NoExecute",
        "PreferNoSchedule",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
        "Memory",
        "Ignore",
        "Fail",
        "Foreground",
        "Background",
        "Orphan",
        "Indexed",
        "NonIndexed",
        "DoNotSchedule",
        "ScheduleAnyway",
        "Prefix",
        "Exact",
    ]
)


class Leaf(Struct, frozen=True):
    path: Path
    value: str | int | float

    @property
    def name(self) -> str:
        """The path as `--set` spells it."""
        text = ""
        for part in self.path:
            text += f"[{part}]" if isinstance(part, int) else f".{part}"
        return text.removeprefix(".")

    @property
    def key(self) -> str:
        """The last key of the path; items of a list go by the list's key."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")


def leaves_of(values: Any, path: Path = ()) -> Iterator[Leaf]:
    """Strings and numbers that are there; an empty string or a boolean is a switch, not a value."""
    if isinstance(values, dict):
        for key in sorted(values):
            yield from leaves_of(values[key], (*path, key))
    elif isinstance(values, list):
        for index, item in enumerate(values):
            yield from leaves_of(item, (*path, index))
    elif isinstance(values, str | int | float) and not isinstance(values, bool) and values != "":
        yield Leaf(path, values)


def next_value(leaf: Leaf, schema: dict[str, Any] | None) -> str | int | float | None:
    """Another value for the leaf, or None where a release would not change it so."""
    if _NAMES.search(leaf.key) or _COUNTS.search(leaf.key) or leaf.value in _ENUM_WORDS:
        return None
    rules = _rules_for(leaf.path, schema)
    if "enum" in rules or "const" in rules:
        return None
    return bump(leaf.value, rules)


def overlay(values: dict[str, Any], path: Path, new: str | float) -> dict[str, Any]:
    """Values to merge over the others so that only this leaf changes. Helm replaces lists as a whole."""

    def changed(there: Any, rest: Path) -> Any:
        if not rest:
            return new
        if isinstance(there, list) and isinstance(index := rest[0], int):
            return [_with(item, rest[1:], new) if i == index else item for i, item in enumerate(there)]
        return {rest[0]: changed(there[rest[0]], rest[1:])}

    result: dict[str, Any] = changed(values, path)
    return result


def _with(there: Any, path: Path, new: str | float) -> Any:
    """A copy of a list's item, whole, with the leaf changed."""
    if not path:
        return new
    if isinstance(there, list):
        return [_with(item, path[1:], new) if i == path[0] else item for i, item in enumerate(there)]
    return {key: _with(item, path[1:], new) if key == path[0] else item for key, item in there.items()}


def _rules_for(path: Path, schema: dict[str, Any] | None) -> dict[str, Any]:
    """The part of values.schema.json that speaks of the leaf, through local references; {} if none does."""
    rules = _resolve(schema, schema)
    for part in path:
        if isinstance(part, int):
            items = rules.get("items")
            rules = _resolve(items, schema)
            continue
        properties = rules.get("properties")
        found = properties.get(part) if isinstance(properties, dict) else None
        rules = _resolve(found if found is not None else rules.get("additionalProperties"), schema)
    return rules


def _resolve(rules: Any, schema: Any) -> dict[str, Any]:
    for _ in range(20):  # references that go in circles are the schema's mistake, not ours to follow
        if not isinstance(rules, dict):
            return {}
        reference = rules.get("$ref")
        if not (isinstance(reference, str) and reference.startswith("#/")):
            return rules
        rules = schema
        for part in reference[2:].split("/"):
            rules = rules.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(rules, dict) else None
    return {}
