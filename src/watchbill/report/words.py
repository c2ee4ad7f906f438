"""How what was found is said in every report: tools, places, errors, charts."""

from collections import Counter
from collections.abc import Sequence
from posixpath import basename, commonpath, dirname, isabs
from typing import Protocol

from watchbill.checking.result import LEVELS, Checked, Finding, Location, Problem, Run
from watchbill.lifecycle.kube.words import normalise
from watchbill.patterns import regex
from watchbill.report.counting import counted, listed
from watchbill.rules.words import tools_named

MOST_LISTED = 5


class Named(Protocol):
    """A chart, whatever was done with it."""

    @property
    def path(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def from_version(self) -> str: ...


# Helm's own announcement of what the trace says anyway.
_ANNOUNCED = regex(r"^(?:Error: )?(?:[A-Z]+ FAILED: )?")


def essence(error: str) -> str:
    """A tool's error on one line, without the values that were dumped into it."""
    return " ".join(_ANNOUNCED.sub("", normalise(error.strip())).split())


def circumstances(finding: Finding, *, whole: bool) -> str:
    """Unless the whole is wanted, long lists end in `and 3 more`: `helm 4.3, helm 3.19; every upgrade that changes: image, chart version`"""
    parts = [", ".join(tools_named(finding.tools))] if finding.tools else []
    if len(finding.objects) > 1:
        parts.append(f"the same with {listed(finding.objects[1:], MOST_LISTED, whole=whole)}")
    if finding.changes:
        parts.append(f"every upgrade that changes: {listed(finding.changes, MOST_LISTED, whole=whole)}")
    if finding.scenarios and (whole or not finding.changes):
        parts.append(f"in: {listed(finding.scenarios, MOST_LISTED, whole=whole)}")
    if finding.profiles:
        parts.append(f"only with {listed(finding.profiles, MOST_LISTED, whole=whole)}")
    if finding.confidence != "high":
        parts.append(f"{finding.confidence} confidence")
    return "; ".join(parts)


def spot(location: Location) -> str:
    return f"{location.file}:{location.line}" if location.line else location.file


def cause(finding: Finding) -> str:
    """What makes it so, for beside its place."""
    place = finding.location
    return reason(place, finding.because or (place.note if place else ""))


def reason(location: Location | None, text: str) -> str:
    """What stands beside a place; text that comes out of defines says through which."""
    way = f"by way of {', '.join(location.through)}" if location and location.through else ""
    return "; ".join(part for part in (text, way) if part)


def way(location: Location) -> str:
    """`by way of charts/lib/templates/_job.tpl:40, :12`: from the folder that holds both files, each file once."""
    home = _home([location.file, *location.through])
    named, last = [], ""
    for place in location.through:
        file, _, line = place.rpartition(":")
        named.append(f":{line}" if file == last else place.removeprefix(home))
        last = file
    return f"by way of {', '.join(named)}"


def _home(files: Sequence[str]) -> str:
    """The folder of the chart that holds them all, with its slash; nothing where there is none."""
    if len({isabs(file) for file in files}) > 1:
        return ""
    home = commonpath([dirname(file) for file in files])
    while basename(home) in ("charts", "templates"):
        home = dirname(home)
    return f"{home}/" if home else ""


def complaint(chart: Named, problem: Problem) -> list[str]:
    """What, where, what next; which chart it is about is said once."""
    what = problem.what if chart.path in problem.what else f"{chart.path}: {problem.what}"
    return [*what.splitlines(), *problem.where.splitlines(), *problem.then.splitlines()]


def tally(findings: Sequence[Finding]) -> str:
    """`1 error, 2 notes`; nothing where there is nothing."""
    numbers = [(sum(finding.level == level for finding in findings), level) for level in LEVELS]
    return ", ".join(counted(number, level) for number, level in numbers if number)


def titled(chart: Named) -> str:
    """`membership 3.5.0 to 3.6.0`"""
    versions = " to ".join(version for version in (chart.from_version, chart.version) if version)
    return f"{chart.name or chart.path} {versions}".rstrip()


def content(chart: Checked) -> str:
    """`2 Jobs, 1 hook`"""
    numbers = [(chart.jobs, "Job"), (chart.hooks, "hook")]
    return ", ".join(counted(number, noun) for number, noun in numbers if number) or "no Jobs or hooks"


def fine(chart: Checked) -> str:
    """`fine: 2 Jobs, 19 scenarios, 2 tools`"""
    parts = [content(chart)]
    if chart.scenarios:
        parts.append(counted(chart.scenarios, "scenario"))
    parts.append(counted(len(chart.tools), "tool"))
    if chart.ignored:
        parts.append(f"{len(chart.ignored)} ignored")
    return f"fine: {', '.join(parts)}"


def no_charts(since: str) -> str:
    return f"no chart changed since {since}" if since else "no charts"


def verdict(run: Run) -> str:
    """`1 error, 1 note in 2 of 15 charts; 1 chart not checked; 1 skipped; 2 findings ignored`"""
    problems = Counter(chart.unfinished for chart in run.charts if chart.problem)
    checked = [chart for chart in run.charts if not chart.skipped and (not chart.problem or chart.findings)]
    skipped = sum(bool(chart.skipped) for chart in run.charts)
    ignored = sum(len(chart.ignored) for chart in run.charts)
    found_in = sum(bool(chart.findings) for chart in checked)
    among = f"{found_in} of {len(checked)} charts" if found_in != len(checked) else counted(found_in, "chart")
    parts = []
    if run.findings:
        parts.append(f"{tally(run.findings)} in {among}")
    elif checked:
        parts.append(f"nothing found in {counted(len(checked), 'chart')}")
    parts += [f"{counted(number, 'chart')} {how}" for how, number in sorted(problems.items())]
    if skipped:
        parts.append(f"{skipped} skipped")
    if ignored:
        parts.append(f"{counted(ignored, 'finding')} ignored")
    return "; ".join(parts) or no_charts(run.since)
