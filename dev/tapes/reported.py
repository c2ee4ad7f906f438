"""Public reports about pairs of the corpus: is what `check` says of a pair what people ran into?

What must be said is judged by hand and written down in reported.yaml: rules that name the defect, and in which check.
Where Helm and manifests alone cannot show it, it says why instead.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from dev.tapes.verdicts import Verdict

TABLE = Path(__file__).with_name("reported.yaml")


@dataclass(frozen=True)
class Report:
    pair: str
    rules: tuple[str, ...] = ()  # any of them names it; none: it cannot be shown, and `why` says why
    object: str = ""  # a part of the name of what it is about, where the rule may be about others too
    check: str = "upgrade"  # where: in the upgrade, in the new version alone, or in the old one
    why: str = ""


def read() -> dict[str, Report]:
    entries = yaml.safe_load(TABLE.read_text())
    reports = [Report(**{**entry, "rules": tuple(entry.get("rules", ()))}) for entry in entries]
    return {report.pair: report for report in reports}


def explained(found: Sequence[Verdict]) -> Iterator[str]:
    """One line a report, and how many are explained."""
    known, reports = read(), [v for v in found if v.pair.get("reported")]
    pairs = list(dict.fromkeys(verdict.pair["pair"] for verdict in reports))
    good = beyond = 0
    for name in pairs:
        report = known.get(name)
        if report is None:
            yield f"{name}: NOT JUDGED YET, see {TABLE.name}"
        elif not report.rules:
            beyond += 1
            yield f"{name}: beyond what can be shown: {report.why}"
        else:
            titles = [_naming(verdict, report) for verdict in reports if verdict.pair["pair"] == name]
            title = next(filter(None, titles), "")
            good += bool(title)
            yield f"{name}: {f'explained by {title}' if title else f'NOT EXPLAINED: {report.why}'}"
    yield f"{len(pairs)} reports: {good} explained, {beyond} beyond, {len(pairs) - good - beyond} open"


def _naming(verdict: Verdict, report: Report) -> str:
    if verdict.check != report.check:
        return ""
    naming = (
        f"{finding.rule} {finding.level}: {finding.title}"
        for finding in verdict.checked.findings
        if finding.rule in report.rules and any(report.object in name for name in finding.objects)
    )
    return next(naming, "")
