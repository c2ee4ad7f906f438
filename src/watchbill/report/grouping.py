"""Which findings stand under which chart: those of a shared define once, before the charts."""

import os
from collections.abc import Iterator

from msgspec import Struct

from watchbill.checking.result import LEVELS, Checked, Finding, Problem, Run
from watchbill.patterns import regex

_ARCHIVES_AND_MANIFESTS = regex(r"\.(?:tgz|tar\.gz|ya?ml|json)$|^(?:-|stdin)$")


class Group(Struct, frozen=True):
    chart: Checked
    findings: tuple[Finding, ...]  # its own: without those it shares


def shared(run: Run) -> tuple[Finding, ...]:
    return tuple(finding for finding in run.findings if len(finding.charts) > 1)


def groups(run: Run) -> list[Group]:
    """Charts with findings, the worst first; of equally bad ones the one that was named first."""
    several = {
        (finding.rule, finding.fingerprint, path) for finding in shared(run) for path in finding.charts
    }
    found = [
        Group(
            chart,
            tuple(one for one in chart.findings if (one.rule, one.fingerprint, chart.path) not in several),
        )
        for chart in run.charts
        if chart.findings
    ]
    return sorted(found, key=lambda group: badness(group.chart))


def badness(chart: Checked) -> tuple[int, ...]:
    """Sorts the worst chart first."""
    return tuple(-sum(finding.level == level for finding in chart.findings) for level in LEVELS)


def fine_charts(run: Run) -> list[Checked]:
    return [chart for chart in run.charts if not (chart.findings or chart.skipped or chart.problem)]


def skipped_charts(run: Run) -> list[Checked]:
    return [chart for chart in run.charts if chart.skipped]


def unchecked_charts(run: Run) -> list[tuple[Checked, Problem]]:
    return [(chart, chart.problem) for chart in run.charts if chart.problem]


def located(run: Run) -> Iterator[tuple[Finding, str]]:
    """Every finding with the path of a chart it is in."""
    paths = {
        (one.rule, one.fingerprint): chart.path for chart in reversed(run.charts) for one in chart.findings
    }
    for finding in run.findings:
        path = finding.charts[0] if finding.charts else paths.get((finding.rule, finding.fingerprint), "")
        yield finding, path


def home_file(chart: str) -> str:
    """Return the file that stands for a chart in a report that needs one for each finding."""
    return chart if _ARCHIVES_AND_MANIFESTS.search(chart) else os.path.normpath(f"{chart}/Chart.yaml")
