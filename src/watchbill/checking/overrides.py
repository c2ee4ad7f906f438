"""Values that avoid a finding which lies in a dependency: its templates are somebody else's, its values are not.

Nothing is guessed: each candidate is rendered, and where it touches the object, the moves that show the finding are
played again. Only a candidate with which they do not show it, and break nothing else, is offered.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec.structs import replace

from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine
from watchbill.charts.group_testing import find_effective
from watchbill.charts.leaves import Path, merged
from watchbill.charts.protocol import Context
from watchbill.charts.render import Failure, Rendering, Resource, render, render_one
from watchbill.checking.findings import Heard
from watchbill.checking.mending import is_avoided
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.objects import at
from watchbill.rehearsal.versions import Versions
from watchbill.rules.look import look
from watchbill.rules.rule import Severity

MOST_TRIED = 60  # settings
MOST_CHECKED = 6
MARK = "watchbill.dev/mark-"
# What annotations of a dependency's Job could be set to, where it lets one set them.
ANNOTATIONS: tuple[dict[str, str], ...] = (
    {"helm.sh/hook-delete-policy": "before-hook-creation"},
    {"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation"},
    {"helm.sh/hook": "post-install,post-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation"},
)

Setting = tuple[Path, Any]


class Overrides:
    """What helps against the findings of one chart. Which settings touch an object is asked once for all of them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._touching: dict[object, list[Setting]] = {}

    def find(self, one: Heard, subject: Resource) -> str:
        """Return the values that help, as `--set` has them; empty if none was found, the object is the chart's own, or
        nothing needs to be done about it."""
        chart, context = one.ground.chart, one.ground.renderings[0].context
        if (
            chart is None
            or one.ground.checked
            or not subject.origin.subchart
            or one.severity is Severity.NOTE
        ):
            return ""
        if not isinstance(_lab(one).versions, Versions):  # the chart was mended first, and takes no values
            return ""
        which = (
            one.ground.profile,
            subject.origin.template,
            subject.origin.index,
            subject.kind,
            subject.name,
        )
        if which not in self._touching:
            only = replace(context, only=(subject.origin.template,))
            self._touching[which] = list(islice(self._touch(chart, only, subject), MOST_CHECKED))
        for path, value in self._touching[which]:
            if _helps(one, _overlay([(path, value)])):
                return _written(path, value)
        return ""

    def _touch(self, chart: Chart, context: Context, subject: Resource) -> Iterator[Setting]:
        """Yield the settings that touch the object, the gentlest first: annotations, then switches inside the dependency,
        then the dependency itself."""
        values = render_one(self._engine, chart, replace(context, want_values=True)).values or {}
        steps = tuple(subject.origin.subchart.split("/"))
        leaves = list(_leaves(_at(values, steps), steps))
        for path, there in self._annotating(chart, context, subject, leaves):
            yield from ((path, {**there, **added}) for added in ANNOTATIONS)
        switches = list(_switches(chart, leaves, steps))[:MOST_TRIED]

        def touch(groups: Sequence[Sequence[int]]) -> list[bool]:
            contexts = [_with(context, _overlay([switches[place] for place in group])) for group in groups]
            return [_touches(result, subject) for result in render(self._engine, chart, contexts)]

        yield from (switches[place] for place in sorted(find_effective(range(len(switches)), touch)))

    def _annotating(
        self, chart: Chart, context: Context, subject: Resource, leaves: Sequence[Setting]
    ) -> Iterator[Setting]:
        """Yield the maps that become annotations of the object itself: a mark in each of them shows it."""
        maps = [
            (path, leaf)
            for path, leaf in leaves
            if isinstance(leaf, dict) and str(path[-1]).lower().endswith("annotations")
        ]
        if not maps:
            return
        marks = [(path, {**leaf, f"{MARK}{place}": "true"}) for place, (path, leaf) in enumerate(maps)]
        [result] = render(self._engine, chart, [_with(context, _overlay(marks))])
        if isinstance(result, Failure):
            return
        seen = {
            key
            for one in result.resources
            if (one.kind, one.name) == (subject.kind, subject.name)
            for key in at(one.object, "metadata", "annotations") or ()
        }
        yield from (one for place, one in enumerate(maps) if f"{MARK}{place}" in seen)


def _helps(one: Heard, values: dict[str, Any]) -> bool:
    """Whether what was heard is not to be heard where the chart is given these values as well."""
    if one.sighting is not None:
        return is_avoided(one.sighting, _given(one.sighting.lab, values))
    assert one.seen is not None
    assert one.rule.inspect is not None
    seen = one.seen
    again = look(_given(seen.lab, values), seen.checked, (), seen.volatile, seen.kubernetes)
    return all(
        (other.subject, other.cause) != (one.claim.subject, one.claim.cause)
        for other in one.rule.inspect(again)
    )


def _lab(one: Heard) -> Lab:
    if one.sighting is not None:
        return one.sighting.lab
    assert one.seen is not None
    return one.seen.lab


def _given(lab: Lab, values: dict[str, Any]) -> Lab:
    versions = lab.versions
    assert isinstance(versions, Versions)
    return replace(lab, versions=versions.given(values))


def _switches(chart: Chart, leaves: Sequence[Setting], steps: Sequence[str]) -> Iterator[Setting]:
    switches = (path for path, leaf in leaves if leaf is True)
    yield from ((path, False) for path in sorted(switches, key=lambda path: -len(path)))
    for dependency in chart.dependencies:
        if steps[0] in (dependency.alias, dependency.name) and dependency.condition:
            yield tuple(dependency.condition.partition(",")[0].split(".")), False


def _leaves(thing: Any, path: Path) -> Iterator[Setting]:
    """Switches, and maps of annotations as a whole."""
    if not isinstance(thing, dict):
        return
    for key in sorted(thing):
        inner = thing[key]
        if isinstance(inner, dict) and inner and not key.lower().endswith("annotations"):
            yield from _leaves(inner, (*path, key))
        else:
            yield (*path, key), inner


def _at(values: Any, path: Sequence[str]) -> Any:
    for step in path:
        values = values.get(step) if isinstance(values, dict) else None
    return values


def _overlay(settings: Sequence[Setting]) -> dict[str, Any]:
    """Return values in which all of these are set."""
    over: dict[str, Any] = {}
    for path, value in settings:
        inner: Any = value
        for step in reversed(path):
            inner = {step: inner}
        over = merged(over, inner)
    return over


def _with(context: Context, values: dict[str, Any]) -> Context:
    return replace(context, values=replace(context.values, overlay=merged(context.values.overlay, values)))


def _touches(result: Rendering | Failure, subject: Resource) -> bool:
    if isinstance(result, Failure):
        return False
    same = [one for one in result.resources if (one.kind, one.name) == (subject.kind, subject.name)]
    return not same or any(one.object != subject.object for one in same)


def _written(path: Path, value: Any) -> str:
    where = ".".join(str(step) for step in path)
    if isinstance(value, dict):
        inside = ", ".join(f'{key}: "{word}"' for key, word in value.items())
        return f"{where}: {{{inside}}}"
    return f"{where}: {str(value).lower()}"
