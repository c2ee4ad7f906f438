"""Every format by its name: what was found goes in, text comes out."""

from typing import Protocol, cast

from watchbill.checking.result import Run
from watchbill.report.options import ReportOptions

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")
WITH_MATRIX = frozenset({"html"})  # shows what each Job does, too


class Report(Protocol):
    """The same input gives the same bytes: no times, no paths of this machine. `text` is styled for a terminal."""

    def __call__(self, run: Run, options: ReportOptions) -> str: ...


def report_in(form: str) -> Report:
    """Only the module that is asked for is imported: a report in text need not wait for the others."""
    return cast(Report, __import__(f"watchbill.report.{form}", fromlist=["report"]).report)
