"""What was found, for a person in a terminal or in a CI's log."""

from collections.abc import Iterator, Sequence

from watchbill.checking.result import LEVELS, Checked, Finding, Ignored, Problem, Run
from watchbill.report import finding_text
from watchbill.report.grouping import badness, fine_charts, groups, shared, skipped_charts, unchecked_charts
from watchbill.report.harmless import harmless
from watchbill.report.options import ReportOptions
from watchbill.report.styles import style
from watchbill.report.table import table
from watchbill.report.terminal import width, wrapped
from watchbill.report.words import complaint, content, fine, tally, titled, verdict
from watchbill.rules.words import tools_named

GAP = "    "
MOST_STALE = 5
MOST_WITHOUT_SUMMARY = 3  # findings
MOST_ASSUMED = 2  # lines


def report(run: Run, options: ReportOptions) -> str:
    return "\n".join(_separated(_sections(harmless(run), options)))


def _separated(sections: Iterator[list[str]]) -> Iterator[str]:
    for number, section in enumerate(section for section in sections if section):
        if number:
            yield ""
        yield from section


def _sections(run: Run, options: ReportOptions) -> Iterator[list[str]]:
    """Blocks with a blank line between them, the worst first; on a terminal, of many findings the summary before."""
    if options.quiet:
        yield from _findings(run.findings, options)
        for chart, problem in unchecked_charts(run):
            yield list(_unchecked(chart, problem, options.columns))
        return
    common = _assumed_by_all(run)
    begins = bool(options.width) and len(run.findings) > MOST_WITHOUT_SUMMARY
    if begins:
        yield [*_counts(run), *_verdict(run, options, hint=False)]
    if several := shared(run):
        yield [f"{style('in several charts', bold=True)}{GAP}{tally(several)}"]
        yield from _findings(several, options)
    for group in groups(run):
        chart, findings = group.chart, group.findings
        if findings or options.verbose:
            yield [
                *wrapped(_head(chart, run), options.columns, then="  "),
                *_assumed(chart.assumed, common, options),
            ]
        yield from _findings(findings, options)
        yield list(_details(chart, options))
    yield from _fine_ones(run, common, options)
    yield [
        style(line, dim=True)
        for chart in skipped_charts(run)
        for line in wrapped(f"{titled(chart)}   skipped: {chart.skipped}", options.columns, then="  ")
    ]
    for chart, problem in unchecked_charts(run):
        yield list(_unchecked(chart, problem, options.columns))
    yield list(_stale(run.unknown_ignores, options))
    if not begins:
        yield list(_counts(run))
    if len(run.charts) != 1 or run.findings:
        yield [*_verdict(run, options), *_assumed(common, (), options)]


def _verdict(run: Run, options: ReportOptions, *, hint: bool = True) -> Iterator[str]:
    for line in wrapped(verdict(run), options.columns, then="  "):
        yield style(line, bold=True)
    if hint and not options.verbose and any(finding.level == "note" for finding in run.findings):
        yield style("-v shows notes in full", dim=True)


def _findings(findings: Sequence[Finding], options: ReportOptions) -> Iterator[list[str]]:
    """The worst first. Notes are a line each, unless all is asked for."""
    short = [] if options.verbose else [finding for finding in findings if finding.level == "note"]
    for finding in findings:
        if finding not in short:
            yield list(finding_text.lines(finding, options, brief=not options.verbose))
    yield [line for finding in short for line in finding_text.line(finding, options)]


def _fine_ones(run: Run, common: Sequence[str], options: ReportOptions) -> Iterator[list[str]]:
    """A line each; what was assumed of one among many is told to who asks."""
    charts = fine_charts(run)
    lines = _aligned([_fine(chart, run) for chart in charts], options.columns)
    if len(run.charts) > 1 and not options.verbose:
        yield lines
        return
    for chart, line in zip(charts, lines, strict=True):
        yield [line, *_assumed(chart.assumed, common, options)]
        yield list(_details(chart, options))


def _aligned(rows: Sequence[tuple[str, str]], columns: int) -> list[str]:
    """In columns where they fit."""
    lines = list(table(rows, gap="   "))
    return lines if all(width(line) <= columns for line in lines) else ["   ".join(row) for row in rows]


def _head(chart: Checked, run: Run) -> str:
    parts = [
        style(chart.name or chart.path, bold=True) + titled(chart).removeprefix(chart.name or chart.path)
    ]
    if len(run.charts) > 1 and chart.name:
        parts.append(chart.path)
    return GAP.join([*parts, content(chart), ", ".join(tools_named(chart.tools))]).rstrip()


def _fine(chart: Checked, run: Run) -> tuple[str, str]:
    """Among many, charts are told apart by their paths."""
    called = titled(chart) if len(run.charts) == 1 else f"{_called(chart, run)} {chart.version}".rstrip()
    return called, f"{style('fine', fg='green')}{fine(chart).removeprefix('fine')}"


def _assumed_by_all(run: Run) -> tuple[str, ...]:
    """Where there are many charts it is said once, at the end."""
    charts = [chart for chart in run.charts if not (chart.skipped or chart.problem)]
    if len(run.charts) < 2 or not charts:
        return ()
    return tuple(text for text in charts[0].assumed if all(text in chart.assumed for chart in charts))


def _assumed(assumed: Sequence[str], known: Sequence[str], options: ReportOptions) -> list[str]:
    """As many whole assumptions as two lines hold; all of them if verbose."""
    texts = [text for text in assumed if text not in known]
    if options.verbose:
        lines = [wrapped(f"assumed: {text}", options.columns, then="  ") for text in texts]
        return [style(line, dim=True) for wrapped_lines in lines for line in wrapped_lines]
    return [style(line, dim=True) for line in _assumptions(texts, options.columns)]


def _assumptions(texts: Sequence[str], columns: int) -> list[str]:
    lines: list[str] = []
    for shown in range(len(texts), 0, -1):
        more = len(texts) - shown
        text = f"assumed: {'; '.join(texts[:shown])}{f'; and {more} more (-v)' if more else ''}"
        lines = list(wrapped(text, columns, then="  "))
        if len(lines) <= MOST_ASSUMED:
            break
    return lines


def _details(chart: Checked, options: ReportOptions) -> Iterator[str]:
    """What was seen and is not counted."""
    if not options.verbose:
        return
    for ignored in chart.ignored:
        yield from _ignored(ignored, options.columns)
    for fact in chart.facts:
        first = f"{style('fact', dim=True)}  {', '.join(tools_named(fact.tools))}: "
        yield from wrapped(fact.text, options.columns, first=first, then="      ")


def _ignored(ignored: Ignored, columns: int) -> Iterator[str]:
    finding = ignored.finding
    first = f"{style('ignored', dim=True)} {finding.level} {finding.rule}  "
    yield from wrapped(finding.title, columns, first=first, then="  ")
    yield from wrapped(ignored.reason, columns, first="  because: ", then="    ")


def _unchecked(chart: Checked, problem: Problem, columns: int) -> Iterator[str]:
    what, *more = complaint(chart, problem)
    label = style(chart.unfinished, fg="red", bold=True)
    yield from wrapped(what, columns, first=f"{label}  ", then="  ")
    for line in more:
        yield from wrapped(line, columns, first="  ", then="    ")


def _stale(unknown: Sequence[str], options: ReportOptions) -> Iterator[str]:
    shown = unknown if options.verbose else unknown[:MOST_STALE]
    for text in shown:
        lines = wrapped(f"an ignore no longer matches anything: {text}", options.columns, then="  ")
        yield from (style(line, fg="yellow") for line in lines)
    if len(shown) < len(unknown):
        yield style(f"and {len(unknown) - len(shown)} more (-v)", fg="yellow")


def _counts(run: Run) -> Iterator[str]:
    """A row for each of several charts."""
    found = sorted((chart for chart in run.charts if chart.findings), key=badness)
    if not found or len(run.charts) < 2:
        return
    head = [f"{level}s" for level in LEVELS]
    rows = [("", *head)]
    for chart in found:
        numbers = [sum(finding.level == level for finding in chart.findings) for level in LEVELS]
        cells = [str(number or "").rjust(len(word)) for number, word in zip(numbers, head, strict=True)]
        rows.append((_called(chart, run), *cells))
    first, *others = table(rows, gap="   ")
    yield style(first, dim=True)
    yield from others


def _called(chart: Checked, run: Run) -> str:
    """By its path, and by its release where one file holds several."""
    alone = sum(other.path == chart.path for other in run.charts) == 1
    return chart.path if alone else f"{chart.path} {chart.name}".rstrip()
