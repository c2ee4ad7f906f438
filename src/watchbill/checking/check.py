"""One chart, or one release out of a stream of manifests: checked from end to end."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.chart import Chart, load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, ValuesFile
from watchbill.charts.render import Failure, Rendering, Resource, render
from watchbill.checking import findings
from watchbill.checking.api_branches import asked_apis
from watchbill.checking.grounds import Ground, of_chart, of_manifests
from watchbill.checking.ignores import InlineIgnore, inline, inline_of
from watchbill.checking.options import Options
from watchbill.checking.overrides import override
from watchbill.checking.postrender import PostRenderer
from watchbill.checking.result import Checked, Fact, Problem
from watchbill.checking.settings import rule_names
from watchbill.checking.silencing import Silenced, silence
from watchbill.checking.subject import Subject
from watchbill.errors import UserError
from watchbill.lifecycle.lab import Tool
from watchbill.lifecycle.scenarios import scenarios
from watchbill.rules.rule import Severity

LONGEST_RELEASE = 53


class Answer(Struct, frozen=True):
    checked: Checked
    silenced: Silenced | None = None  # which ignores were of use


def check(engine: Engine, subject: Subject, options: Options) -> Answer:
    """Whatever is wrong with the input is part of the answer: other charts are still checked."""
    try:
        chart = (
            load(engine, subject.source, follow_symlinks=options.follow_symlinks) if subject.source else None
        )
        comments = _inline(subject, chart)
        checked = _checked(engine, subject, chart, options)
        silenced = silence(checked.findings, checked.name, options.config, comments, options.baseline)
        return Answer(replace(checked, findings=silenced.kept, ignored=silenced.ignored), silenced)
    except UserError as found:
        error = subject.says(found)
        problem = Problem(error.what, error.where or "", error.then or "")
        return Answer(Checked(subject.path, tools=tuple(map(str, options.tools)), problem=problem))


def _inline(subject: Subject, chart: Chart | None) -> list[InlineIgnore]:
    """What comments in the templates say is to be ignored."""
    if chart is not None:
        return inline_of(chart, subject.path, rule_names.ALL)
    return inline([(subject.manifests_name, subject.manifests)], rule_names.ALL)


def _checked(engine: Engine, subject: Subject, chart: Chart | None, options: Options) -> Checked:
    grounds = [ground.bound_by(options.contracts) for ground in _grounds(engine, subject, chart, options)]
    heard, facts = [], list[Fact]()
    for ground in grounds:
        for said in findings.listen(ground, options.depth, options.in_use, options.scenarios):
            if isinstance(said, Fact):
                facts.append(said)
            else:
                heard.append(said)
    groups, unmendable = findings.settle(heard)

    def avoid(one: findings.Heard, resource: Resource) -> str:
        return _override(engine, one, resource, options, {known.cause for known in heard})

    profiles = frozenset(ground.profile for ground in grounds)
    found = findings.write(engine, groups, subject.path, subject.manifests, profiles=profiles, avoid=avoid)
    first = grounds[0]
    resources = first.renderings[0].resources
    return Checked(
        path=subject.path,
        name=chart.name if chart else subject.label,
        version=chart.version if chart else "",
        jobs=sum(resource.kind == "Job" for resource in resources),
        hooks=sum(resource.hook is not None and resource.kind != "Job" for resource in resources),
        tools=tuple(map(str, options.tools)),
        scenarios=len(
            {scenario.name for tool in options.tools for scenario in scenarios(tool, options.scenarios)}
        ),
        findings=tuple(found),
        facts=tuple(_merged([*facts, *unmendable])),
        assumed=tuple(_assumed(first)),
    )


def _grounds(engine: Engine, subject: Subject, chart: Chart | None, options: Options) -> Iterator[Ground]:
    if chart is None:
        context = replace(options.context, release=options.context.release or subject.label or "r")
        old = (subject.old_name, subject.old_manifests) if subject.old_manifests else None
        yield from of_manifests(
            engine, (subject.manifests_name, subject.manifests), old, context, options.tools
        )
        return
    before = load(engine, subject.old, follow_symlinks=options.follow_symlinks) if subject.old else None
    context = replace(options.context, release=options.context.release or chart.name[:LONGEST_RELEASE])

    def finishing(tool: Tool) -> PostRenderer | None:
        asked = options.post_rendering
        return PostRenderer(engine, tool, asked.command, asked.arguments, asked.seconds) if asked else None

    for profile, chosen in _profiles(engine, chart, context, subject.values_profiles):
        yield from of_chart(
            engine, chart, before, chosen, options.tools, profile=profile, finishing=finishing
        )


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
        if apis and _differ(without, with_them):
            yield f"{name or 'values.yaml'} and {', '.join(apis)} served", served


def _differ(one: Rendering | Failure, other: Rendering | Failure) -> bool:
    """Whether the second is another rendering; one that fails is none."""
    if isinstance(other, Failure) or isinstance(one, Failure):
        return isinstance(other, Rendering)
    return [document.text for document in one.documents] != [document.text for document in other.documents]


def _override(
    engine: Engine, one: findings.Heard, resource: Resource, options: Options, known: set[findings.Cause]
) -> str:
    """Values that avoid what was heard of a dependency's object."""
    ground, chart = one.ground, one.ground.chart
    if chart is None or ground.checked or not resource.origin.subchart:
        return ""

    def is_silent(context: Context) -> bool:
        [tried] = of_chart(engine, chart, None, context, [ground.tool])
        said = findings.listen(tried.bound_by(options.contracts), options.depth, options.in_use, ())
        heard = [other for other in said if not isinstance(other, Fact)]
        return all(
            other.cause != one.cause and (other.cause in known or other.severity is Severity.NOTE)
            for other in heard
        )

    return override(engine, chart, ground.renderings[0].context, resource, is_silent)


def _assumed(ground: Ground) -> Iterator[str]:
    context = ground.life
    yield f'release "{context.release}" in namespace "{context.namespace}"'
    if ground.changes:
        yield f"a made-up next version: {', '.join(ground.changes)}"


def _merged(facts: list[Fact]) -> Iterator[Fact]:
    tools: dict[str, dict[str, None]] = {}
    for fact in facts:
        tools.setdefault(fact.text, {}).update(dict.fromkeys(fact.tools))
    yield from (Fact(text, tuple(known)) for text, known in tools.items())
