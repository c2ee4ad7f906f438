"""A chart with each set of values it is played with: its own, those of ci/, and with the APIs that templates ask for."""

from collections.abc import Iterator, Sequence
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.chart import Chart, load
from watchbill.charts.effects import effect, place_of
from watchbill.charts.engine import Engine
from watchbill.charts.problems import CannotRender
from watchbill.charts.protocol import Context, ValuesFile
from watchbill.charts.render import Failure, Rendering, render
from watchbill.checking.grounds import Finish, Ground, of_chart, of_manifests
from watchbill.checking.inputs.api_branches import asked_apis
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.kubernetes import choose_kubernetes, tell_choice
from watchbill.checking.options import Options
from watchbill.checking.required_values import fill, name_required, tell_placeholders
from watchbill.lifecycle.lab import Tool
from watchbill.lifecycle.objects import group_of

LONGEST_RELEASE = 53


class Charts(Struct, frozen=True):
    """A subject's, as far as there are any: it may be manifests, and there may be no version before."""

    this: Chart | None
    before: Chart | None

    @classmethod
    def of(cls, engine: Engine, subject: Subject, options: Options) -> Self:
        def loaded(path: str) -> Chart | None:
            return load(engine, path, follow_symlinks=options.follow_symlinks) if path else None

        return cls(loaded(subject.source), loaded(subject.old))

    @property
    def version(self) -> str:
        return self.this.version if self.this else ""

    @property
    def from_version(self) -> str:
        return self.before.version if self.before else ""


def grounds_of(engine: Engine, subject: Subject, charts: Charts, options: Options) -> Iterator[Ground]:
    """With one set of values after the other, all tools in their order."""
    chart = charts.this
    if chart is None:
        context = replace(options.context, release=options.context.release or subject.label or "r")
        old = (subject.old_name, subject.old_manifests) if subject.old_manifests else None
        yield from of_manifests(
            engine, (subject.manifests_name, subject.manifests), old, context, options.tools
        )
        return
    context = replace(options.context, release=options.context.release or chart.name[:LONGEST_RELEASE])
    context = choose_kubernetes(engine, chart, context)

    def finishing(tool: Tool) -> Finish | None:
        asked = options.post_rendering
        if asked is None:
            return None
        from watchbill.checking.inputs.postrender import PostRenderer

        return PostRenderer(engine, tool, asked.command, asked.arguments, asked.seconds)

    for profile, given in _profiles(engine, chart, context, subject.values_profiles):
        chosen = fill(engine, chart, given) if options.fill else given
        try:
            yield from of_chart(
                engine, chart, charts.before, chosen, options.tools, profile=profile, finishing=finishing
            )
        except CannotRender as error:
            raise name_required(engine, chart, chosen, error) from None


def assumed(ground: Ground, asked: Context) -> Iterator[str]:
    """What nobody said, and had to be said."""
    lab = ground.life
    yield f'release "{lab.release}" in namespace "{lab.namespace}"'
    yield from tell_placeholders(ground.renderings[0].context)
    yield from tell_choice(ground.chart, asked, ground.renderings[0].context)
    if ground.changes:
        yield f"a made-up next version: {', '.join(ground.changes)}"


def _profiles(
    engine: Engine, chart: Chart, context: Context, files: tuple[str, ...]
) -> Iterator[tuple[str, Context]]:
    """The chart's own values, then each file of ci/ on top of them, each also with the APIs that templates ask for.

    Its own values need not be enough where there are such files.
    """
    given = [("", context)]
    for file in files:
        values = replace(context.values, files=(ValuesFile(file), *context.values.files))
        given.append((file, replace(context, values=values)))
    apis = asked_apis(chart)
    if not apis and not files:
        yield from given
        return
    for name, chosen in given:
        served = replace(chosen, api_versions=(*chosen.api_versions, *apis))
        without, with_them = render(engine, chart, [chosen, served])
        if isinstance(without, Failure) and files and not name:
            continue
        yield name, chosen
        if apis and _differ(without, with_them, apis):
            yield f"{name or 'values.yaml'} and {', '.join(apis)} served", served


def _differ(one: Rendering | Failure, other: Rendering | Failure, apis: Sequence[str]) -> bool:
    """Whether the second is another rendering; one that fails is none. Objects of the APIs themselves that are merely
    added, such as a ServiceMonitor, and security contexts make no difference to what becomes of Jobs."""
    if isinstance(other, Failure) or isinstance(one, Failure):
        return isinstance(other, Rendering)
    groups = {group_of(api) for api in apis}
    places = {place_of(resource) for resource in one.resources}
    added = {
        place_of(resource)
        for resource in other.resources
        if place_of(resource) not in places
        and resource.origin.role == "manifest"
        and group_of(str(resource.object.get("apiVersion"))) in groups
    }
    # A template, a number and a kind; then the way to the field.
    return any(field[:3] not in added and "securityContext" not in field for field in effect(one, other)) or (
        len(one.dropped) != len(other.dropped)
    )
