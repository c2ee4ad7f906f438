"""A matrix as a page for a browser, and as a part of the page of `check`."""

from collections.abc import Iterator, Sequence

from watchbill.checking.tabulating.matrix import Matrix
from watchbill.checking.tabulating.tabulate import Tabulated
from watchbill.report.harmless import harmless
from watchbill.report.html_page import page
from watchbill.report.html_text import Markup, element, table
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
    """What failed is no result: it is said elsewhere."""
    names = ", ".join(named(matrix) for matrix in found.charts)
    head = f"Watchbill: what each Job of {names} does" if names else "Watchbill: no charts"
    skipped = [element("p", f"{item.path}: skipped, {item.reason}", class_="dim") for item in found.skipped]
    return page(head, [element("h1", head), *matrices(found.charts), *skipped])


def matrices(charts: Sequence[Matrix]) -> Iterator[Markup]:
    for chart in charts:
        yield from _matrix(harmless(chart))


def _matrix(matrix: Matrix) -> Iterator[Markup]:
    yield element("h2", f"What each Job of {named(matrix)} does")
    if not matrix.jobs:
        yield element("p", nothing_to_run(matrix))
    for sheet in sheets(matrix):
        yield element("section", *_sheet(sheet, heads(matrix)))
    remarks = [f"{', '.join(tools_named(fact.tools))}: {fact.text}" for fact in matrix.facts]
    remarks += [text for text in (outside(matrix), *matrix.assumed) if text]
    if remarks:
        yield element("ul", *(element("li", remark) for remark in remarks), class_="dim")


def _sheet(sheet: Sheet, tools: Sequence[str]) -> Iterator[Markup]:
    for job in sheet.jobs:
        yield element("h3", title(job), " ", element("code", place(job), class_="dim") if place(job) else "")
    rows = [
        (label, *(element("span", said, class_=_look(said)) for said in cells)) for label, cells in sheet.rows
    ]
    yield table(("scenario", *tools), rows)
    if sheet.notes:
        yield element("ol", *map(_note, sheet.notes))


def _look(said: str) -> str:
    if "FAILS" in said:
        return "fails"
    if "REFUSED" in said or "left behind" in said or said.startswith("never starts"):
        return "refused"
    if said.startswith("runs"):
        return "works"
    return "dim" if said in ("-", "has no TTL") else ""


def _note(note: Note) -> Markup:
    parts: list[str] = [" ".join(part for part in (note.rule, note.sentence) if part)]
    if note.error:
        parts += [element("br"), f"{note.tool}: ", element("code", note.error)]
    return element("li", *parts, value=str(note.number))
