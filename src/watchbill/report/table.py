"""Rows in columns that line up on a terminal, whatever script and colour the cells are in."""

from collections.abc import Iterator, Sequence

from watchbill.report.styles import style
from watchbill.report.terminal import fit, padded, width, wrapped


def records(head: Sequence[str], rows: Sequence[Sequence[str]], columns: int) -> Iterator[str]:
    """A table with a dim head. If it is too wide for the terminal, each row becomes a block: its cells one below the other.

    0 columns: there is no terminal, and nothing is too wide.
    """
    in_lines = list(table([[style(word, dim=True) for word in head], *rows]))
    if not columns or all(width(line) <= columns for line in in_lines):
        yield from in_lines
        return
    for row in rows:
        first, *others = row
        yield from fit([first], columns)
        named = [
            (f"  {style(word, dim=True)}", cell) for word, cell in zip(head[1:], others, strict=False) if cell
        ]
        yield from table(named, columns=columns)


def table(
    rows: Sequence[Sequence[str]], *, columns: int = 0, indent: str = "", gap: str = "  "
) -> Iterator[str]:
    """One line a row. A row may have fewer cells than others; one of a single cell runs across all columns.

    `columns` is the terminal's width: the last cell of a full row is then wrapped below itself, and so is a
    single one. Cells are printable and may be styled; a head is the first row, styled by whoever has one.
    """
    full = max(map(len, rows), default=0)
    aligned = [row for row in rows if len(row) > 1 or full == 1]
    widths = [
        max((width(row[column]) for row in aligned if len(row) > column), default=0) for column in range(full)
    ]
    for row in rows:
        if columns and len(row) == 1:
            yield from wrapped(row[0], columns, first=indent, then=f"{indent}  ")
            continue
        if len(row) < full:
            yield (indent + gap.join(map(padded, row[:-1], widths)) + gap * (len(row) > 1) + row[-1]).rstrip()
            continue
        first = indent + gap.join(map(padded, row[:-1], widths))
        first += gap if full > 1 else ""
        if not columns:
            yield (first + row[-1]).rstrip()
            continue
        yield from wrapped(row[-1], columns, first=first, then=" " * width(first))
