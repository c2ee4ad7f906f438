"""One chart, or one release out of a stream of manifests: checked from end to end."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from watchbill import ticking
from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine, RenderingTimedOut
from watchbill.checking import findings
from watchbill.checking.grounds import Ground
from watchbill.checking.ignores import InlineIgnore, inline, inline_of
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.checking.profiles import Charts, assumed, grounds_of
from watchbill.checking.repairing import repair
from watchbill.checking.result import Checked, Fact, Problem
from watchbill.checking.settings import rule_names
from watchbill.checking.silencing import Silenced, silence
from watchbill.errors import UserError
from watchbill.lifecycle.scenarios import scenarios

if TYPE_CHECKING:
    from watchbill.checking.overrides import Overrides


class Answer(Struct, frozen=True):
    checked: Checked
    silenced: Silenced | None = None  # which ignores were of use


def check(engine: Engine, subject: Subject, options: Options) -> Answer:
    """Whatever is wrong with the input is part of the answer: other charts are still checked."""
    try:
        charts = Charts.of(engine, subject, options)
        comments = _inline(subject, charts.this)
        checked = _checked(engine, subject, charts, options)
        silenced = silence(
            checked.findings,
            checked.name,
            options.config,
            comments,
            options.baseline,
            selection=options.selection,
        )
        # Ignores and baselines apply to single objects, so a new object with a known defect is still reported.
        kept = findings.join_siblings(silenced.kept)
        return Answer(replace(checked, findings=kept, ignored=silenced.ignored), silenced)
    except UserError as found:
        problem = Problem.of(subject.says(found))
        return Answer(Checked(subject.path, tools=tuple(map(str, options.tools)), problem=problem))


def _inline(subject: Subject, chart: Chart | None) -> list[InlineIgnore]:
    """What comments in the templates say is to be ignored."""
    if chart is not None:
        return inline_of(chart, subject.path, rule_names.ALL)
    return inline([(subject.manifests_name, subject.manifests)], rule_names.ALL)


def _checked(engine: Engine, subject: Subject, charts: Charts, options: Options) -> Checked:
    said, problem = _Said(), None
    try:
        with ticking.limit(engine.limits.seconds):
            said.gather(engine, subject, charts, options)
    except RenderingTimedOut:
        if not said.grounds:
            raise  # it names the template's side of it
        problem = _stopped(subject, engine.limits.seconds)
    except ticking.OutOfTime:
        problem = _stopped(subject, engine.limits.seconds)
        if not said.grounds:
            return Checked(subject.path, tools=tuple(map(str, options.tools)), problem=problem)
    grounds = said.grounds
    groups, unmendable = findings.settle(said.heard)
    profiles = frozenset(ground.profile for ground in grounds)
    found = findings.write(
        engine, groups, subject.path, subject.manifests, profiles=profiles, avoid=_override(engine)
    )
    first = grounds[0]
    resources = first.renderings[0].resources
    return Checked(
        path=subject.path,
        name=charts.this.name if charts.this else subject.label,
        version=charts.version,
        from_version=charts.from_version,
        jobs=sum(resource.kind == "Job" for resource in resources),
        hooks=sum(resource.hook is not None and resource.kind != "Job" for resource in resources),
        tools=tuple(map(str, options.tools)),
        scenarios=len(
            {scenario.name for tool in options.tools for scenario in scenarios(tool, options.scenarios)}
        ),
        findings=tuple(found),
        facts=tuple(_merged([*said.facts, *unmendable])),
        assumed=tuple(assumed(first, options.context)),
        problem=problem,
    )


class _Said(Struct):
    """What is said of a chart. It counts also where the time is up before all is said."""

    grounds: list[Ground] = []
    heard: list[findings.Heard] = []
    facts: list[Fact] = []

    def gather(self, engine: Engine, subject: Subject, charts: Charts, options: Options) -> None:
        rendering = f"{subject.path}: trying other values"
        ticking.now_at(rendering)
        for made in grounds_of(engine, subject, charts, options):
            ground = made.bound_by(options.contracts, options.timeout)
            values = f" with {ground.profile}" if ground.profile else ""
            ticking.now_at(f"{subject.path}: playing {ground.tool}{values}")
            self.grounds.append(ground)
            before = len(self.heard)
            for said in findings.listen(ground, options.depth, options.in_use, options.scenarios):
                if isinstance(said, Fact):
                    self.facts.append(said)
                else:
                    self.heard.append(said)
            self.heard.extend(_after_repair(ground, options, self.heard[before:]))
            ticking.now_at(rendering)


def _stopped(subject: Subject, seconds: float) -> Problem:
    return Problem(
        f"the check took longer than {seconds:g} s and was stopped: there may be more than what was found",
        subject.path,
        "allow more with --timeout",
    )


def _after_repair(
    ground: Ground, options: Options, known: Sequence[findings.Heard]
) -> Iterator[findings.Heard]:
    """What is wrong beyond an install that fails."""
    if (repaired := repair(ground)) is not None:
        causes = {one.cause for one in known}
        yield from findings.listen_after_repair(
            repaired, options.depth, options.in_use, options.scenarios, causes
        )


def _override(engine: Engine) -> findings.Avoid:
    """Look for values against findings; what is needed for it is loaded with the first one."""

    @cache
    def overrides() -> "Overrides":
        from watchbill.checking.overrides import Overrides

        return Overrides(engine)

    return lambda one, resource: overrides().find(one, resource)


def _merged(facts: list[Fact]) -> Iterator[Fact]:
    tools: dict[str, dict[str, None]] = {}
    for fact in facts:
        tools.setdefault(fact.text, {}).update(dict.fromkeys(fact.tools))
    yield from (Fact(text, tuple(known)) for text, known in tools.items())
