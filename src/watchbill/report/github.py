"""What was found, as workflow commands: GitHub shows each at its line of the pull request."""

from collections.abc import Iterator
from posixpath import normpath

from watchbill.checking.result import Finding, Level, Run
from watchbill.report.grouping import unchecked_charts
from watchbill.report.harmless import harmless
from watchbill.report.message import message
from watchbill.report.options import ReportOptions
from watchbill.report.words import complaint, verdict

COMMANDS: dict[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}


def report(run: Run, options: ReportOptions) -> str:
    return "\n".join(_lines(harmless(run), options))


def _lines(run: Run, options: ReportOptions) -> Iterator[str]:
    for finding in run.findings:
        title = f"{finding.rule} {finding.name}"
        yield _command(COMMANDS[finding.level], _place(finding), title, message(finding))
    for chart, problem in unchecked_charts(run):
        yield _command("error", {}, chart.unfinished, "\n".join(complaint(chart, problem)))
    for text in run.unknown_ignores:
        yield _command("warning", {}, "an ignore no longer matches anything", text)
    if not options.quiet:
        yield verdict(run)  # GitHub shows ten annotations of a sort, and does not say how many more there are


def _place(finding: Finding) -> dict[str, str]:
    if finding.location is None:
        return {}
    place = {"file": normpath(finding.location.file)}  # `./x` would match no file of a pull request
    if finding.location.line:
        place["line"] = str(finding.location.line)
        if finding.location.column:
            place["col"] = str(finding.location.column)
    return place


def _command(name: str, place: dict[str, str], title: str, text: str) -> str:
    properties = {**place, "title": title}
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {written}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
