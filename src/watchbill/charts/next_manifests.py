"""Made-up next versions of manifests: other image tags, other version labels.

A chart is rendered again with another input (next_versions.py). Manifests have no inputs, so their objects are edited.
A Job whose name follows its content, by a hash or a version in it, gets another name when that content changes.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.bump import bump_image, bump_version
from watchbill.charts.images import parse_image
from watchbill.charts.next_versions import Kind
from watchbill.charts.render import Rendering
from watchbill.patterns import regex

MAX_IMAGES = 50  # that are changed one at a time
KINDS: dict[str, Kind] = {
    "helm.sh/chart": "chart version",
    "app.kubernetes.io/version": "app version",
    "image": "image",
}
LONGEST_NAME = 63
SHORTEST_VERSION = 3  # a name may hold a "1" that has nothing to do with a version

Field = tuple[str, str]  # a key and its text: ("image", "app:1.0")
Edits = Mapping[Field, str]

_HASH = regex(
    r"(?=[a-f]*\d)[0-9a-f]{6,}"  # hexadecimal, with a digit in it
    r"|(?=.{5})(?:[a-z]+\d+[a-z]|\d+[a-z]+\d)[a-z0-9]*"  # letters and digits, mixed
)


class NextManifests(Struct, frozen=True):
    kinds: tuple[Kind, ...]  # what differs
    rendering: Rendering


def next_manifests(base: Rendering) -> list[NextManifests]:
    """Everything that a release usually changes at once, then each kind of change alone, then each image alone."""
    fields = dict.fromkeys(field for document in base.documents for field in _fields(document.object))
    edits = {field: new for field in fields if (new := _next_text(*field)) is not None}
    kinds = [key for key in KINDS if any(field[0] == key for field in edits)]
    by_kind = [{field: new for field, new in edits.items() if field[0] == key} for key in kinds]
    images = [{field: new} for field, new in edits.items() if field[0] == "image"]
    chosen = [edits, *by_kind, *(images[:MAX_IMAGES] if len(images) > 1 else [])]
    return [NextManifests(_kinds(one), _edited(base, one)) for one in chosen if one]


def _kinds(edits: Edits) -> tuple[Kind, ...]:
    return tuple(kind for key, kind in KINDS.items() if any(field[0] == key for field in edits))


def _fields(thing: Any) -> Iterator[Field]:
    """Images and version labels anywhere in an object, whatever its kind: custom ones have pods too."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            if key in KINDS and isinstance(value, str):
                yield key, value
            else:
                yield from _fields(value)
    elif isinstance(thing, list):
        for item in thing:
            yield from _fields(item)


def _next_text(key: str, text: str) -> str | None:
    if key != "image":
        return bump_version(text) if text else None
    image = parse_image(text)
    return bump_image(text) if image.tag or image.digest else None


def _edited(base: Rendering, edits: Edits) -> Rendering:
    objects = [_with_edits(document.object, edits) for document in base.documents]
    names = {
        name: f"{name[: LONGEST_NAME - 5]}-next"
        for document, changed in zip(base.documents, objects, strict=True)
        for name in _names_to_change(document.object, changed, edits)
    }
    if names:
        objects = [_with_names(thing, names) for thing in objects]
    documents = [
        replace(document, object=changed) for document, changed in zip(base.documents, objects, strict=True)
    ]
    return Rendering.of(base.context, documents)


def _with_edits(thing: Any, edits: Edits) -> Any:
    if isinstance(thing, dict):
        return {
            key: edits.get((key, value), value)
            if key in KINDS and isinstance(value, str)
            else _with_edits(value, edits)
            for key, value in thing.items()
        }
    return [_with_edits(item, edits) for item in thing] if isinstance(thing, list) else thing


def _with_names(thing: Any, names: Mapping[str, str]) -> Any:
    """With the new names wherever an old one stands: `kubectl wait job/NAME` in a script too."""
    if isinstance(thing, dict):
        return {key: _with_names(value, names) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_with_names(item, names) for item in thing]
    if isinstance(thing, str):
        for old, new in names.items():
            if old in thing:
                thing = re.sub(rf"(?<![\w.-]){re.escape(old)}(?![\w.-])", new, thing)
    return thing


def _names_to_change(thing: Any, changed: Any, edits: Edits) -> Iterator[str]:
    """Of Jobs that change: a hash in a name is taken for one of the spec, a version for the one that is edited."""
    if not isinstance(thing, dict) or thing == changed:
        return
    if isinstance(items := thing.get("items"), list):
        for item, other in zip(items, changed["items"], strict=True):
            yield from _names_to_change(item, other, edits)
    metadata = thing.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if thing.get("kind") != "Job" or not isinstance(name, str):
        return
    spec_changes = thing.get("spec") != changed.get("spec")
    by_hash = spec_changes and any(_HASH.fullmatch(part) for part in re.split(r"[-.]", name))
    if by_hash or any(_names_version(name, _version(*field)) for field in _fields(thing) if field in edits):
        yield name


def _version(key: str, text: str) -> str:
    if key == "image":
        return parse_image(text).tag
    return text.rpartition("-")[2] if key == "helm.sh/chart" else text


def _names_version(name: str, version: str) -> bool:
    """Whether the version stands in the name, also as it must be written there: 1.2 as 1-2."""
    if len(version) < SHORTEST_VERSION:
        return False
    parts = [part for part in re.split(r"[^a-z0-9]+", version.lower().removeprefix("v")) if part]
    return re.search(rf"(?<![a-z0-9])v?{'[-.]?'.join(parts)}(?![a-z0-9])", name) is not None
