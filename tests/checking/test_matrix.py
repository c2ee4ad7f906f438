"""What the matrix says of charts: each case is a file with a chart, maybe the one before, and the table."""

import os
from pathlib import Path

import pytest

from tests.support import txtar
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.tabulating.matrix import Matrix
from watchbill.checking.tabulating.tabulate import Tabulator
from watchbill.rehearsal.script import read_tool
from watchbill.report.matrix_sheets import sheets, title

CASES = sorted((Path(__file__).parent / "matrix").glob("*.txtar"))
TOOLS = [read_tool(name) for name in ("helm@4.3.1", "helm@3.19.0", "kubectl@1.37.1")]
EXPECTED = "table"
# `WATCHBILL_UPDATE=1 pytest tests/checking/test_matrix.py` writes anew what is expected. Read the difference.
UPDATE = bool(os.environ.get("WATCHBILL_UPDATE"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_matrix_of_a_chart(path: Path, engine: Engine, tmp_path: Path) -> None:
    chart = txtar.unpack(path, tmp_path / "case")
    old = chart / "old"
    subject = Subject("chart", str(chart / "new"), old=str(old) if old.exists() else "")
    found = Tabulator(engine, Context(release="r"), TOOLS).tabulate([subject])
    assert not found.failed
    [matrix] = found.charts
    if UPDATE:
        inputs, marker, _ = path.read_text().partition(f"-- {EXPECTED} --\n")
        path.write_text(inputs + marker + told(matrix))
    assert told(matrix) == txtar.read(path).files[EXPECTED].decode()


def told(matrix: Matrix) -> str:
    """Without the tools' own words, which tapes hold."""
    lines = []
    for sheet in sheets(matrix):
        lines += [title(job) for job in sheet.jobs]
        columns = [max(len(cells[tool]) for _, cells in sheet.rows) for tool in range(len(TOOLS))]
        for label, cells in sheet.rows:
            padded = [cell.ljust(column) for cell, column in zip(cells, columns, strict=True)]
            lines.append(f"  {label:34}{'  '.join(padded)}".rstrip())
        lines += [f"  ({note.number}) {note.sentence}" for note in sheet.notes]
    lines += [f"outside: {name}" for name in matrix.outside]
    return "".join(f"{line}\n" for line in lines)


def test_the_cases_are_not_empty() -> None:
    assert len(CASES) > 10
