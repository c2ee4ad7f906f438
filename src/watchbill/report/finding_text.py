"""One finding for a person: what breaks, where, how to see it, what to do. A screen at most, unless all is asked for."""

from collections.abc import Iterator, Sequence

from click import style

from watchbill.checking.result import Finding, Level, Row, Trace
from watchbill.report.counting import counted, listed
from watchbill.report.options import ReportOptions
from watchbill.report.table import table
from watchbill.report.terminal import shortened, width, wrapped
from watchbill.report.words import MOST_LISTED, circumstances, essence, reason, spot

COLORS: dict[Level, str] = {"error": "red", "warning": "yellow", "note": "cyan"}
MOST_PLACES = 3
MOST_MOVES = 6
MOST_DONE = 3
LONGEST_ERROR = 240  # columns; its reason stands at its end, so the middle goes
LONGEST_REMARK = 200
EVIDENCE = " " * 6


def lines(finding: Finding, options: ReportOptions) -> Iterator[str]:
    """Of a finding that is harmless already."""
    columns, verbose = options.columns, options.verbose
    yield from _title(finding, options.title_columns)
    yield from _places(finding, columns, verbose=verbose)
    if evidence := list(_evidence(finding, columns, verbose=verbose)):
        yield ""
        yield from evidence
        yield ""
    if said := circumstances(finding, verbose=verbose):
        yield from wrapped(said, columns, first="  ", then="    ")
    if verbose:
        yield style(f"  fingerprint {finding.fingerprint}", dim=True)
    yield from _fix(finding, columns)


def trace_lines(trace: Trace, columns: int, *, verbose: bool, indent: str = "") -> Iterator[str]:
    """Moves in order, what each did, and each error text once."""
    rows = list(_rows(trace.rows, columns // 3, verbose=verbose))
    yield from table(rows, columns=columns, indent=indent)
    if verbose:
        told = [
            ("before", trace.before),
            ("after", trace.after),
            ("moves", trace.moves),
            ("tool", (trace.tool,)),
        ]
        yield ""
        yield from table(
            [(style(name, dim=True), "; ".join(texts)) for name, texts in told if texts],
            columns=columns,
            indent=indent,
        )


def other_error(finding: Finding, *, verbose: bool) -> str:
    """The finding's error, where no row of the trace says it."""
    rows = finding.trace.rows if finding.trace else ()
    said = any(essence(row.error) == essence(finding.error) for row in rows)
    return "" if said else _error(finding.error, verbose=verbose)


def _title(finding: Finding, columns: int) -> Iterator[str]:
    label = style(finding.level, fg=COLORS[finding.level], bold=True)
    head = f"{label} {style(finding.rule, bold=True)}  "
    yield from wrapped(finding.title, columns, first=head, then=" " * width(head))


def _places(finding: Finding, columns: int, *, verbose: bool) -> Iterator[str]:
    places = [(finding.location, finding.because)] if finding.location or finding.because else []
    related = finding.related if verbose else finding.related[:MOST_PLACES]
    places += [(place, place.note) for place in related]
    rows = [(spot(place) if place else "", reason(place, note)) for place, note in places]
    widest = max((width(where) for where, _ in rows), default=0)
    if widest > columns // 2:
        for where, note in rows:
            yield f"  {where}"
            yield from wrapped(note, columns, first="    ", then="    ") if note else ()
    else:
        yield from table(rows, columns=columns, indent="  ", gap="   ")
    if hidden := len(finding.related) - len(related):
        yield f"  and {counted(hidden, 'more place')}"
    if finding.dependency:
        yield from wrapped(f"in the dependency {finding.dependency}", columns, first="  ", then="    ")
    if len(finding.charts) > 1:
        charts = listed(finding.charts, MOST_LISTED, verbose=verbose)
        yield from wrapped(f"in {len(finding.charts)} charts: {charts}", columns, first="  ", then="    ")


def _evidence(finding: Finding, columns: int, *, verbose: bool) -> Iterator[str]:
    if finding.trace:
        yield from trace_lines(finding.trace, columns, verbose=verbose, indent=EVIDENCE)
    if said := other_error(finding, verbose=verbose):
        yield from wrapped(said, columns, first=EVIDENCE, then=f"{EVIDENCE}  ")


def _rows(moves: Sequence[Row], widest: int, *, verbose: bool) -> Iterator[tuple[str, ...]]:
    said: set[str] = set()
    hidden = range(0) if verbose or len(moves) <= MOST_MOVES else range(1, len(moves) - MOST_MOVES + 2)
    for number, row in enumerate(moves):
        if number in hidden:
            if number == hidden[0]:
                yield (style(f"… {counted(len(hidden), 'move')} …", dim=True),)
            continue
        first, *others = _said(row, said, verbose=verbose) or [""]
        if row.works is None and not first:
            yield (row.move,)
        elif width(row.move) > widest:
            yield (row.move,)
            yield "", _outcome(row), first
        else:
            yield row.move, _outcome(row), first
        yield from (("", "", other) for other in others)


def _said(row: Row, said: set[str], *, verbose: bool) -> list[str]:
    """The error on lines of its own, then what was done."""
    parts = []
    if row.error:
        again = essence(row.error) in said
        said.add(essence(row.error))
        parts.append("with the same error" if again else _error(row.error, verbose=verbose))
    if row.did:
        done = [done if verbose else shortened(done, LONGEST_REMARK) for done in row.did]
        more = 0 if verbose or len(done) <= MOST_DONE + 1 else len(done) - MOST_DONE
        parts.append("; ".join([*done[: len(done) - more], *([f"and {more} more"] if more else [])]))
    return parts


def _outcome(row: Row) -> str:
    if row.works is None:
        return ""
    return style("works", fg="green") if row.works else style("fails", fg="red", bold=True)


def _error(text: str, *, verbose: bool) -> str:
    return " ".join(text.split()) if verbose else shortened(essence(text), LONGEST_ERROR)


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
