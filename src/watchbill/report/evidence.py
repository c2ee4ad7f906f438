"""The trace of a finding as evidence: moves in order, what each did, and the tool's own words once."""

from collections.abc import Callable, Iterator, Sequence

from watchbill.checking.result import Finding, Row, Trace
from watchbill.report.counting import counted
from watchbill.report.styles import style
from watchbill.report.table import table
from watchbill.report.terminal import shortened, width, wrapped
from watchbill.report.words import essence

MOST_MOVES = 5
MOST_DONE = 4
LONGEST_ERROR = 240  # columns; its reason stands at its end, so the middle goes
LONGEST_DEED = 160
OUTCOME = len("works")
GAP = "  "


def evidence(finding: Finding, columns: int, *, verbose: bool, indent: str = "") -> Iterator[str]:
    rows = list(_rows(finding, columns - len(indent), verbose=verbose))
    yield from table(rows, columns=columns, indent=indent, gap=GAP)
    moves = finding.trace.rows if finding.trace else ()
    if finding.error and all(essence(row.error) != essence(finding.error) for row in moves):
        text = error_text(finding.error, verbose=verbose)
        yield from wrapped(text, columns, first=indent, then=f"{indent}  ")
    if finding.trace and verbose:
        yield ""
        yield from table(list(_surroundings(finding.trace)), columns=columns, indent=indent, gap=GAP)


def error_text(text: str, *, verbose: bool = False) -> str:
    """Cut to what matters, unless all is asked for."""
    return " ".join(text.split()) if verbose else shortened(essence(text), LONGEST_ERROR)


def _rows(finding: Finding, columns: int, *, verbose: bool) -> Iterator[tuple[str, ...]]:
    moves = finding.trace.rows if finding.trace else ()

    def shows(row: Row) -> bool:
        return row is moves[-1] or essence(row.error) == essence(finding.error) != ""

    yield from trace_rows(moves, shows, columns, most=MOST_MOVES, verbose=verbose)


def trace_rows(
    moves: Sequence[Row], shows: Callable[[Row], bool], columns: int, *, most: int, verbose: bool
) -> Iterator[tuple[str, ...]]:
    """At most so many moves. Of those that lead to the one that shows it, a line each says enough."""
    hidden = range(0) if verbose or len(moves) <= most else range(1, len(moves) - most + 2)
    shown = [*moves[: hidden.start], *moves[hidden.stop :]]
    widest = columns // 3
    beside = max((width(row.move) for row in shown if width(row.move) <= widest), default=0)
    room = columns - beside - OUTCOME - 2 * len(GAP)
    said: set[str] = set()
    for number, row in enumerate(shown):
        if hidden and number == hidden.start:
            yield (style(f"… {counted(len(hidden), 'move')} …", dim=True),)
        if shows(row) or verbose:
            first, *others = _said(row, said, verbose=verbose) or [""]
        else:
            first, others = _said_briefly(row, room), []
        if row.works is None and not first:
            yield (row.move,)
        elif width(row.move) > widest:
            yield (row.move if verbose else shortened(row.move, columns),)
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
        parts.append("with the same error" if again else error_text(row.error, verbose=verbose))
    if row.did:
        parts.append("; ".join(row.did) if verbose else shortened(_deeds(row.did, MOST_DONE), LONGEST_DEED))
    return parts


def _said_briefly(row: Row, room: int) -> str:
    if row.error:
        return shortened(essence(row.error), room)
    named = MOST_DONE
    while named > 1 and width(_deeds(row.did, named)) > room:
        named -= 1
    return shortened(_deeds(row.did, named), room)


def _deeds(did: Sequence[str], named: int) -> str:
    if len(did) <= named:
        return "; ".join(did)
    return "; ".join([*did[:named], f"and {len(did) - named} more"])


def _outcome(row: Row) -> str:
    if row.works is None:
        return ""
    return style("works", fg="green") if row.works else style("fails", fg="red", bold=True)


def _surroundings(trace: Trace) -> Iterator[tuple[str, str]]:
    for name, texts in (("before", trace.before), ("after", trace.after), ("moves", trace.moves)):
        if texts:
            yield style(name, dim=True), "; ".join(texts)
    yield style("tool", dim=True), trace.tool
