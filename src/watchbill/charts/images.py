"""Container images of a rendering, and where in the inputs their tags stand."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from watchbill.charts.bump import bump, bump_version
from watchbill.charts.chart import Chart
from watchbill.charts.leaves import Leaf
from watchbill.charts.protocol import Edit
from watchbill.charts.render import Resource


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


def images_of(resources: Iterable[Resource]) -> frozenset[Image]:
    return frozenset(parse_image(image) for resource in resources for image in _images(resource.object))


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


def tag_of_leaf(leaf: Leaf, images: frozenset[Image]) -> str | int | float | None:
    """The leaf with the next tag, if it holds an image's tag: alone, behind its repository, or as a number."""
    value = leaf.value
    for image in sorted(images):
        if not image.tag:
            continue
        if not isinstance(value, str):
            if str(value) == image.tag:
                return bump(value)
        elif value == image.tag:
            return bump_version(value)
        elif value.endswith(f":{image.tag}") and _could_be(parse_image(value), image):
            return f"{value.removesuffix(image.tag)}{bump_version(image.tag)}"
    return None


def _could_be(written: Image, rendered: Image) -> bool:
    """`app:1` in the values may be rendered with a registry in front of it."""
    return rendered.repository == written.repository or rendered.repository.endswith(f"/{written.repository}")


def bumped_literals(
    chart: Chart, images: frozenset[Image]
) -> Iterator[tuple[str, str, str, tuple[Edit, ...]]]:
    """Tags that stand as literals in templates: (first place, old, new, the edits that raise them all)."""
    for image in sorted(images):
        if not image.tag:
            continue
        new, edits, first = bump_version(image.tag), [], ""
        # The whole reference, or a tag right behind template code on a line that names an image.
        literal = re.compile(
            rf"(?:{re.escape(image.repository)}|image:.*\}}\}}):({re.escape(image.tag)})(?![\w.+-])"
        )
        for template in chart.templates:
            for match in literal.finditer(template.text):
                before = template.text[: match.start(1)]
                start = len(before.encode())
                edits.append(Edit(template.path, start, start + len(match[1].encode()), new))
                first = first or f"{chart.file(template.path)}:{before.count(chr(10)) + 1}"
        if edits:
            yield first, f"{image.repository}:{image.tag}", f"{image.repository}:{new}", tuple(edits)
