"""Made-up next versions of a chart: one input changed, then rendered again by Helm's own code.

Rendered objects are never edited: a chart that hashes its Job's content into the Job's name must be seen to
do so. A change that shows nowhere in the output, or does not render, is no next version.
"""

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.bump import bump_version
from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine
from watchbill.charts.images import bumped_literals, images_of, tag_of_leaf
from watchbill.charts.leaves import Leaf, leaves_of, next_value, overlay
from watchbill.charts.protocol import Context
from watchbill.charts.render import Rendering, Resource, render, render_one

MAX_VALUES = 200

Kind = Literal["chart version", "app version", "image", "value"]


class Change(Struct, frozen=True):
    """What differs from the version before."""

    kind: Kind
    where: str  # a path in the values, template:line of a literal, or empty
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.kind} {self.where}: {self.old} -> {self.new}".replace(" :", ":")


class NextVersion(Struct, frozen=True):
    change: Change
    rendering: Rendering


def next_versions(engine: Engine, chart: Chart, context: Context) -> list[NextVersion]:
    """Every next version that one request to the engine shows to differ, in a fixed order."""
    base = render_one(engine, chart, replace(context, want_values=True))
    tried = list(_changes(chart, base))
    results = render(engine, chart, [changed for _, changed in tried])
    return [
        NextVersion(change, result)
        for (change, _), result in zip(tried, results, strict=True)
        if isinstance(result, Rendering) and _matters(change, base, result)
    ]


def _changes(chart: Chart, base: Rendering) -> Iterator[tuple[Change, Context]]:
    context = replace(base.context, want_values=False)
    version = bump_version(chart.version)
    yield Change("chart version", "", chart.version, version), replace(context, chart_version=version)
    if chart.app_version:
        version = bump_version(chart.app_version)
        yield Change("app version", "", chart.app_version, version), replace(context, app_version=version)
    values = base.values or {}
    leaves = list(leaves_of(values))
    images = images_of(base.resources)
    of_images = set()
    for leaf in leaves:
        if (new := tag_of_leaf(leaf, images)) is not None:
            of_images.add(leaf.path)
            yield _changed_value("image", leaf, new, values, context)
    for where, old, new_text, edits in bumped_literals(chart, images):
        yield Change("image", where, old, new_text), replace(context, edits=edits)
    rest = [leaf for leaf in leaves if leaf.path not in of_images]
    for leaf in _likeliest(rest, base)[:MAX_VALUES]:
        new = next_value(leaf, chart.schema)
        if new is not None:
            yield _changed_value("value", leaf, new, values, context)


def _changed_value(
    kind: Kind, leaf: Leaf, new: str | float, values: dict[str, Any], context: Context
) -> tuple[Change, Context]:
    given = replace(context.values, overlay=overlay(values, leaf.path, new))
    return Change(kind, leaf.name, str(leaf.value), str(new)), replace(context, values=given)


def _likeliest(leaves: list[Leaf], base: Rendering) -> list[Leaf]:
    """Those whose text stands in a Job's pods first: a chart may have thousands."""
    pods = str([_pod_template(resource) for resource in base.resources])
    return sorted(leaves, key=lambda leaf: str(leaf.value) not in pods)


def _matters(change: Change, base: Rendering, changed: Rendering) -> bool:
    if change.kind == "value":
        return _pod_templates(base) != _pod_templates(changed)
    if change.kind == "image":
        return images_of(base.resources) != images_of(changed.resources)
    return True  # the versions change with every release, whether the templates show them or not


def _pod_templates(rendering: Rendering) -> list[Any]:
    return [_pod_template(resource) for resource in rendering.resources]


def _pod_template(resource: Resource) -> Any:
    """Of a Job or CronJob; other kinds are not ours to judge by."""
    spec = resource.object.get("spec")
    if resource.kind == "CronJob" and isinstance(spec, dict) and isinstance(spec.get("jobTemplate"), dict):
        spec = spec["jobTemplate"].get("spec")
    elif resource.kind != "Job":
        return None
    return spec.get("template") if isinstance(spec, dict) else None
