"""What was found, as JUnit's XML: a suite a chart, a test a finding.

There are no times in it: equal input gives equal output.
"""

from collections.abc import Iterator, Sequence
from html import escape

from msgspec.structs import replace

from watchbill.checking.result import Checked, Finding, Run
from watchbill.report import finding_text
from watchbill.report.harmless import harmless
from watchbill.report.options import ReportOptions
from watchbill.report.styles import unstyle
from watchbill.report.words import fine, titled

CHECKED = "is checked"


def report(run: Run, options: ReportOptions) -> str:
    """Of no terminal's width: it goes into a file."""
    return "\n".join(_lines(harmless(run), replace(options, width=0)))


def _lines(run: Run, options: ReportOptions) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield _open("testsuites", name="watchbill check", **_numbers(run.charts, options))
    for chart in run.charts:
        yield "  " + _open("testsuite", name=titled(chart), **_numbers([chart], options))
        yield from (f"    {line}" for line in _cases(chart, options))
        yield "  </testsuite>"
    yield "</testsuites>"


def _numbers(charts: Sequence[Checked], options: ReportOptions) -> dict[str, str]:
    findings = [finding for chart in charts for finding in chart.findings]
    numbers = {
        "tests": sum(len(chart.findings) or 1 for chart in charts),
        "failures": sum(options.fails(finding.level) for finding in findings),
        "errors": sum(chart.problem is not None for chart in charts),
        "skipped": sum(bool(chart.skipped) for chart in charts),
    }
    return {key: str(number) for key, number in numbers.items()}


def _cases(chart: Checked, options: ReportOptions) -> Iterator[str]:
    if chart.problem:
        more = "\n".join(part for part in (chart.problem.where, chart.problem.then) if part)
        said = _element("error", more, message=chart.problem.what, type=chart.unfinished)
        yield from _case(chart, CHECKED, said)
    elif chart.skipped:
        yield from _case(chart, CHECKED, _element("skipped", "", message=chart.skipped))
    elif not chart.findings:
        yield from _case(chart, CHECKED, _element("system-out", fine(chart)))
    for finding in chart.findings:
        yield from _case(chart, f"{finding.rule} {finding.title}", _found(finding, options), finding)


def _case(chart: Checked, name: str, inside: str, finding: Finding | None = None) -> Iterator[str]:
    place = {"file": finding.location.file} if finding and finding.location else {}
    yield _open("testcase", classname=chart.path, name=name, **place)
    yield f"  {inside}"
    yield "</testcase>"


def _found(finding: Finding, options: ReportOptions) -> str:
    text = unstyle("\n".join(finding_text.lines(finding, options, brief=False)))
    if options.fails(finding.level):
        return _element("failure", text, message=finding.title, type=f"{finding.level} {finding.name}")
    return _element("system-out", text)


def _element(tag: str, text: str, **attributes: str) -> str:
    return f"{_open(tag, **attributes)}{escape(text, quote=False)}</{tag}>"


def _open(tag: str, **attributes: str) -> str:
    written = "".join(f' {key}="{_attribute(value)}"' for key, value in attributes.items())
    return f"<{tag}{written}>"


def _attribute(text: str) -> str:
    """A parser takes a plain line break in an attribute for a blank."""
    return escape(text).replace("\n", "&#10;")
