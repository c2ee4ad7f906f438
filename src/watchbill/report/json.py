"""What was found, for scripts. The schema is published (docs/schemas/check.json); a change that breaks readers raises its number."""

from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from watchbill.checking.result import Checked, Fact, Finding, Ignored, Level, Problem, Run
from watchbill.report.encoding import encoded
from watchbill.report.grouping import located, skipped_charts, unchecked_charts
from watchbill.report.options import ReportOptions


class Counts(Struct, frozen=True, rename="camel"):
    """How many findings there are of each level."""

    error: int
    warning: int
    note: int


class Chart(Struct, frozen=True, rename="camel"):
    """One chart, or one release out of a stream of manifests. Its findings are those that name its path in `charts`."""

    path: str
    name: str
    version: str
    from_version: str
    jobs: int
    hooks: int
    tools: tuple[str, ...]
    scenarios: int
    found: Counts
    ignored: tuple[Ignored, ...]
    facts: tuple[Fact, ...]
    assumed: tuple[str, ...]
    skipped: str
    problem: Problem | None


class Summary(Struct, frozen=True, rename="camel"):
    charts: int
    unchecked: int
    skipped: int
    ignored: int
    found: Counts


class Report(Struct, frozen=True, rename="camel"):
    """The output of `watchbill check --output json`."""

    schema: Literal[1]
    summary: Summary
    findings: tuple[Finding, ...]
    charts: tuple[Chart, ...]
    unknown_ignores: tuple[str, ...]


def report(run: Run, options: ReportOptions) -> str:  # noqa: ARG001  (every format has one signature)
    return encoded(
        Report(
            schema=1,
            summary=Summary(
                charts=len(run.charts),
                unchecked=len(unchecked_charts(run)),
                skipped=len(skipped_charts(run)),
                ignored=sum(len(chart.ignored) for chart in run.charts),
                found=_counts(run.findings),
            ),
            findings=tuple(_named(finding, path) for finding, path in located(run)),
            charts=tuple(map(_chart, run.charts)),
            unknown_ignores=run.unknown_ignores,
        )
    )


def schema() -> dict[str, Any]:
    """Published as docs/schemas/check.json."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Report)}


def _chart(chart: Checked) -> Chart:
    return Chart(
        path=chart.path,
        name=chart.name,
        version=chart.version,
        from_version=chart.from_version,
        jobs=chart.jobs,
        hooks=chart.hooks,
        tools=chart.tools,
        scenarios=chart.scenarios,
        found=_counts(chart.findings),
        ignored=chart.ignored,
        facts=chart.facts,
        assumed=chart.assumed,
        skipped=chart.skipped,
        problem=chart.problem,
    )


def _counts(findings: tuple[Finding, ...]) -> Counts:
    def number(level: Level) -> int:
        return sum(finding.level == level for finding in findings)

    return Counts(number("error"), number("warning"), number("note"))


def _named(finding: Finding, path: str) -> Finding:
    return finding if finding.charts else replace(finding, charts=(path,))
