"""Made-up next versions of a chart: one input changed, then rendered again by Helm's own code.

Rendered objects are never edited: a chart that hashes its Job's content into the Job's name must be seen to
do so. Nor does Watchbill guess which input does what: it renders candidates, and the output shows what each of
them changed. Most values change no Job. Those that pass through are found by marks in one rendering; the others are
tried in groups, and only a group that changes something is split (`group_testing`). A candidate that changes nothing, or does not render, is not a next version.
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
from watchbill.charts.group_testing import find_effective, halves
from watchbill.charts.images import (
    empty_tags,
    images_of,
    literal_tags,
    next_tag,
    only_tags_differ,
    seems_a_tag,
)
from watchbill.charts.leaves import Leaf, leaves_of, merged, overlay
from watchbill.charts.protocol import Context, Subchart
from watchbill.charts.reach import Watch, Watched, reaching, telling_templates
from watchbill.charts.render import Failure, Rendering, Resource, render, render_each, render_one
from watchbill.patterns import regex

MAX_VALUES = 200
MAX_DOCUMENTS = 20_000  # a chart of hundreds of Jobs gets fewer values tried, not more time

MARK = "wbmark"
MARKING_ROUNDS = 3
_MARKS = regex(rf"{MARK}\d{{4}}")

Kind = Literal["chart version", "app version", "subchart version", "image", "value"]


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
    whole = _Judge(base, watch)
    part = _Judge(_telling_part(engine, chart, base, whole.watched.values()), watch)
    search = _Search(engine, chart, whole, part)
    tags, others = _leaves(chart, base, whole.watched.values())
    found = search.found([[trial] for trial in _versions(chart, base)], whole, meanwhile)
    found |= search.images([*_literals(chart, base), *_leaf_trials(chart, base, tags)])
    effective = search.effective(others)
    found |= search.found([*_leaf_trials(chart, base, effective)], part)
    again, empty = _second_trials(chart, base, found)
    found |= search.found([[trial] for trial in again], whole)
    found |= search.images([[trial] for trial in empty])
    return sorted(found.values(), key=lambda version: _ORDER[version.change.kind])


def _telling_part(engine: Engine, chart: Chart, base: Rendering, watched: Iterable[Watched]) -> Rendering:
    """Return the rendering of only those templates that make Jobs, hooks or what is watched, or might: what the others
    print makes no difference to Jobs. The whole one, where templates depend on those that ran before them."""
    only = telling_templates(chart, base, watched) or ("",)  # none of them has this path
    if len(only) >= len({document.template for document in base.documents}):
        return base
    [part] = render(engine, chart, [replace(base.context, only=only)])
    if isinstance(part, Failure) or _texts(part) != [text for text in _texts(base) if text[0] in only]:
        return base
    return replace(part, values=base.values)


def _texts(rendering: Rendering) -> list[tuple[str, str]]:
    return sorted((one.template, one.text) for one in rendering.documents)


class _Search:
    """Tries inputs and keeps those that make a difference."""

    def __init__(self, engine: Engine, chart: Chart, whole: "_Judge", part: "_Judge") -> None:
        self._engine = engine
        self._chart = chart
        self._whole = whole
        self._part = part

    def found(
        self,
        inputs: Sequence[Sequence[_Trial]],
        judge: "_Judge",
        meanwhile: Callable[[Rendering], None] | None = None,
    ) -> "dict[Which, NextVersion]":
        """Return what differs, by the input that makes it differ. Each input has alternatives, of which the first that
        renders counts; those of all inputs are rendered in one request."""
        found: dict[Which, NextVersion] = {}
        only = judge.base.context.only
        while inputs:
            refused = list[Sequence[_Trial]]()
            contexts = [replace(alternatives[0].context, only=only) for alternatives in inputs]
            results = render_each(self._engine, self._chart, contexts)
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

    def images(self, inputs: Sequence[Sequence[_Trial]]) -> "dict[Which, NextVersion]":
        """Return the same for new tags of images. Those that reach no Job are taken together."""
        reaching = set(find_effective(range(len(inputs)), lambda groups: self._reach(inputs, groups)))
        found = self.found([inputs[place] for place in sorted(reaching)], self._part)
        rest = [one[0] for one in inputs if all(_which(trial.change) not in found for trial in one)]
        return found if self._part is self._whole else found | self._together(rest)

    def _reach(self, inputs: Sequence[Sequence[_Trial]], groups: Sequence[Sequence[int]]) -> list[bool]:
        """Say of each group of inputs whether it may change something that matters."""
        return self._differ([_joined([inputs[place][0] for place in group]).context for group in groups])

    def _differ(self, contexts: Sequence[Context]) -> list[bool]:
        """Say of each context whether it changes something that matters; one that does not render may."""
        differ = [True] * len(contexts)
        contexts = [replace(context, only=self._part.base.context.only) for context in contexts]
        for index, result in render_each(self._engine, self._chart, contexts):
            differ[index] = not isinstance(result, Rendering) or self._part.differs(result)
        return differ

    def _together(self, trials: Sequence[_Trial]) -> "dict[Which, NextVersion]":
        """Return the largest groups of trials that change nothing but tags; what changes no image is left out."""
        found: dict[Which, NextVersion] = {}
        groups = [trials] if trials else []
        while groups:
            joined, mixed = [_joined(group) for group in groups], list[Sequence[_Trial]]()
            for index, result in render_each(self._engine, self._chart, [one.context for one in joined]):
                if isinstance(result, Rendering):
                    kind = self._whole.kind(joined[index].change, result)
                    if kind == "image":
                        change = replace(joined[index].change, kind=kind)
                        found[_which(change)] = NextVersion(change, result, effect(self._whole.base, result))
                        continue
                    if not self._whole.differs(result):
                        continue
                mixed.append(groups[index])
            groups = [half for group in mixed if len(group) > 1 for half in halves(group)]
        return found

    def effective(self, leaves: Sequence[Leaf]) -> list[Leaf]:
        """Return the leaves that may change something that matters, in their order. Text that arrives there as it is
        shows itself by marks; of the others, groups are rendered until they change nothing. A leaf that does not render
        with another value may still do so with a third one."""
        base = self._part.base
        effective = self._marked([leaf for leaf in leaves if isinstance(leaf.value, str)])
        others = [leaf for leaf in leaves if leaf not in effective]
        effective |= set(
            find_effective(
                others,
                lambda groups: self._differ(
                    [
                        _with_leaves(base, {leaf: candidates(leaf.value)[0] for leaf in group})
                        for group in groups
                    ]
                ),
            )
        )
        return [leaf for leaf in leaves if leaf in effective]

    def _marked(self, leaves: Sequence[Leaf]) -> set[Leaf]:
        """Return those of the leaves whose marks are seen where it matters. Marks that keep the chart from rendering are
        parted from the others a few times; who is not found here is looked for otherwise."""
        marked = {leaf: f"{leaf.value}{MARK}{place:04}" for place, leaf in enumerate(leaves)}
        by_mark = {mark[-len(MARK) - 4 :]: leaf for leaf, mark in marked.items()}
        found = set[Leaf]()
        groups = [list(leaves)] if leaves else []
        for _ in range(MARKING_ROUNDS):
            contexts = [
                replace(
                    _with_leaves(self._part.base, {leaf: marked[leaf] for leaf in group}),
                    only=self._part.base.context.only,
                )
                for group in groups
            ]
            failed = list[list[Leaf]]()
            for index, result in render_each(self._engine, self._chart, contexts):
                if isinstance(result, Rendering):
                    marks = _MARKS.findall(self._part.what_matters(result))
                    found |= {by_mark[mark] for mark in marks if mark in by_mark}
                else:
                    failed.append(groups[index])
            groups = [list(half) for group in failed if len(group) > 1 for half in halves(group)]
        return found


def _joined(trials: Sequence[_Trial]) -> _Trial:
    """Return one trial that changes the inputs of all, named after the first."""
    first, *others = trials
    context = first.context
    for other in others:
        context = replace(
            _with_values(context, other.context.values.overlay),
            edits=(*context.edits, *other.context.edits),
        )
    return _Trial(first.change, context)


def _with_leaves(base: Rendering, changed: Mapping[Leaf, str | float]) -> Context:
    """Return the context in which these leaves have other values."""
    context = replace(base.context, want_values=False)
    values, over = base.values or {}, dict[str, Any]()
    for leaf, new in changed.items():
        change = overlay(values, leaf.path, new)
        values, over = merged(values, change), merged(over, change)
    return _with_values(context, over)


Which = tuple[str, str]


def _which(change: Change) -> Which:
    return change.where or change.kind, change.old


def _second_trials(
    chart: Chart, base: Rendering, found: Mapping[Which, NextVersion]
) -> tuple[list[_Trial], list[_Trial]]:
    """Return what the first renders show to be worth another one, and tags for images that have an empty one."""
    named, again, empty = _jobs(base), list[_Trial](), list[_Trial]()
    released = found.get(("chart version", chart.version))
    if released is not None and _jobs(released.rendering) != named:
        # Jobs named by the chart's version rely on it: what only a new version can bring comes with one.
        for version in found.values():
            context = version.rendering.context
            if version.change.kind in ("app version", "subchart version") or context.edits:
                context = replace(context, only=(), chart_version=released.change.new)
                again.append(_Trial(version.change, context))
    values, context = base.values or {}, replace(base.context, want_values=False)
    followed = found.get(("app version", chart.app_version))
    # A tag that is left to follow the app version is mostly tried with it; not where Jobs are named by it.
    left = (
        images_of(followed.rendering.resources) if followed and _jobs(followed.rendering) == named else None
    )
    for path, image in empty_tags(values, images_of(base.resources), chart.app_version):
        if left is None or image in left:
            change = Change("value", Leaf(path, "").name, "", bump_version(image.tag))
            empty.append(_Trial(change, _with_values(context, overlay(values, path, change.new))))
    return again, empty


def _jobs(rendering: Rendering) -> list[str]:
    return [resource.name for resource in rendering.resources if resource.kind == "Job"]


_ORDER: dict[Kind, int] = {
    "chart version": 0,
    "app version": 1,
    "subchart version": 2,
    "image": 3,
    "value": 4,
}


def _versions(chart: Chart, base: Rendering) -> Iterator[_Trial]:
    """Yield new versions of chart, application and subcharts; all subcharts together, for one render."""
    context = replace(base.context, want_values=False)
    version = bump_version(chart.version)
    yield _Trial(Change("chart version", "", chart.version, version), replace(context, chart_version=version))
    if chart.app_version:
        version = bump_version(chart.app_version)
        yield _Trial(
            Change("app version", "", chart.app_version, version), replace(context, app_version=version)
        )
    if chart.subcharts:
        following = tuple(map(_next_subchart, chart.subcharts))
        change = Change("subchart version", "", _listed(chart.subcharts), _listed(following))
        yield _Trial(change, replace(context, subcharts=following))


def _next_subchart(subchart: Subchart) -> Subchart:
    app_version = bump_version(subchart.app_version) if subchart.app_version else ""
    return replace(subchart, version=bump_version(subchart.version), app_version=app_version)


def _listed(subcharts: Sequence[Subchart]) -> str:
    return ", ".join(f"{one.path} {one.version}" for one in subcharts)


def _literals(chart: Chart, base: Rendering) -> Iterator[Sequence[_Trial]]:
    """Yield other tags for the images that templates name."""
    context = replace(base.context, want_values=False)
    for literal in literal_tags(chart, images_of(base.resources)):
        change = Change("image", literal.where, literal.old, literal.new)
        yield [_Trial(change, replace(context, edits=(literal.edit,)))]


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
        if change.kind == "subchart version":
            return change.kind if self.differs(changed) else None
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

    def what_matters(self, rendering: Rendering) -> str:
        """Return the text of all by which renderings are told apart."""
        watched = self._watch(rendering).values() if self.watched else ()
        return "\n".join(
            [
                *map(str, images_of(rendering.resources)),
                *_pod_templates(rendering),
                *(str(one.content) for one in watched),
            ]
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
