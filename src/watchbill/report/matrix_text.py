"""A matrix for a person in a terminal: one table a Job, what goes wrong in capitals and explained below."""

from collections.abc import Iterator, Sequence

from watchbill.checking.tabulating.matrix import Matrix
from watchbill.checking.tabulating.tabulate import Tabulated
from watchbill.report.harmless import harmless
from watchbill.report.matrix_sheets import (
    Note,
    Sheet,
    heads,
    named,
    nothing_to_run,
    outside,
    place,
    sheets,
    title,
)
from watchbill.report.options import ReportOptions
from watchbill.report.styles import style
from watchbill.report.table import table
from watchbill.report.terminal import printable, width, wrapped
from watchbill.rules.words import tools_named

GAP = "   "


def report(found: Tabulated, options: ReportOptions) -> str:
    """What failed is no result: it is said elsewhere."""
    blocks = [list(_lines(harmless(matrix), options)) for matrix in found.charts]
    if found.skipped:
        skipped = (f"{printable(item.path)}   skipped: {item.reason}" for item in found.skipped)
        blocks.append([style(line, dim=True) for line in skipped])
    return "\n\n".join("\n".join(block) for block in blocks)


def _lines(matrix: Matrix, options: ReportOptions) -> Iterator[str]:
    if not matrix.jobs:
        yield nothing_to_run(matrix)
        yield from _remarks(matrix, options, facts=False)
        return
    name = style(named(matrix), bold=True)
    yield f'{name}, release "{matrix.release}" in namespace "{matrix.namespace}"'
    for sheet in sheets(matrix):
        yield ""
        yield from _sheet(sheet, heads(matrix), options)
    if matrix.outside or matrix.assumed or matrix.facts:
        yield ""
        yield from _remarks(matrix, options, facts=True)


def _sheet(sheet: Sheet, tools: list[str], options: ReportOptions) -> Iterator[str]:
    yield from _names(sheet, options.columns)
    head = ("", *(style(tool, dim=True) for tool in tools))
    rows = [head, *((label, *map(_coloured, cells)) for label, cells in sheet.rows)]
    yield from _fitting(rows, options.width)
    for note in sheet.notes:
        yield from _note(note, options.columns)


def _fitting(rows: Sequence[Sequence[str]], columns: int) -> Iterator[str]:
    """One table, or as many with fewer tools as a narrow terminal needs; where there is none, nothing is too wide."""
    shown = len(rows[0])
    lines = list(table(rows, gap=GAP))
    while columns and shown > 2 and max(map(width, lines)) > columns:
        shown -= 1
        lines = list(table([row[:shown] for row in rows], gap=GAP))
    yield from lines
    if shown < len(rows[0]):
        yield from _fitting([(row[0], *row[shown:]) for row in rows], columns)


def _names(sheet: Sheet, columns: int) -> Iterator[str]:
    names = [(style(title(job), bold=True), style(place(job), dim=True)) for job in sheet.jobs]
    if all(width(line) <= columns for line in table(names, gap=GAP)):
        yield from table(names, gap=GAP)
        return
    for name, where in names:
        yield name
        yield f"{GAP}{where}"


def _note(note: Note, columns: int) -> Iterator[str]:
    number = f"({note.number}) "
    indent = " " * len(number)
    sentence = " ".join(part for part in (note.rule, note.sentence) if part)
    if sentence:
        yield from wrapped(sentence, columns, first=number, then=indent)
    if note.error:
        first = indent if sentence else number
        for line in wrapped(f"{note.tool}: {note.error}", columns, first=first, then=f"{indent}  "):
            yield style(line, dim=True)


def _coloured(said: str) -> str:
    if "FAILS" in said:
        return style(said, fg="red", bold=True)
    if "REFUSED" in said or "left behind" in said or said.startswith("never starts"):
        return style(said, fg="yellow")
    if said.startswith("runs"):
        return style(said, fg="green")
    return style(said, dim=True) if said in ("-", "has no TTL") else said


def _remarks(matrix: Matrix, options: ReportOptions, *, facts: bool) -> Iterator[str]:
    texts = []
    if text := outside(matrix):
        texts.append(f"outside: {text}")
    if facts:
        texts += [
            f"whatever the chart, {', '.join(tools_named(fact.tools))}: {fact.text}" for fact in matrix.facts
        ]
        texts += [f"assumed: {text}" for text in matrix.assumed]
    for text in texts:
        for line in wrapped(text, options.columns, then="  "):
            yield style(line, dim=True)
