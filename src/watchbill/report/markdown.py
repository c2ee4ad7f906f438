"""What was found, for a pull request's comment or a job's summary."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from watchbill.checking.result import LEVELS, Checked, Finding, Problem, Run
from watchbill.report.counting import listed
from watchbill.report.evidence import evidence
from watchbill.report.grouping import badness, fine_charts, skipped_charts, unchecked_charts
from watchbill.report.harmless import harmless
from watchbill.report.markdown_text import block, code, escaped, in_html, row, table, within
from watchbill.report.options import ReportOptions
from watchbill.report.styles import unstyle
from watchbill.report.words import (
    cause,
    circumstances,
    complaint,
    fine,
    reason,
    spot,
    titled,
    verdict,
)
from watchbill.rules.words import tools_named

T = TypeVar("T")
COMMAND = "watchbill check"
MARK = f"<!-- {COMMAND} -->"  # by which a script finds its comment, to write it anew
# A comment on GitHub holds 65,536 characters: rooms for the parts that grow with what was found.
ROOM_OF_TABLE, ROOM_OF_DETAILS, ROOM_OF_CHARTS, ROOM_OF_PROBLEMS = 16_000, 25_000, 8_000, 8_000
MOST_FINE = 10
TRACE_COLUMNS = 100


def report(run: Run, options: ReportOptions) -> str:
    return "\n".join(_lines(harmless(run), options)).rstrip("\n")


def _lines(run: Run, options: ReportOptions) -> Iterator[str]:
    yield from (MARK, f"### Watchbill: {verdict(run)}", "")
    yield from _table(("", "rule", "what", "where", "tools"), _row, run.findings, ROOM_OF_TABLE)
    yield from within(lambda finding: _details(finding, options), run.findings, ROOM_OF_DETAILS, COMMAND)
    if len(run.charts) > 1:
        found = sorted((chart for chart in run.charts if chart.findings), key=badness)
        head = ("chart", *(f"{level}s" for level in LEVELS))
        yield from _table(head, _counts, found, ROOM_OF_CHARTS)
    yield from within(_unchecked, unchecked_charts(run), ROOM_OF_PROBLEMS, COMMAND)
    yield from _remarks(run)


def _table(
    head: Sequence[str], cells: Callable[[T], Sequence[str]], things: Sequence[T], room: int
) -> Iterator[str]:
    if things:
        yield from table(head, [])
        yield from (*within(lambda thing: [row(cells(thing))], things, room, COMMAND), "")


def _row(finding: Finding) -> tuple[str, ...]:
    return (
        f"**{finding.level}**",
        f"{escaped(finding.rule)}<br>{escaped(finding.name)}",
        escaped(finding.title),
        code(spot(finding.location)) if finding.location else escaped(", ".join(finding.charts)),
        escaped(", ".join(tools_named(finding.tools))),
    )


def _details(finding: Finding, options: ReportOptions) -> Iterator[str]:
    title = in_html(finding.title)
    yield f"<details><summary>{finding.level} {in_html(finding.rule)}: {title}</summary>"
    yield ""
    yield from (f"- {place}" for place in _places(finding))
    yield ""
    if seen := list(evidence(finding, TRACE_COLUMNS, verbose=options.verbose, brief=False)):
        yield from (*block([unstyle(line) for line in seen]), "")
    if said := circumstances(finding, whole=True):
        yield from (escaped(said), "")
    if finding.fix:
        yield from (f"**fix**: {'<br>'.join(map(escaped, finding.fix.splitlines()))}", "")
    if finding.override:
        yield from ("or in your values:" if finding.fix else "**fix** in your values:", "")
        yield from (*block(finding.override.splitlines(), "yaml"), "")
    yield from (code(f"watchbill explain {finding.rule}"), "", "</details>", "")


def _places(finding: Finding) -> Iterator[str]:
    if finding.location or finding.because:
        where = f"{code(spot(finding.location))} " if finding.location else ""
        yield f"{where}{escaped(cause(finding))}".rstrip()
    for place in finding.related:
        yield f"{code(spot(place))} {escaped(reason(place, place.note))}".rstrip()
    if finding.dependency:
        yield f"in the dependency {escaped(finding.dependency)}"
    if len(finding.charts) > 1:
        yield f"in {len(finding.charts)} charts: {escaped(', '.join(finding.charts))}"


def _counts(chart: Checked) -> tuple[str, ...]:
    numbers = [sum(finding.level == level for finding in chart.findings) for level in LEVELS]
    return code(chart.path), *(str(number or "") for number in numbers)


def _unchecked(unchecked: tuple[Checked, Problem]) -> Iterator[str]:
    what, *more = complaint(*unchecked)
    yield f"**{unchecked[0].unfinished}** {escaped(what)}"
    yield from ("", *block(more), "") if more else ("",)


def _remarks(run: Run) -> Iterator[str]:
    """What is worth a line each."""
    charts = fine_charts(run)
    if len(charts) == 1:
        yield from (escaped(f"{titled(charts[0])} is {fine(charts[0])}"), "")
    elif charts:
        yield from (f"fine: {escaped(listed([titled(chart) for chart in charts], MOST_FINE))}", "")
    if charts := skipped_charts(run):
        yield from (f"skipped: {escaped(listed([titled(chart) for chart in charts], MOST_FINE))}", "")
    if run.unknown_ignores:
        yield from (
            f"ignores that match nothing any more: {escaped(listed(run.unknown_ignores, MOST_FINE))}",
            "",
        )
