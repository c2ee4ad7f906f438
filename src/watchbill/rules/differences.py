"""What differs between an object as it is and as an upgrade wants it: paths for lines, words for people."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from watchbill.lifecycle.kube.defaults import prepare_create
from watchbill.lifecycle.objects import Body, Object
from watchbill.rules.fields import get, put
from watchbill.rules.rule import Path

MOST = 3
# Whose items are meant by their names: what stands before or after them makes no difference.
NAMED = frozenset({"containers", "initContainers", "ephemeralContainers", "env", "volumes"})
SECOND_NAME = "serviceAccount"  # of serviceAccountName, filled in by the server
# Which say what made the pod, not what it is: they change with every release.
OF_THE_RELEASE = frozenset({"helm.sh/chart", "app.kubernetes.io/version", "chart", "version", "heritage"})


class Difference(Struct, frozen=True):
    path: Path  # in the new object; of what is around it, where something is gone
    words: str  # label helm.sh/chart


@lru_cache(1 << 10)  # many sightings are of the same two
def differences(live: Body, wanted: Body, *roots: Path) -> tuple[Difference, ...]:
    """Below these fields, as the server would store both: what it fills in by itself is no difference."""
    new = prepare_create(wanted.object)
    found = dict[str, Difference]()
    for root in roots:
        for path, names in _differ(get(live.object, root), get(new, root), root, root):
            if names[-1] != SECOND_NAME:
                words = _words(names)
                found.setdefault(words, Difference(path, words))
    return tuple(found.values())


def listed(found: Sequence[Difference]) -> str:
    """`label helm.sh/chart, the image of container "main" and 3 more`"""
    words = [one.words for one in found]
    if len(words) > MOST:
        words[MOST - 1 :] = [f"{len(words) - MOST + 1} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def change(found: Sequence[Difference]) -> str:
    return "changes" if len(found) < 2 else "change"


def marks(found: Sequence[Difference]) -> list[tuple[str, str]]:
    """Labels and annotations of a pod template (which of both, and the name), if nothing but such marks differs."""
    paths = [one.path for one in found]
    only = all(
        len(path) == 5 and path[-3:-1] in (("metadata", "labels"), ("metadata", "annotations"))
        for path in paths
    )
    return [(str(path[-2]), str(path[-1])) for path in paths] if only else []


def without_marks(thing: Object, names: Sequence[tuple[str, str]]) -> Object:
    """The object without these labels and annotations in its pod template."""
    for field in ("labels", "annotations"):
        path = ("spec", "template", "metadata", field)
        known = get(thing, path)
        if isinstance(known, dict):
            thing = put(thing, path, {name: known[name] for name in known if (field, name) not in names})
    return thing


def _differ(old: Any, new: Any, path: Path, names: Path) -> Iterator[tuple[Path, Path]]:
    """Each with two paths: by places in lists, for lines, and by names in them, for words."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted({*old, *new}):
            inner = (*path, name) if name in new else path
            yield from _differ(old.get(name), new.get(name), inner, (*names, name))
        return
    if isinstance(old, list) and isinstance(new, list) and names[-1] in NAMED:
        before = {item.get("name"): item for item in old}
        after = {item.get("name"): (place, item) for place, item in enumerate(new)}
        if (
            len(before) == len(old)
            and len(after) == len(new)
            and [*before] != [*after]
            and {*before} == {*after}
        ):
            yield path, (*names, "order")
        for name in dict.fromkeys([*after, *before]):
            place, item = after.get(name, (None, None))
            inner = path if place is None else (*path, place)
            yield from _differ(before.get(name), item, inner, (*names, str(name)))
        return
    yield path, names


def _words(names: Path) -> str:
    """Of a field in a pod template where it is one, else of any field."""
    steps = [str(name) for name in names]
    for place, step in enumerate(steps):
        rest = steps[place + 1 :]
        if step in ("labels", "matchLabels", "annotations") and rest:
            return f"{'annotation' if step == 'annotations' else 'label'} {rest[0]}"
        if step in ("containers", "initContainers") and rest:
            return _container(rest)
        if step == "volumes" and rest:
            return f'volume "{rest[0]}"' if rest[0] != "order" else "the order of volumes"
    return ".".join(steps[3:] if steps[:3] == ["spec", "template", "spec"] else steps)


def _container(steps: Sequence[str]) -> str:
    name, rest = steps[0], steps[1:]
    if name == "order":
        return "the order of containers"
    of = f' of container "{name}"'
    if not rest:
        return f'container "{name}"'
    if rest[0] == "env" and len(rest) > 1:
        return f"the order of env{of}" if rest[1] == "order" else f"env {rest[1]}{of}"
    return f"the {rest[0]}{of}"
