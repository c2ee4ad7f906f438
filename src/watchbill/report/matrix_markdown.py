"""A matrix in Markdown, for a pull request or a page."""

from collections.abc import Iterator

from watchbill.checking.tabulating.matrix import Matrix
from watchbill.checking.tabulating.tabulate import Tabulated
from watchbill.report.markdown_text import code, escaped, table
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
from watchbill.rules.words import tools_named


def report(found: Tabulated) -> str:
    blocks = [list(_lines(matrix)) for matrix in found.charts]
    blocks += [[escaped(f"{item.path}: skipped, {item.reason}")] for item in found.skipped]
    return "\n\n".join("\n".join(block) for block in blocks)


def _lines(matrix: Matrix) -> Iterator[str]:
    if not matrix.jobs:
        yield escaped(nothing_to_run(matrix))
        return
    yield f"## {escaped(named(matrix))}"
    for sheet in sheets(matrix):
        yield ""
        yield from _sheet(sheet, heads(matrix))
    remarks = [f"{', '.join(tools_named(fact.tools))}: {fact.text}" for fact in matrix.facts]
    remarks += [text for text in (outside(matrix), *matrix.assumed) if text]
    if remarks:
        yield ""
        yield from (f"- {escaped(remark)}" for remark in remarks)


def _sheet(sheet: Sheet, tools: list[str]) -> Iterator[str]:
    for job in sheet.jobs:
        yield f"### {escaped(title(job))}"
        if where := place(job):
            yield ""
            yield code(where)
        yield ""
    rows = [(escaped(label), *map(_marked, cells)) for label, cells in sheet.rows]
    yield from table(("", *map(escaped, tools)), rows)
    if sheet.notes:
        yield ""
        yield from map(_note, sheet.notes)


def _marked(said: str) -> str:
    loud = "FAILS" in said or "REFUSED" in said
    return f"**{escaped(said)}**" if loud else escaped(said)


def _note(note: Note) -> str:
    parts = [note.rule, escaped(note.sentence)]
    if note.error:
        parts.append(f"{escaped(note.tool)}: {code(note.error)}")
    return f"{note.number}. {'<br>'.join(part for part in parts if part)}"
