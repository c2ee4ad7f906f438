"""Made-up next versions of a chart: one input changed, then rendered again by Helm's own code.

Rendered objects are never edited: a chart that hashes its Job's content into the Job's name must be seen to
do so. Nor does Watchbill guess which input does what: it renders candidates, and the output shows what each of
them changed. Most values change no Job, so values are tried in groups, and only a group that changes something is
split (`group_testing`). A candidate that changes nothing, or does not render, is not a next version.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.bump import bump_version, candidates
from watchbill.charts.chart import Chart
from watchbill.charts.effects import Effect, effect
from watchbill.charts.engine import Engine
from watchbill.charts.group_testing import find_effective
from watchbill.charts.images import (
    empty_tags,
    images_of,
    literal_tags,
    next_tag,
    only_tags_differ,
    seems_a_tag,
)
from watchbill.charts.leaves import Leaf, leaves_of, merged, overlay
from watchbill.charts.protocol import Context
from watchbill.charts.reach import Watch, Watched, reaching
from watchbill.charts.render import Rendering, Resource, render_each, render_one

MAX_VALUES = 200
MAX_DOCUMENTS = 20_000  # a chart of hundreds of Jobs gets fewer values tried, not more time

Kind = Literal["chart version", "app version", "image", "value"]


class Change(Struct, frozen=True):
    """What differs from the version before."""

    kind: Kind
    where: str  # a path in the values, template:line of a literal, or empty
    old: str
    new: str

    def __str__(self) -> str:
        subject = f"{self.kind} {self.where}".rstrip()
        return f"{subject}: {_brief(self.old) or '(empty)'} -> {_brief(self.new)}"


class NextVersion(Struct, frozen=True):
    change: Change
    rendering: Rendering
    effect: Effect = frozenset()


class _Trial(Struct, frozen=True):
    """One input changed, before it is known what that does."""

    change: Change
    context: Context


def next_versions(
    engine: Engine,
    chart: Chart,
    context: Context,
    *,
    watch: Watch = lambda _: {},
    meanwhile: Callable[[Rendering], None] | None = None,
) -> list[NextVersion]:
    """Every next version that the engine shows to differ, in a fixed order. `watch`: what of a rendering matters beside
    Jobs. `meanwhile`: to be done with what they differ from while the engine is at work."""
    base = render_one(engine, chart, replace(context, want_values=True))
    judge = _Judge(base, watch)
    tags, others = _leaves(chart, base, judge.watched.values())
    first = [[trial] for trial in _trials(chart, base)]
    found = _found(engine, chart, judge, [*first, *_leaf_trials(chart, base, tags)], meanwhile)
    effective = _effective(engine, chart, judge, others)
    found |= _found(engine, chart, judge, list(_leaf_trials(chart, base, effective)))
    found |= _found(engine, chart, judge, [[trial] for trial in _second_trials(chart, base, found)])
    return sorted(found.values(), key=lambda version: _ORDER[version.change.kind])


def _effective(engine: Engine, chart: Chart, judge: "_Judge", leaves: Sequence[Leaf]) -> list[Leaf]:
    """Return the leaves that may change something that matters, in their order. Groups are rendered until they change
    nothing; a leaf that does not render with another value may still do so with a third one."""

    def have_effect(groups: Sequence[Sequence[Leaf]]) -> list[bool]:
        contexts = [_with_next_values(judge.base, group) for group in groups]
        differ = [True] * len(groups)
        for index, result in render_each(engine, chart, contexts):
            differ[index] = not isinstance(result, Rendering) or judge.differs(result)
        return differ

    effective = set(find_effective(leaves, have_effect))
    return [leaf for leaf in leaves if leaf in effective]


def _with_next_values(base: Rendering, leaves: Sequence[Leaf]) -> Context:
    """Return the context in which each of these leaves has its likeliest next value."""
    context = replace(base.context, want_values=False)
    values, over = base.values or {}, dict[str, Any]()
    for leaf in leaves:
        change = overlay(values, leaf.path, candidates(leaf.value)[0])
        values, over = merged(values, change), merged(over, change)
    return _with_values(context, over)


Which = tuple[str, str]


def _which(change: Change) -> Which:
    return change.where or change.kind, change.old


def _found(
    engine: Engine,
    chart: Chart,
    judge: "_Judge",
    inputs: Sequence[Sequence[_Trial]],
    meanwhile: Callable[[Rendering], None] | None = None,
) -> dict[Which, NextVersion]:
    """Return what differs, by the input that makes it differ. Each input has alternatives, of which the first that
    renders counts; those of all inputs are rendered in one request."""
    found: dict[Which, NextVersion] = {}
    while inputs:
        refused = list[Sequence[_Trial]]()
        results = render_each(engine, chart, [alternatives[0].context for alternatives in inputs])
        if meanwhile is not None:
            meanwhile(judge.base)
            meanwhile = None
        for index, result in results:
            change, others = inputs[index][0].change, inputs[index][1:]
            if not isinstance(result, Rendering):
                refused += [others] if others else []
            elif change.where and _which(change) in found:  # the same tag twice in one line
                continue
            elif (kind := judge.kind(change, result)) is not None:
                found[_which(change)] = NextVersion(
                    replace(change, kind=kind), result, effect(judge.base, result)
                )
        inputs = refused
    return found


def _second_trials(chart: Chart, base: Rendering, found: Mapping[Which, NextVersion]) -> Iterator[_Trial]:
    """What the first renders show to be worth another one."""
    named = _jobs(base)
    released = found.get(("chart version", chart.version))
    if released is not None and _jobs(released.rendering) != named:
        # Jobs named by the chart's version rely on it: what only a new version can bring comes with one.
        for version in found.values():
            context = version.rendering.context
            if version.change.kind == "app version" or context.edits:
                yield _Trial(version.change, replace(context, chart_version=released.change.new))
    values, context = base.values or {}, replace(base.context, want_values=False)
    followed = found.get(("app version", chart.app_version))
    # A tag that is left to follow the app version is mostly tried with it; not where Jobs are named by it.
    left = (
        images_of(followed.rendering.resources) if followed and _jobs(followed.rendering) == named else None
    )
    for path, image in empty_tags(values, images_of(base.resources), chart.app_version):
        if left is None or image in left:
            change = Change("value", Leaf(path, "").name, "", bump_version(image.tag))
            yield _Trial(change, _with_values(context, overlay(values, path, change.new)))


def _jobs(rendering: Rendering) -> list[str]:
    return [resource.name for resource in rendering.resources if resource.kind == "Job"]


_ORDER: dict[Kind, int] = {"chart version": 0, "app version": 1, "image": 2, "value": 3}


def _trials(chart: Chart, base: Rendering) -> Iterator[_Trial]:
    """Yield new versions of chart and application, and other tags for the images that templates name."""
    context = replace(base.context, want_values=False)
    version = bump_version(chart.version)
    yield _Trial(Change("chart version", "", chart.version, version), replace(context, chart_version=version))
    if chart.app_version:
        version = bump_version(chart.app_version)
        yield _Trial(
            Change("app version", "", chart.app_version, version), replace(context, app_version=version)
        )
    for literal in literal_tags(chart, images_of(base.resources)):
        change = Change("image", literal.where, literal.old, literal.new)
        yield _Trial(change, replace(context, edits=(literal.edit,)))


def _leaves(
    chart: Chart, base: Rendering, watched: Iterable[Watched]
) -> tuple[Sequence[Leaf], Sequence[Leaf]]:
    """Return the values that seem to be tags of images, and the others that may reach what matters."""
    images = images_of(base.resources)
    leaves = list(leaves_of(base.values or {}))
    tags = [leaf for leaf in leaves if seems_a_tag(leaf, images)]
    others = [leaf for leaf in leaves if leaf not in tags and leaf.may_change]
    others = reaching(others, chart, base, watched)
    budget = min(MAX_VALUES, MAX_DOCUMENTS // max(len(base.documents), 1))
    return tags[:budget], _likeliest(others, chart, base)[: max(budget - len(tags), 0)]


def _leaf_trials(chart: Chart, base: Rendering, leaves: Iterable[Leaf]) -> Iterator[Sequence[_Trial]]:
    """Yield other values for each leaf; with a schema several, because it may refuse the first ones."""
    context, values, images = (
        replace(base.context, want_values=False),
        base.values or {},
        images_of(base.resources),
    )
    for leaf in leaves:
        following = candidates(leaf.value)
        if (tag := next_tag(leaf, images)) is not None:
            following = [tag, *following]
        yield [
            _Trial(
                Change("value", leaf.name, str(leaf.value), str(new)),
                _with_values(context, overlay(values, leaf.path, new)),
            )
            for new in (following if chart.has_schema else following[:1])
        ]


def _with_values(context: Context, over: dict[str, Any]) -> Context:
    return replace(context, values=replace(context.values, overlay=merged(context.values.overlay, over)))


def _likeliest(leaves: Sequence[Leaf], chart: Chart, base: Rendering) -> list[Leaf]:
    """A chart may have thousands of values. First those whose text stands in a Job's pods, then those whose
    key a template mentions, then the rest."""
    pods = " ".join(_pod_templates(base))
    templates = " ".join(template.text for template in chart.templates)
    return sorted(leaves, key=lambda leaf: (str(leaf.value) not in pods, leaf.key not in templates))


class _Judge:
    """Says what a change did, by its output alone."""

    def __init__(self, base: Rendering, watch: Watch) -> None:
        self.base = base
        self.watched = watch(base)
        self._watch = watch
        self._images = images_of(base.resources)
        self._pods = _pod_templates(base)
        self._changed = set[Hashable]()  # of what is watched

    def kind(self, change: Change, changed: Rendering) -> Kind | None:
        if change.kind in ("chart version", "app version"):
            return change.kind  # they change with every release, whether the templates show them or not
        if only_tags_differ(self._images, images_of(changed.resources)):
            return "image"
        if change.kind == "value" and (self._pods != _pod_templates(changed) or self._is_first_for(changed)):
            return "value"
        return None

    def differs(self, changed: Rendering) -> bool:
        """Whether anything that matters is another one: images, Jobs' pods, what is watched."""
        return (
            images_of(changed.resources) != self._images
            or _pod_templates(changed) != self._pods
            or (bool(self.watched) and self._watch(changed) != self.watched)
        )

    def _is_first_for(self, changed: Rendering) -> bool:
        """Whether something that is watched differs: one change of it shows what all of them would."""
        now = self._watch(changed) if self.watched else {}
        fresh = {one for one, found in now.items() if found != self.watched.get(one)} - self._changed
        self._changed |= fresh
        return bool(fresh)


def _pod_templates(rendering: Rendering) -> list[str]:
    """Of Jobs and CronJobs, as sorted text; other kinds are not ours to judge by."""
    encode = msgspec.json.Encoder(order="sorted").encode
    found = (_pod_template(resource) for resource in rendering.resources)
    return sorted(encode(template).decode() for template in found if template is not None)


def _pod_template(resource: Resource) -> Any:
    spec = resource.object.get("spec")
    if resource.kind == "CronJob" and isinstance(spec, dict) and isinstance(spec.get("jobTemplate"), dict):
        spec = spec["jobTemplate"].get("spec")
    elif resource.kind != "Job":
        return None
    return spec.get("template") if isinstance(spec, dict) else None


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"
