"""What differs between two tools, for a person in a terminal or in a CI's log."""

from collections.abc import Iterator

from watchbill.checking.comparing.result import Compared, Comparison, Difference
from watchbill.report.compare_evidence import evidence
from watchbill.report.compare_words import circumstances, facts, said_of_same, verdict
from watchbill.report.counting import counted
from watchbill.report.harmless import harmless
from watchbill.report.options import ReportOptions
from watchbill.report.styles import style
from watchbill.report.table import table
from watchbill.report.terminal import width, wrapped
from watchbill.report.words import complaint, titled

EVIDENCE = " " * 6


def report(found: Comparison, options: ReportOptions) -> str:
    sections = [section for section in _sections(harmless(found), options) if section]
    return "\n\n".join("\n".join(section) for section in sections)


def _sections(found: Comparison, options: ReportOptions) -> Iterator[list[str]]:
    """Blocks with a blank line between them: what differs, what does not, what could not be compared."""
    for chart in found.charts:
        if chart.differences:
            yield [*_head(chart, found, options.columns), *_assumed(chart, options.columns)]
            yield from (list(_difference(difference, options)) for difference in chart.differences)
    yield list(_same(found, options.columns))
    yield list(_skipped(found, options.columns))
    for chart in found.charts:
        if chart.problem is not None:
            yield list(_not_compared(chart, options.columns))
    yield [line for fact in facts(found) for line in wrapped(fact, options.columns, then="  ")]
    if len(found.charts) != 1 or found.charts[0].differences:
        lines = wrapped(verdict(found), options.columns, then="  ")
        yield [style(line, bold=True) for line in lines]


def _head(chart: Compared, found: Comparison, columns: int) -> Iterator[str]:
    name = chart.name or chart.path
    parts = [style(name, bold=True) + titled(chart).removeprefix(name)]
    if len(found.charts) > 1 and chart.name:
        parts.append(chart.path)
    parts.append(counted(len(chart.differences), "difference"))
    yield from wrapped("    ".join(parts), columns, then="  ")


def _assumed(chart: Compared, columns: int) -> Iterator[str]:
    if chart.assumed:
        for line in wrapped(f"assumed: {'; '.join(chart.assumed)}", columns, then="  "):
            yield style(line, dim=True)


def _difference(difference: Difference, options: ReportOptions) -> Iterator[str]:
    label = style("differs", fg="yellow", bold=True)
    yield from wrapped(
        difference.title, options.title_columns, first=f"{label}  ", then=" " * width(f"{label}  ")
    )
    yield ""
    yield from evidence(difference, options.columns, brief=True, indent=EVIDENCE)
    if said := circumstances(difference, whole=options.verbose):
        yield ""
        yield from wrapped(said, options.columns, first="  ", then="    ")


def _same(found: Comparison, columns: int) -> Iterator[str]:
    charts = [chart for chart in found.charts if not (chart.differences or chart.skipped or chart.problem)]
    rows = [(_called(chart, found), said_of_same(chart, found)) for chart in charts]
    lines = list(table(rows, gap="    "))
    if any(width(line) > columns for line in lines):
        lines = ["    ".join(row) for row in rows]
    yield from lines
    if len(found.charts) == 1:
        yield from (line for chart in charts for line in _assumed(chart, columns))


def _called(chart: Compared, found: Comparison) -> str:
    """Among many, charts are told apart by their paths, and releases of one file by their names."""
    if len(found.charts) == 1:
        return titled(chart)
    alone = sum(other.path == chart.path for other in found.charts) == 1
    return f"{chart.path} {chart.version if alone else chart.name}".rstrip()


def _skipped(found: Comparison, columns: int) -> Iterator[str]:
    for chart in found.charts:
        if chart.skipped:
            lines = wrapped(f"{titled(chart)}    skipped: {chart.skipped}", columns, then="  ")
            yield from (style(line, dim=True) for line in lines)


def _not_compared(chart: Compared, columns: int) -> Iterator[str]:
    assert chart.problem is not None
    first, *more = complaint(chart, chart.problem)
    label = style("not compared", fg="red", bold=True)
    yield from wrapped(first, columns, first=f"{label}  ", then="  ")
    for line in more:
        yield from wrapped(line, columns, first="  ", then="    ")
