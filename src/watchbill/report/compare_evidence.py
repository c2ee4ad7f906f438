"""The path to where two tools part: moves in order, what each did, and what both made of the last."""

from collections.abc import Iterator

from watchbill.checking.comparing.result import Difference
from watchbill.checking.result import Row
from watchbill.report.evidence import GAP, trace_rows
from watchbill.report.table import table

MOST_MOVES = 8  # the last of them, and what each tool made of it, among them


def evidence(difference: Difference, columns: int, *, brief: bool, indent: str = "") -> Iterator[str]:
    sides = [Row(f"  {side.move}", side.works, side.did, side.error) for side in difference.sides]
    rows = [*difference.rows, Row(difference.move, None), *sides]

    most = MOST_MOVES if brief else len(rows)

    def shows(row: Row) -> bool:
        return any(row is side for side in sides)

    room = columns - len(indent)
    # The tool under which an operation works is not always better off: it may have skipped a Job.
    cells = trace_rows(rows, shows, room, most=most, verbose=False, brief=brief, praise=False)
    yield from table(list(cells), columns=columns, indent=indent, gap=GAP)
