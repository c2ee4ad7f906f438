"""Where a chart is played: for each tool and each set of values, the versions it is taken through."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine
from watchbill.charts.leaves import merged
from watchbill.charts.next_manifests import next_manifests
from watchbill.charts.next_versions import NextVersion, next_versions
from watchbill.charts.problems import explain
from watchbill.charts.protocol import Context, Locate
from watchbill.charts.render import Failure, Rendering, parse
from watchbill.checking.hook_inputs import read_by_hooks
from watchbill.lifecycle.flags import DEFAULT_TIMEOUT
from watchbill.lifecycle.lab import Contract, Lab, ReleaseName, Tool
from watchbill.lifecycle.moves import to_the_next
from watchbill.lifecycle.objects import Body, Key, group_of
from watchbill.lifecycle.scenarios import LONGEST_NAME, retrace, stage_for
from watchbill.rehearsal.versions import (
    ALL_REVISIONS,
    FIRST_REVISIONS,
    Fixed,
    FromChart,
    Look,
    Source,
    Versions,
    context_for,
    look_ahead,
)
from watchbill.rules.look import Dropped

HOOK = "helm.sh/hook"
# How far the paths of a life mostly go, after what every chart is looked at for; a trial goes one revision further.
LATER_REVISIONS = (3, 4, 5)

Finish = Callable[[Rendering], Rendering]


class Change:
    """A lab whose second version differs from the first in one input. It is made when it is played in, since the engine
    renders until then."""

    def __init__(self, kind: str, make: Callable[[], Lab]) -> None:
        self.kind = kind  # image, chart version, app version, subchart version, value job.args
        self._make = make

    @cached_property
    def lab(self) -> Lab:
        return self._make()

    def bound_by(self, contracts: tuple[Contract, ...], timeout: float) -> "Change":
        return Change(self.kind, lambda: replace(self.lab, contracts=contracts, timeout=timeout))


class Ground(Struct, frozen=True):
    """One chart with one tool and one set of values."""

    tool: Tool
    profile: str  # the values file; empty: the chart's own values
    life: Lab  # the versions of its life: this one and the next, or the one before and this one
    checked: int  # which of them is checked
    changes: tuple[str, ...]  # what makes the next one differ, where it is made up
    alone: Lab  # the checked version without one before it
    trials: tuple[Change, ...]
    renderings: tuple[Rendering, ...]  # of the checked version: to find the lines of its fields
    chart: Chart | None = None  # None: manifests
    alike: tuple[tuple[int, ...], ...] = ()  # places of trials with the same effect: one is played for all
    repaired: tuple[Key, ...] = ()  # objects that were changed because nothing could be installed with them

    def bound_by(self, contracts: tuple[Contract, ...], timeout: float) -> "Ground":
        """The same, with these contracts of Jobs, where Helm waits for so many seconds."""
        if not contracts and timeout == DEFAULT_TIMEOUT:
            return self
        alone, life = (replace(lab, contracts=contracts, timeout=timeout) for lab in (self.alone, self.life))
        life = alone if self.life is self.alone else life
        trials = tuple(change.bound_by(contracts, timeout) for change in self.trials)
        return replace(self, life=life, alone=alone, trials=trials)

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Documents that Helm leaves out without a word."""
        return tuple(
            Dropped(
                Key(group_of(str(one.object.get("apiVersion", ""))), one.kind, one.namespace, one.name),
                Body.of(one.object),
                one.origin.template,
                one.origin.unknown_event,
            )
            for one in self.renderings[0].dropped_resources
        )

    @property
    def volatile(self) -> tuple[tuple[str, str], ...]:
        return tuple((use.template, use.function) for use in self.renderings[0].volatile)


def of_chart(
    engine: Engine,
    chart: Chart,
    old: Chart | None,
    context: Context,
    tools: Sequence[Tool],
    *,
    profile: str = "",
    finishing: Callable[[Tool], Finish | None] = lambda _: None,
) -> Iterator[Ground]:
    """`old` is the version before; without one the next is made up. `finishing`: what becomes of a rendering before
    the tool sees it."""
    # The seed is that of an install: what is rendered here is not rendered again.
    first = replace(context_for(context, tools[0]), seed=1)
    meanwhile = partial(_get_to_know, tools) if engine.eager else None
    made_up = []
    if old is None:
        made_up = next_versions(engine, chart, first, watch=read_by_hooks, meanwhile=meanwhile)
    groups = _alike(made_up)
    lookups = dict.fromkeys(lookup for version in made_up for lookup in version.rendering.lookups)
    make = partial(FromChart, engine, lookups=lookups)
    casts = [_cast(make, chart, old, context, made_up, tool=tool, finish=finishing(tool)) for tool in tools]
    if old is not None:
        befores = [cast.before for cast in casts if cast.before is not None]
        look_ahead(engine, old, [Look(before, revision) for before in befores for revision in ALL_REVISIONS])
    hooked = any(HOOK in template.text for template in chart.templates)
    volatile = any(version.rendering.volatile for version in made_up)
    played = [alike[0] for alike in groups]
    # One after the other of each tool's: what they have in common the engine renders once.
    operation = any(version.rendering.sees_operation for version in made_up[:1])
    revision = any(version.rendering.sees_revision for version in made_up[:1])
    revisions = _revisions(operation, revision, volatile=volatile, looks_up=bool(lookups))
    each = [cast.looks(played, *revisions, hooked=hooked) for cast in casts]
    looks = [look for together in zip_longest(*each) for look in together if look is not None]
    look_ahead(engine, chart, looks)
    # Where fields stand is asked of the first install, once something is found.
    this = casts[0].this
    engine.prepare(Locate((), chart.source, this.question(Look(this, 1))))
    for cast in casts:
        tool, release, this = cast.tool, cast.release, cast.this
        alone = _lab(tool, [this], release)
        renderings = _renderings(chart, this)
        if cast.before is not None:
            life = _lab(tool, [cast.before, this], release)
            yield Ground(tool, profile, life, 1, (), alone, (), renderings, chart)
            continue
        trials = tuple(
            Change(_kind(version), partial(_lab, tool, [this, changed], release, trial=True))
            for version, changed in zip(made_up, cast.following, strict=True)
        )
        life = _lab(tool, [this, cast.usual], release) if cast.usual is not None else alone
        yield Ground(tool, profile, life, 0, cast.kinds, alone, trials, renderings, chart, groups)


def _get_to_know(tools: Sequence[Tool], base: Rendering) -> None:
    """Plays a little with what is rendered already, while the engine is at work on more: what the model finds out about
    these objects it remembers."""
    release = ReleaseName(base.context.release, base.context.namespace)
    for tool in tools:
        lab = _lab(tool, [Fixed(base)] * 2, release)
        retrace(stage_for(lab), to_the_next(tool.name))


def neighbours(release: ReleaseName) -> tuple[ReleaseName, ReleaseName]:
    """A second release of the chart: here under another name, and elsewhere under the same one."""
    return (
        ReleaseName(f"{release.name[:50]}-2", release.namespace),
        ReleaseName(release.name, f"{release.namespace}-2"),
    )


class _Cast(Struct, frozen=True):
    """The versions that one tool plays."""

    tool: Tool
    release: ReleaseName
    this: FromChart
    before: FromChart | None = None
    following: tuple[FromChart, ...] = ()  # one input changed in each
    usual: FromChart | None = None  # what a release mostly brings, all at once,
    kinds: tuple[str, ...] = ()  # and what that is

    def looks(
        self, played: Sequence[int], life: Sequence[int], trial: Sequence[int], *, hooked: bool
    ) -> Iterator[Look]:
        """Yield what will be asked of the versions of the checked chart: of those it lives through at the revisions of
        `life`, of others at those of `trial`. `played` are the changes that are likely to be played."""
        for version in (self.this, self.usual):
            if version is not None:
                yield from (Look(version, revision) for revision in life)
        if self.tool.name == "helm":
            longest = ReleaseName(LONGEST_NAME, self.release.namespace)
            yield from (Look(self.this, revision, longest) for revision in trial)
            if hooked:  # releases in each other's way are those whose hooks are
                yield from (Look(self.this, 1, other) for other in neighbours(self.release))
        yield from (Look(self.following[place], revision) for place in played for revision in trial)


def _revisions(
    operation: bool, revision: bool, *, volatile: bool, looks_up: bool
) -> tuple[Sequence[int], Sequence[int]]:
    """Return the revisions that will be asked for in a life and in a trial, where templates look at the operation or at
    the revision. A volatile chart is another one at each, and what a chart that looks things up gives later on depends
    on what is there by then."""
    if not volatile:
        first = FIRST_REVISIONS if operation or revision else (1,)
        return ALL_REVISIONS if revision else first, first
    if looks_up:
        return FIRST_REVISIONS, (1,)
    return (*FIRST_REVISIONS, *LATER_REVISIONS), (*FIRST_REVISIONS, LATER_REVISIONS[0])


def _cast(
    make: Callable[..., FromChart],
    chart: Chart,
    old: Chart | None,
    context: Context,
    made_up: Sequence[NextVersion],
    *,
    tool: Tool,
    finish: Finish | None,
) -> _Cast:
    own = context_for(context, tool)
    this = make(chart, own, finish)
    release = ReleaseName(own.release, own.namespace)
    if old is not None:
        return _Cast(tool, release, this, make(old, own, finish))
    following = [_changed(own, version.rendering.context) for version in made_up]
    changed = tuple(make(chart, context, finish) for context in following)
    usual, kinds = _usual(own, made_up, following)
    together = make(chart, usual, finish) if kinds else None
    return _Cast(tool, release, this, None, changed, together, kinds)


def of_manifests(
    engine: Engine,
    new: tuple[str, str],
    old: tuple[str, str] | None,
    context: Context,
    tools: Sequence[Tool],
) -> Iterator[Ground]:
    """Names and texts of rendered manifests. Without older ones the next version is made up."""
    for tool in tools:
        own = context_for(context, tool)
        release = ReleaseName(own.release, own.namespace)
        rendering = parse(engine, *new, own)
        this = Fixed(rendering)
        alone = _lab(tool, [this], release)
        if old is not None:
            life = _lab(tool, [Fixed(parse(engine, *old, own)), this], release)
            yield Ground(tool, "", life, 1, (), alone, (), (rendering,))
            continue
        made_up = next_manifests(rendering)
        labs = [partial(_lab, tool, [this, Fixed(version.rendering)], release) for version in made_up]
        life, changes = (labs[0](), made_up[0].kinds) if made_up else (alone, ())
        trials = tuple(
            Change(version.kinds[0], lab) for version, lab in zip(made_up[1:], labs[1:], strict=True)
        )
        yield Ground(tool, "", life, 0, changes, alone, trials, (rendering,))


def of_installed(engine: Engine, chart: Chart, installed: str, context: Context, tool: Tool) -> Ground:
    """From manifests that are in a cluster, or from nothing, to a chart."""
    own = context_for(context, tool)
    release = ReleaseName(own.release, own.namespace)
    this = FromChart(engine, chart, own)
    alone = _lab(tool, [this], release)
    before = Fixed(parse(engine, f"what is installed as {release.name}", installed, own))
    life = _lab(tool, [before, this], release) if installed else alone
    return Ground(tool, "", life, len(life.versions) - 1, (), alone, (), _renderings(chart, this), chart)


def _lab(tool: Tool, sources: Sequence[Source], release: ReleaseName, *, trial: bool = False) -> Lab:
    """What Kubernetes has removed is said once (WB110); beyond that the chart is played where it can be installed."""
    versions = Versions(sources, release, trial=trial)
    cluster = replace(versions.cluster, is_older=True)
    return Lab(tool, versions, cluster, release.name, release.namespace)


def _renderings(chart: Chart, version: FromChart) -> tuple[Rendering, ...]:
    looks = [version.look(revision) for revision in FIRST_REVISIONS]
    found = tuple(look for look in looks if not isinstance(look, Failure))
    if not found:
        raise explain(next(look.error for look in looks if isinstance(look, Failure)), chart.path, chart)
    return found


def _alike(made_up: Sequence[NextVersion]) -> tuple[tuple[int, ...], ...]:
    """Return the places of next versions, those with the same kind of change and the same effect together."""
    groups: dict[object, list[int]] = {}
    for place, version in enumerate(made_up):
        groups.setdefault((version.change.kind, version.effect), []).append(place)
    return tuple(map(tuple, groups.values()))


def _kind(version: NextVersion) -> str:
    change = version.change
    return f"value {change.where}" if change.kind == "value" else change.kind


def _changed(own: Context, changed: Context) -> Context:
    """The change of one context in the context of another tool."""
    return replace(
        own,
        chart_version=changed.chart_version,
        app_version=changed.app_version,
        subcharts=changed.subcharts,
        values=changed.values,
        edits=changed.edits,
    )


def _usual(
    own: Context, made_up: Sequence[NextVersion], following: Sequence[Context]
) -> tuple[Context, tuple[str, ...]]:
    """What a release mostly brings, all at once: a new version of chart and application, and new images."""
    usual, kinds = own, list[str]()
    for version, changed in zip(made_up, following, strict=True):
        kind = version.change.kind
        if kind == "value":
            continue
        kinds.append(kind)
        usual = replace(
            usual,
            chart_version=changed.chart_version or usual.chart_version,
            app_version=changed.app_version or usual.app_version,
            subcharts=changed.subcharts or usual.subcharts,
            edits=(*usual.edits, *changed.edits),
            values=replace(usual.values, overlay=merged(usual.values.overlay, changed.values.overlay)),
        )
    return usual, tuple(dict.fromkeys(kinds))
