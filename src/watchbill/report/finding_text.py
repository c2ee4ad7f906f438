"""One finding for a person: what breaks, where, how to see it, what to do. A screen at most, unless all is asked for."""

from collections.abc import Iterator, Sequence

from watchbill.checking.result import Finding, Level
from watchbill.report.counting import counted, listed
from watchbill.report.evidence import evidence
from watchbill.report.options import ReportOptions
from watchbill.report.styles import style
from watchbill.report.table import table
from watchbill.report.terminal import shortened, width, wrapped
from watchbill.report.words import MOST_LISTED, cause, circumstances, reason, spot

COLORS: dict[Level, str] = {"error": "red", "warning": "yellow", "note": "cyan"}
MOST_PLACES = 2
LONGEST_LIST = 220
LONGEST_REASON = 160
LONGEST_NOTE = 80
EVIDENCE = " " * 6


def lines(finding: Finding, options: ReportOptions) -> Iterator[str]:
    """Of a finding that is harmless already."""
    columns, verbose = options.columns, options.verbose
    yield from _title(finding, options.title_columns)
    yield from _places(finding, columns, verbose=verbose)
    if seen := list(evidence(finding, columns, verbose=verbose, indent=EVIDENCE)):
        yield from ("", *seen, "")
    if said := _brief(circumstances(finding, verbose=verbose), LONGEST_LIST, verbose=verbose):
        yield from wrapped(said, columns, first="  ", then="    ")
    if verbose:
        yield style(f"  fingerprint {finding.fingerprint}", dim=True)
    yield from _fix(finding, columns)


def _title(finding: Finding, columns: int) -> Iterator[str]:
    label = style(finding.level, fg=COLORS[finding.level], bold=True)
    head = f"{label} {style(finding.rule, bold=True)}  "
    yield from wrapped(finding.title, columns, first=head, then=" " * width(head))


def _places(finding: Finding, columns: int, *, verbose: bool) -> Iterator[str]:
    related = finding.related if verbose else finding.related[:MOST_PLACES]
    rows = [
        (spot(place), _brief(reason(place, place.note), LONGEST_NOTE, verbose=verbose)) for place in related
    ]
    if finding.location or finding.because:
        where = spot(finding.location) if finding.location else ""
        rows.insert(0, (where, _brief(cause(finding), LONGEST_REASON, verbose=verbose)))
    yield from _beside(rows, columns)
    if hidden := len(finding.related) - len(related):
        yield f"  and {counted(hidden, 'more place')}"
    remarks = [f"in the dependency {finding.dependency}"] if finding.dependency else []
    if len(finding.charts) > 1:
        charts = listed(finding.charts, MOST_LISTED, verbose=verbose)
        remarks.append(f"in {len(finding.charts)} charts: {charts}")
    for remark in remarks:
        yield from wrapped(_brief(remark, LONGEST_LIST, verbose=verbose), columns, first="  ", then="    ")


def _beside(rows: Sequence[tuple[str, str]], columns: int) -> Iterator[str]:
    """What stands at a place beside it, or below it where there is no room."""
    if all(0 < width(where) <= columns // 2 for where, _ in rows):
        yield from table(rows, columns=columns, indent="  ", gap="   ")
        return
    for where, note in rows:
        yield from [f"  {where}"] if where else []
        indent = "    " if where else "  "
        yield from wrapped(note, columns, first=indent, then=indent) if note else []


def _brief(text: str, longest: int, *, verbose: bool) -> str:
    return text if verbose else shortened(text, longest)


def _fix(finding: Finding, columns: int) -> Iterator[str]:
    first = f"  {style('fix', fg='green', bold=True)}  "
    then = " " * width(first)
    advice = finding.fix.splitlines()
    if finding.override:
        advice += ["or without touching it, in your values:" if advice else "in your values:"]
        advice += [f"  {line}" for line in finding.override.splitlines()]
    for number, line in enumerate(advice):
        own = line[: len(line) - len(line.lstrip())]
        yield from wrapped(line.strip(), columns, first=(then if number else first) + own, then=then + own)
    yield style(f"{then if advice else '  '}watchbill explain {finding.rule}", dim=True)
