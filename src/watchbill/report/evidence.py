"""The trace of a finding as evidence: moves in order, what each did, and the tool's own words once.

A brief trace leaves out whole moves, deeds and clauses, and says how many; nothing is cut in its middle.
"""

from collections.abc import Callable, Iterator, Sequence

from watchbill.checking.result import GIVEN, Finding, Row, Trace
from watchbill.report.counting import counted
from watchbill.report.styles import style
from watchbill.report.table import table
from watchbill.report.terminal import abridged, width, wrapped
from watchbill.report.words import essence

MOST_MOVES = 5
MOST_DONE = 4
LONGEST_ERROR = 480  # columns
LONGEST_TEXT = 320  # of a move or a deed
LONGEST_DEEDS = 600
JOINED = " && "  # how Helm 4 joins the errors of several objects
OUTCOME = len("works")
GAP = "  "


def evidence(
    finding: Finding, columns: int, *, verbose: bool, brief: bool, indent: str = ""
) -> Iterator[str]:
    """Verbose evidence has the states before and after, and the tool's whole output."""
    moves = finding.trace.rows if finding.trace else ()

    def shows(row: Row) -> bool:
        return row is moves[-1] or essence(row.error) == essence(finding.error) != ""

    most = MOST_MOVES if brief else len(moves)
    subject = finding.objects[0] if finding.objects else ""
    rows = trace_rows(
        moves, shows, columns - len(indent), most=most, verbose=verbose, brief=brief, subject=subject
    )
    yield from table(list(rows), columns=columns, indent=indent, gap=GAP)
    if finding.error and all(essence(row.error) != essence(finding.error) for row in moves):
        text = error_text(finding.error, verbose=verbose, brief=brief, subject=subject)
        yield from wrapped(text, columns, first=indent, then=f"{indent}  ")
    if finding.trace and verbose:
        yield ""
        yield from table(list(_surroundings(finding.trace)), columns=columns, indent=indent, gap=GAP)


def error_text(text: str, *, verbose: bool = False, brief: bool = False, subject: str = "") -> str:
    """Without dumped values, unless verbose. Of several errors a brief text has only the subject's."""
    if verbose:
        return " ".join(text.split())
    return _brief_error(essence(text), LONGEST_ERROR, subject) if brief else essence(text)


def _brief_error(text: str, room: int, subject: str) -> str:
    if width(text) <= room:
        return text
    errors = text.split(JOINED)
    name = subject.rpartition("/")[2]
    chosen = next((error for error in errors if f'"{name}"' in error), errors[0])
    if len(errors) == 1:
        return abridged(chosen, room)
    more = f" (and {counted(len(errors) - 1, 'more error')}: -v)"
    return abridged(chosen, room - len(more)) + more


def trace_rows(
    moves: Sequence[Row],
    shows: Callable[[Row], bool],
    columns: int,
    *,
    most: int,
    verbose: bool,
    brief: bool,
    subject: str = "",
    praise: bool = True,
) -> Iterator[tuple[str, ...]]:
    """At most so many moves. In a brief trace, moves that only lead to the one that `shows` it have one line each.

    Without `praise`, operations that work are not green.
    """
    hidden = range(0) if len(moves) <= most else range(1, len(moves) - most + 2)
    shown = [*moves[: hidden.start], *moves[hidden.stop :]]
    widest = columns // 3
    beside = max((width(row.move) for row in shown if width(row.move) <= widest), default=0)
    room = columns - beside - OUTCOME - 2 * len(GAP)
    said: set[str] = set()
    for number, row in enumerate(shown):
        if hidden and number == hidden.start:
            yield (style(f"({counted(len(hidden), 'more move')}: -v)", dim=True),)
        if shows(row) or not brief:
            first, *others = _said(row, said, verbose=verbose, brief=brief, subject=subject) or [""]
        else:
            first, others = _said_briefly(row, room, subject), []
        move = _text(row.move, brief=brief)
        if row.works is None and not first:
            yield (style(move, dim=True) if move.startswith(GIVEN) else move,)
        elif width(move) > widest:
            yield (move,)
            yield "", _outcome(row, praise=praise), first
        else:
            yield move, _outcome(row, praise=praise), first
        yield from (("", "", other) for other in others)


def _said(row: Row, said: set[str], *, verbose: bool, brief: bool, subject: str) -> list[str]:
    """The error on lines of its own, then what was done."""
    parts = []
    if row.error:
        again = essence(row.error) in said
        said.add(essence(row.error))
        parts.append(
            "with the same error"
            if again
            else error_text(row.error, verbose=verbose, brief=brief, subject=subject)
        )
    if row.did:
        parts.append(_fitting(row.did, LONGEST_DEEDS, subject) if brief else "; ".join(row.did))
    return parts


def _text(text: str, *, brief: bool) -> str:
    return abridged(text, LONGEST_TEXT) if brief else text


def _said_briefly(row: Row, room: int, subject: str) -> str:
    return _brief_error(essence(row.error), room, subject) if row.error else _fitting(row.did, room, subject)


def _fitting(did: Sequence[str], room: int, subject: str) -> str:
    """As many deeds as there is room for, and at least one."""
    did = [_text(text, brief=True) for text in did]
    named = min(MOST_DONE, len(did))
    while named > 1 and width(_deeds(did, named, subject)) > room:
        named -= 1
    return _deeds(did, named, subject)


def _deeds(did: Sequence[str], named: int, subject: str) -> str:
    """As many deeds as named, in their order. Those of the finding's own object are the last to be left out."""
    if len(did) <= named:
        return "; ".join(did)
    ranked = sorted(range(len(did)), key=lambda place: not did[place].startswith(f"{subject} "))
    kept = [did[place] for place in sorted(ranked[:named])]
    return "; ".join([*kept, f"and {len(did) - named} more (-v)"])


def _outcome(row: Row, *, praise: bool) -> str:
    if row.works is None:
        return ""
    if not row.works:
        return style("fails", fg="red", bold=True)
    return style("works", fg="green") if praise else "works"


def _surroundings(trace: Trace) -> Iterator[tuple[str, str]]:
    for name, texts in (("before", trace.before), ("after", trace.after), ("moves", trace.moves)):
        if texts:
            yield style(name, dim=True), "; ".join(texts)
    yield style("tool", dim=True), trace.tool
