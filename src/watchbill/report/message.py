"""One finding as a few plain sentences, where there is no room for a trace that lines up."""

from collections.abc import Iterator

from watchbill.checking.result import Finding
from watchbill.report.words import cause, circumstances, essence


def message(finding: Finding) -> str:
    return "\n".join(_lines(finding))


def _lines(finding: Finding) -> Iterator[str]:
    yield finding.title
    if said := cause(finding):
        yield said
    if finding.dependency:
        yield f"in the dependency {finding.dependency}"
    if finding.error:
        yield f"error: {essence(finding.error)}"
    if len(finding.charts) > 1:
        yield f"in {len(finding.charts)} charts: {', '.join(finding.charts)}"
    if said := circumstances(finding, whole=True):
        yield said
    if finding.fix:
        yield f"fix: {finding.fix}"
    if finding.override:
        yield f"in your values: {finding.override}"
    yield f"watchbill explain {finding.rule}"
