"""One finding for a person: what breaks, where, how to see it, what to do. A screen at most, unless all is asked for."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from watchbill.checking.result import Finding, Level, Location
from watchbill.report.counting import counted, listed
from watchbill.report.evidence import evidence
from watchbill.report.options import ReportOptions
from watchbill.report.styles import style
from watchbill.report.table import table
from watchbill.report.terminal import abridged, width, wrapped
from watchbill.report.words import MOST_LISTED, circumstances, spot, way

COLORS: dict[Level, str] = {"error": "red", "warning": "yellow", "note": "cyan"}
MOST_PLACES = 2
LONGEST_LIST = 480  # columns
LONGEST_REASON = 320
EVIDENCE = " " * 6


def lines(finding: Finding, options: ReportOptions, *, brief: bool) -> Iterator[str]:
    """Of a finding that is harmless already. A brief one leaves out whole places, moves and clauses."""
    columns = options.columns
    yield from wrapped(finding.title, options.title_columns, first=_label(finding), then=_indent(finding))
    yield from _places(finding, columns, brief=brief)
    seen = list(evidence(finding, columns, verbose=options.verbose, brief=brief, indent=EVIDENCE))
    if seen:
        yield from ("", *seen, "")
    if said := _abridged(circumstances(finding, whole=not brief), LONGEST_LIST, brief=brief):
        yield from wrapped(said, columns, first="  ", then="    ")
    if options.verbose:
        yield style(f"  fingerprint {finding.fingerprint}", dim=True)
    yield from _fix(finding, columns)


def line(finding: Finding, options: ReportOptions) -> Iterator[str]:
    """A finding in one line: its title and its place. Only a terminal's width wraps it."""
    place = f" ({spot(finding.location)})" if finding.location else ""
    charts = f" {_in_charts(finding, brief=True)}" if len(finding.charts) > 1 else ""
    text = f"{finding.title}{place}{charts}"
    columns = options.width or width(_label(finding) + text)
    yield from wrapped(text, columns, first=_label(finding), then=_indent(finding))


def _label(finding: Finding) -> str:
    level = style(finding.level, fg=COLORS[finding.level], bold=True)
    return f"{level} {style(finding.rule, bold=True)}  "


def _indent(finding: Finding) -> str:
    return " " * width(_label(finding))


def _places(finding: Finding, columns: int, *, brief: bool) -> Iterator[str]:
    main = finding.location
    because = finding.because or (main.note if main else "")
    related = finding.related[:MOST_PLACES] if brief else finding.related
    noted = [(place, place.note) for place in related]
    if main:
        noted.insert(0, (main, because))
    elif because:
        yield from wrapped(_abridged(because, LONGEST_REASON, brief=brief), columns, first="  ", then="  ")
    said = [(place, _abridged(text, LONGEST_REASON, brief=brief)) for place, text in noted]
    yield from _beside(said, columns, brief=brief)
    if hidden := len(finding.related) - len(related):
        yield f"  and {counted(hidden, 'more place')} (-v)"
    remarks = [f"in the dependency {finding.dependency}"] if finding.dependency else []
    if len(finding.charts) > 1:
        remarks.append(_in_charts(finding, brief=brief))
    for remark in remarks:
        yield from wrapped(_abridged(remark, LONGEST_LIST, brief=brief), columns, first="  ", then="    ")


def _in_charts(finding: Finding, *, brief: bool) -> str:
    return f"in {len(finding.charts)} charts: {listed(finding.charts, MOST_LISTED, whole=not brief)}"


def _beside(places: Sequence[tuple[Location, str]], columns: int, *, brief: bool) -> Iterator[str]:
    """Each place with what stands there: beside it where everything fits in a line, else below. A file is named once."""
    files = [place.file for place, _ in places]
    places = sorted(places, key=lambda one: files.index(one[0].file))
    again = [one[0].file == before[0].file for before, one in pairwise(places)]
    named = [(place, text, same) for (place, text), same in zip(places, [False, *again], strict=False)]
    rows = [
        (f":{place.line}".rjust(width(spot(place))) if same else spot(place), text)
        for place, text, same in named
    ]
    in_lines = list(table(rows, indent="  ", gap="   "))
    if all(width(text) <= columns for text in in_lines) and not any(place.through for place, _ in places):
        yield from in_lines
        return
    for place, text, same in named:
        beside = f"  {spot(place)}   {text}"
        said = [f"line {place.line}: {text}" if same and place.line else text]
        if not same and not place.through and width(beside) <= columns:
            yield beside.rstrip()
            continue
        if not same:
            yield f"  {spot(place)}"
        if place.through:
            said.append(_abridged(way(place), LONGEST_REASON, brief=brief))
        for part in filter(None, said):
            yield from wrapped(part, columns, first="    ", then="    ")


def _abridged(text: str, longest: int, *, brief: bool) -> str:
    return abridged(text, longest) if brief else text


def _fix(finding: Finding, columns: int) -> Iterator[str]:
    first = f"  {style('fix', fg='green', bold=True)}  "
    then = " " * width(first)
    advice = finding.fix.splitlines()
    if finding.override:
        advice += ["or without touching it, in your values:" if advice else "in your values:"]
        advice += [f"  {line}" for line in finding.override.splitlines()]
    for number, text in enumerate(advice):
        own = text[: len(text) - len(text.lstrip())]
        yield from wrapped(text.strip(), columns, first=(then if number else first) + own, then=then + own)
    yield style(f"{then if advice else '  '}watchbill explain {finding.rule}", dim=True)
