"""Findings on one line each, `path:line:column: WB101 title`, as compilers print them: for editors, grep and long lists."""

from collections.abc import Iterator

from watchbill.checking.result import Run
from watchbill.report.grouping import home_file, located, unchecked_charts
from watchbill.report.harmless import harmless
from watchbill.report.options import ReportOptions
from watchbill.report.words import complaint, verdict


def report(run: Run, options: ReportOptions) -> str:
    return "\n".join(_lines(harmless(run), options))


def _lines(run: Run, options: ReportOptions) -> Iterator[str]:
    for finding, chart in located(run):
        place = finding.location
        file, line, column = (place.file, place.line, place.column) if place else (home_file(chart), 1, 1)
        yield f"{file}:{line or 1}:{column or 1}: {finding.rule} {finding.title}"
    for unchecked, problem in unchecked_charts(run):
        yield f"{home_file(unchecked.path)}:1:1: {unchecked.unfinished}: {'; '.join(complaint(unchecked, problem))}"
    if not options.quiet:
        yield verdict(run)
