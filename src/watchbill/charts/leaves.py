"""The scalar leaves of a chart's values: which may change from one release to the next."""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

Path = tuple[str | int, ...]

# By the last word of a key: these say which object, or how many, not what runs. A release does not change
# them in passing.
_NAMES = frozenset(
    "name names namespace namespaces override secret secrets account accounts claim class".split()
)
_COUNTS = frozenset(
    "replica replicas count parallelism completions instances shards limit max min maximum minimum".split()
)
_BOOLEANS = frozenset("true false yes no on off".split())

# Words of Kubernetes' own enumerations: any other word would be refused.
_ENUM_WORDS = frozenset(
    "Always IfNotPresent Never OnFailure ClusterIP NodePort LoadBalancer ExternalName TCP UDP SCTP HTTP HTTPS "
    "RuntimeDefault Unconfined Localhost ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod Recreate "
    "RollingUpdate OnDelete OrderedReady Parallel Retain Delete Recycle Forbid Allow Replace None Default "
    "ClusterFirst ClusterFirstWithHostNet Local Cluster Exists Equal In NotIn NoSchedule NoExecute "
    "PreferNoSchedule Directory DirectoryOrCreate File FileOrCreate Socket Memory Ignore Fail Foreground "
    "Background Orphan Indexed NonIndexed DoNotSchedule ScheduleAnyway Prefix Exact".split()
)
_ESCAPED = str.maketrans({letter: f"\\{letter}" for letter in ".,=[\\"})


class Leaf(Struct, frozen=True):
    path: Path
    value: str | int | float

    @property
    def name(self) -> str:
        """The path as `--set` spells it."""
        parts = (
            f"[{part}]" if isinstance(part, int) else f".{part.translate(_ESCAPED)}" for part in self.path
        )
        return "".join(parts).removeprefix(".")

    @property
    def key(self) -> str:
        """The last key of the path; items of a list go by the list's key."""
        return next((part for part in reversed(self.path) if isinstance(part, str)), "")

    @property
    def may_change(self) -> bool:
        """False for names, counts and words out of a fixed few. A schema's enumerations are Helm's to refuse."""
        if isinstance(self.value, str) and (
            self.value in _ENUM_WORDS or self.value.lower() in _BOOLEANS or not self.value.strip()
        ):
            return False
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", self.key)
        return not words or words[-1].lower() not in _NAMES | _COUNTS


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


def overlay(values: dict[str, Any], path: Path, new: str | float) -> dict[str, Any]:
    """Values to merge over the others so that only this leaf changes. Helm replaces lists as a whole."""
    key, rest = str(path[0]), path[1:]
    there = values[key]
    return {key: overlay(there, rest, new) if rest and isinstance(there, dict) else _with(there, rest, new)}


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Both overlays at once; where they meet, the second wins."""
    both = dict(one)
    for key, value in other.items():
        there = both.get(key)
        both[key] = merged(there, value) if isinstance(there, dict) and isinstance(value, dict) else value
    return both


def _with(there: Any, path: Path, new: str | float) -> Any:
    """A copy, whole, with the leaf changed."""
    if not path:
        return new
    copy = there.copy()
    copy[path[0]] = _with(there[path[0]], path[1:], new)
    return copy
