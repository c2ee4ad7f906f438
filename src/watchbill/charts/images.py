"""Container images of a rendering, and where in the inputs their tags may stand."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from watchbill.charts.bump import bump_image, bump_version
from watchbill.charts.chart import Chart
from watchbill.charts.leaves import Leaf, Path
from watchbill.charts.protocol import Edit
from watchbill.charts.render import Resource

# A tag like "3" stands in many places of a chart's templates that have nothing to do with it.
MAX_LITERALS = 100


class Image(Struct, frozen=True, order=True):
    """`registry:5000/team/app:1.2.3@sha256:...`, taken apart."""

    repository: str
    tag: str = ""
    digest: str = ""


def parse_image(reference: str) -> Image:
    name, _, digest = reference.partition("@")
    repository, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:  # no tag, or the colon of a registry's port
        return Image(name, "", digest)
    return Image(repository, tag, digest)


def images_of(resources: Iterable[Resource]) -> list[Image]:
    """All of them, sorted, as often as they occur."""
    return sorted(parse_image(image) for resource in resources for image in _images(resource.object))


def _images(thing: Any) -> Iterator[str]:
    """`image` of every container anywhere in the object, whatever its kind: custom ones hold pods too."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            if key == "image" and isinstance(value, str):
                yield value
            else:
                yield from _images(value)
    elif isinstance(thing, list):
        for item in thing:
            yield from _images(item)


def only_tags_differ(before: list[Image], after: list[Image]) -> bool:
    return before != after and [image.repository for image in before] == [image.repository for image in after]


def next_tag(leaf: Leaf, images: Iterable[Image]) -> str | None:
    """The leaf with the next tag, if it seems to hold a tag or a whole reference; a render is the judge."""
    if not isinstance(leaf.value, str):
        return None
    for image in images:
        if image.tag and leaf.value == image.tag:
            return bump_version(leaf.value)
        written = parse_image(leaf.value)
        if written.tag and written.tag == image.tag and image.repository.endswith(written.repository):
            return bump_image(leaf.value)
    return None


def seems_a_tag(leaf: Leaf, images: Iterable[Image]) -> bool:
    """Whether its text is part of an image reference, or its key says so."""
    if leaf.key.lower().endswith(("tag", "image", "version", "digest")):
        return True
    if not isinstance(text := leaf.value, str):  # a number is part of many tags, and a tag hardly ever
        return False
    return any(
        text in image.tag or (image.tag and f"{image.repository}:{image.tag}" in text) for image in images
    )


def empty_tags(
    values: dict[str, Any], images: Sequence[Image], app_version: str, path: Path = ()
) -> Iterator[tuple[Path, Image]]:
    """Tags that are left empty, so that templates put the app version there, each with the image it is of: that of
    the repository beside it, or one which has the app version for its tag."""
    for key in sorted(values):
        value = values[key]
        if isinstance(value, dict):
            yield from empty_tags(value, images, app_version, (*path, key))
        elif value in ("", None) and key.lower().endswith("tag"):
            beside = tuple(text for text in values.values() if isinstance(text, str) and text)
            tagged = [image for image in images if image.tag]
            own = (image for image in tagged if image.repository.endswith(beside)) if beside else ()
            followers = (image for image in tagged if image.tag == app_version)
            if (image := next(iter((*own, *followers)), None)) is not None:
                yield (*path, key), image


class Literal(Struct, frozen=True):
    """A tag as it stands in a template."""

    where: str  # template:line
    old: str
    new: str
    edit: Edit


def literal_tags(chart: Chart, images: Iterable[Image]) -> Iterator[Literal]:
    """Every place in a template, comments apart, where the text of a tag stands by itself."""
    found = 0
    for tag in sorted({image.tag for image in images if image.tag}):
        templates = [template for template in chart.templates if tag in template.text]
        if not templates:
            continue
        token = re.compile(rf"(?<![\w.-]){re.escape(tag)}(?![\w.-])")
        for template in templates:
            for match in token.finditer(_without_comments(template.text)):
                found += 1
                if found > MAX_LITERALS:
                    return
                before = template.text[: match.start()]
                start, new = len(before.encode()), bump_version(tag)
                yield Literal(
                    where=f"{chart.file(template.path)}:{before.count(chr(10)) + 1}",
                    old=tag,
                    new=new,
                    edit=Edit(template.path, start, start + len(tag.encode()), new),
                )


def _without_comments(text: str) -> str:
    """The text with its comments blanked, so that every position stays."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    return re.sub(r"\{\{-?\s*/\*(?s:.*?)\*/\s*-?\}\}|^[ \t]*#.*$", blank, text, flags=re.MULTILINE)
