"""A matrix as it is laid out in text and Markdown: Jobs that fare alike share a table, reasons stand below it."""

from collections.abc import Sequence

from msgspec import Struct

from watchbill.checking.tabulating.cells import Cell
from watchbill.checking.tabulating.matrix import Matrix, Row, Table
from watchbill.report.counting import listed
from watchbill.report.words import essence, spot
from watchbill.rules.words import tools_named

LONGEST_ERROR = 300


class Note(Struct, frozen=True):
    number: int
    rule: str
    sentence: str
    tool: str
    error: str  # the tool's own words, cut


class Sheet(Struct, frozen=True):
    jobs: tuple[Table, ...]  # that fare alike
    rows: tuple[tuple[str, tuple[str, ...]], ...]  # a scenario, and what each tool does
    notes: tuple[Note, ...]


def sheets(matrix: Matrix) -> list[Sheet]:
    alike: dict[object, list[Table]] = {}
    for job in matrix.jobs:
        alike.setdefault(_fares(job), []).append(job)
    names = dict(zip(matrix.tools, heads(matrix), strict=True))
    return [_sheet(jobs, names) for jobs in alike.values()]


def heads(matrix: Matrix) -> list[str]:
    """What stands above the columns: kubectl has one version, and what it does is apply."""
    return ["kubectl apply" if name.startswith("kubectl") else name for name in tools_named(matrix.tools)]


def title(job: Table) -> str:
    return f"{job.kind}/{job.name} ({job.role})" + (f", in {job.subchart}" if job.subchart else "")


def place(job: Table) -> str:
    return spot(job.location) if job.location else ""


def label(row: Row) -> str:
    """Which value it is about is worth a word."""
    return (
        f"{row.scenario} ({row.change.removeprefix('value ')})"
        if row.change.startswith("value ")
        else row.scenario
    )


def named(matrix: Matrix) -> str:
    """`orders 1.4.0 to 1.5.0`; manifests are known by where they come from."""
    if not matrix.chart:
        return f"{matrix.from_version} to {matrix.path}" if matrix.from_version else matrix.path
    return f"{matrix.chart} {' to '.join(filter(None, (matrix.from_version, matrix.version)))}"


def nothing_to_run(matrix: Matrix) -> str:
    return f"{named(matrix)}: no Job and no hook Pod, so there is nothing to run"


def outside(matrix: Matrix) -> str:
    """`outside: CronJob/backup runs by the clock, whatever is done to the release`"""
    names = listed(matrix.outside)
    verb = "runs" if len(matrix.outside) == 1 else "run"
    return f"{names} {verb} by the clock, whatever is done to the release" if names else ""


def _fares(job: Table) -> object:
    cells = tuple(
        (row.scenario, row.change, tuple((cell.says, cell.reason, cell.rule) for cell in row.cells))
        for row in job.rows
    )
    return job.role, job.subchart, cells


def _sheet(jobs: Sequence[Table], tools: dict[str, str]) -> Sheet:
    notes: dict[tuple[str, str], Note] = {}
    rows = tuple((label(row), tuple(_said(cell, notes, tools) for cell in row.cells)) for row in jobs[0].rows)
    return Sheet(tuple(jobs), rows, tuple(notes.values()))


def _said(cell: Cell, notes: dict[tuple[str, str], Note], tools: dict[str, str]) -> str:
    if not cell.reason and not cell.error:
        return cell.says
    key = cell.rule, cell.reason
    if key not in notes:
        error = essence(cell.error)
        cut = error if len(error) <= LONGEST_ERROR else f"{error[:LONGEST_ERROR]}…"
        if any(note.error == cut for note in notes.values()):
            cut = ""  # it stands there already
        notes[key] = Note(len(notes) + 1, cell.rule, cell.reason, tools[cell.tool], cut)
    return f"{cell.says} ({notes[key].number})"
