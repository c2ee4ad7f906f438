"""Findings as a GitLab code quality report: GitLab shows them in the merge request, at their lines.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

import hashlib
from collections.abc import Iterator
from posixpath import normpath

from msgspec import Struct

from watchbill.checking.result import Level, Location, Run
from watchbill.report.encoding import encoded
from watchbill.report.grouping import home_file, located, unchecked_charts
from watchbill.report.harmless import harmless
from watchbill.report.options import ReportOptions
from watchbill.report.words import complaint

SEVERITIES: dict[Level, str] = {"error": "critical", "warning": "major", "note": "info"}
NOT_CHECKED, SEVERITY_NOT_CHECKED = "not-checked", "blocker"


class Lines(Struct, frozen=True):
    begin: int


class Place(Struct, frozen=True):
    path: str  # from the root of the repository, without a leading ./
    lines: Lines


class Issue(Struct, frozen=True):
    description: str
    check_name: str
    fingerprint: str
    severity: str
    location: Place


def report(run: Run, options: ReportOptions) -> str:  # noqa: ARG001  (every format has one signature)
    return encoded(list(_unique(_issues(harmless(run)))))


def _issues(run: Run) -> Iterator[Issue]:
    for finding, chart in located(run):
        yield Issue(
            finding.title,
            finding.rule,
            _digest(finding.rule, finding.fingerprint, chart),
            SEVERITIES[finding.level],
            _place(finding.location or Location(home_file(chart), 1)),
        )
    for unchecked, problem in unchecked_charts(run):
        yield Issue(
            f"{unchecked.unfinished}: {'; '.join(complaint(unchecked, problem))}",
            NOT_CHECKED,
            _digest(NOT_CHECKED, unchecked.path),
            SEVERITY_NOT_CHECKED,
            _place(Location(home_file(unchecked.path), 1)),
        )


def _unique(issues: Iterator[Issue]) -> Iterator[Issue]:
    """GitLab drops all but one of the issues that share a fingerprint."""
    seen = dict[str, int]()
    for issue in issues:
        number = seen[issue.fingerprint] = seen.get(issue.fingerprint, 0) + 1
        fingerprint = _digest(issue.fingerprint, str(number)) if number > 1 else issue.fingerprint
        yield Issue(issue.description, issue.check_name, fingerprint, issue.severity, issue.location)


def _place(location: Location) -> Place:
    return Place(normpath(location.file), Lines(location.line or 1))


def _digest(*parts: str) -> str:
    """No line number is in it, so that an edit above a finding does not make it look new."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
