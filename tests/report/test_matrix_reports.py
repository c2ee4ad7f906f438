"""A matrix in every format: tables line up, reasons are told once, and text of strangers does no harm."""

import json
from pathlib import Path

import pytest
from click import unstyle
from msgspec.structs import replace

from tests.conftest import Watchbill
from tests.report.golden import compare
from tests.report.test_json import accepts
from watchbill.checking.inputs.subject import Failed, Skipped
from watchbill.checking.result import Fact, Location
from watchbill.checking.tabulating.cells import Cell
from watchbill.checking.tabulating.matrix import Matrix, Row, Table
from watchbill.checking.tabulating.tabulate import Tabulated
from watchbill.errors import UserError
from watchbill.report import matrix_json, matrix_markdown, matrix_text
from watchbill.report.matrix_sheets import LONGEST_ERROR, sheets
from watchbill.report.options import ReportOptions
from watchbill.report.terminal import width

TOOLS = ("helm@4.3.1", "helm@3.19.0", "kubectl@1.37.1")
IMMUTABLE = Cell(
    TOOLS[0], "fails", "FAILS immutable", "it cannot be changed", "Error: UPGRADE FAILED: immutable"
)


def cell(says: str, tool: str = TOOLS[0]) -> Cell:
    return Cell(tool, "runs", says)


def job(name: str, *rows: Row, role: str = "plain") -> Table:
    return Table("Job", name, "default", role, Location(f"templates/{name}.yaml", 3), "", rows)


def row(scenario: str, *cells: Cell, change: str = "") -> Row:
    return Row(
        scenario, change, tuple(replace(one, tool=tool) for one, tool in zip(cells, TOOLS, strict=True))
    )


def matrix(*jobs: Table, **others: object) -> Matrix:
    plain = Matrix("charts/shop", "shop", "1.0.0", "", "r", "default", TOOLS, jobs, (), (), ())
    return replace(plain, **others)


INSTALL = row("first install", cell("runs"), cell("runs"), cell("-"))
UPGRADE = row("image upgrade", IMMUTABLE, replace(IMMUTABLE, error="Error: other words"), cell("-"))
USUAL = matrix(job("a", INSTALL, UPGRADE))


def text(found: Matrix, columns: int = 0) -> str:
    return unstyle(matrix_text.report(Tabulated((found,)), ReportOptions(width=columns)))


def test_a_table_a_job_with_its_reasons_below() -> None:
    assert text(USUAL) == (
        'shop 1.0.0, release "r" in namespace "default"\n'
        "\n"
        "Job/a (plain)   templates/a.yaml:3\n"
        "                helm 4.3              helm 3.19             kubectl apply\n"
        "first install   runs                  runs                  -\n"
        "image upgrade   FAILS immutable (1)   FAILS immutable (1)   -\n"
        "(1) it cannot be changed\n"
        "    helm 4.3: immutable"
    )


def test_the_same_in_markdown() -> None:
    assert matrix_markdown.report(Tabulated((USUAL,))) == (
        "## shop 1.0.0\n"
        "\n"
        "### Job/a (plain)\n"
        "\n"
        "`templates/a.yaml:3`\n"
        "\n"
        "|  | helm 4.3 | helm 3.19 | kubectl apply |\n"
        "| --- | --- | --- | --- |\n"
        "| first install | runs | runs | \\- |\n"
        "| image upgrade | **FAILS immutable (1)** | **FAILS immutable (1)** | \\- |\n"
        "\n"
        "1. it cannot be changed<br>helm 4.3: `immutable`"
    )


def test_jobs_that_fare_alike_share_a_table() -> None:
    found = sheets(matrix(job("a", INSTALL), job("b", INSTALL), job("c", UPGRADE)))
    assert [[one.name for one in sheet.jobs] for sheet in found] == [["a", "b"], ["c"]]


def test_the_same_words_stand_there_once() -> None:
    earlier = replace(IMMUTABLE, says="FAILS earlier", reason="the install before it fails already")
    found = text(matrix(job("a", UPGRADE, row("rollback", earlier, earlier, earlier))))
    assert found.count("helm 4.3: immutable") == 1


def test_a_rule_stands_before_its_reason() -> None:
    ruled = replace(IMMUTABLE, rule="WB101")
    assert "(1) WB101 it cannot be changed" in text(matrix(job("a", row("x", ruled, ruled, ruled))))


def test_a_reason_may_be_nothing_but_the_words_of_the_tool() -> None:
    unknown = replace(IMMUTABLE, reason="")
    assert "\n(1) helm 4.3: immutable" in text(matrix(job("a", row("x", unknown, unknown, unknown))))


def test_a_row_names_the_value_it_is_about() -> None:
    found = text(matrix(job("a", row("value upgrade", *[cell("runs")] * 3, change="value job.args"))))
    assert "value upgrade (job.args)" in found


def test_a_long_error_is_cut() -> None:
    long = replace(IMMUTABLE, error="word " * 1000)
    [sheet] = sheets(matrix(job("a", row("x", long, long, long))))
    assert len(sheet.notes[0].error) == LONGEST_ERROR + 1


@pytest.mark.parametrize("columns", [60, 80, 110])
def test_tools_go_into_a_table_of_their_own_where_they_do_not_fit(columns: int) -> None:
    said = text(USUAL, columns)
    assert all(width(line) <= columns for line in said.split("\n"))
    assert said.count("first install") == (2 if columns < 70 else 1)
    assert said.count("kubectl apply") == 1


def test_what_does_not_fit_at_all_is_shown_all_the_same() -> None:
    said = text(USUAL, 20)
    assert all(head in said for head in ("helm 4.3", "helm 3.19", "kubectl apply"))


def test_nothing_to_run_is_one_line() -> None:
    assert text(matrix()) == "shop 1.0.0: no Job and no hook Pod, so there is nothing to run"


def test_what_is_outside_assumed_or_true_for_every_chart_comes_last() -> None:
    facts = (Fact("it is killed", TOOLS[:2]),)
    found = matrix(job("a", INSTALL), outside=("CronJob/b",), assumed=("a next version",), facts=facts)
    assert text(found).split("\n")[-3:] == [
        "outside: CronJob/b runs by the clock, whatever is done to the release",
        "whatever the chart, helm 4.3, helm 3.19: it is killed",
        "assumed: a next version",
    ]


def test_a_version_before_and_manifests_are_named() -> None:
    assert text(replace(USUAL, from_version="0.9.0")).startswith("shop 0.9.0 to 1.0.0, ")
    manifests = replace(USUAL, chart="", version="", path="new.yaml")
    assert text(manifests).startswith("new.yaml, ")
    assert text(replace(manifests, from_version="old.yaml")).startswith("old.yaml to new.yaml, ")


HOSTILE = "\x1b[2J|`a`\n::error::<b>@everyone"


def test_text_of_strangers_does_no_harm() -> None:
    bad = replace(IMMUTABLE, error=HOSTILE, reason=HOSTILE)
    found = matrix(job(HOSTILE, row("x", bad, bad, bad), role=HOSTILE), chart=HOSTILE, outside=(HOSTILE,))
    plain = text(found)
    assert "\x1b" not in plain
    assert not any(line.lstrip().startswith("::") for line in plain.split("\n"))
    marked = matrix_markdown.report(Tabulated((found,)))
    assert "\x1b" not in marked
    assert "<b>" not in marked
    [line] = [line for line in marked.split("\n") if line.startswith("| x |")]
    assert line.count(" | ") == len(TOOLS)


def test_skipped_charts_are_told() -> None:
    found = Tabulated(
        (), (Skipped("charts/lib", "a library chart"),), (Failed("b", UserError("bad", then="mend it")),)
    )
    assert unstyle(matrix_text.report(found, ReportOptions())) == "charts/lib   skipped: a library chart"
    assert matrix_markdown.report(found) == "charts/lib: skipped, a library chart"
    said = json.loads(matrix_json.report(found))
    assert said["skipped"] == [{"path": "charts/lib", "reason": "a library chart"}]
    assert said["failed"] == [{"path": "b", "problem": {"what": "bad", "where": "", "then": "mend it"}}]


def test_the_published_schema_is_that_of_the_types(root: Path) -> None:
    compare(root / "docs/schemas/matrix.json", json.dumps(matrix_json.schema(), indent=2) + "\n")


def test_the_schema_takes_what_is_printed_and_nothing_else(
    root: Path, watchbill: Watchbill, tmp_path: Path
) -> None:
    schema = root / "docs/schemas/matrix.json"
    report = matrix_json.report(Tabulated((USUAL,)))
    assert accepts(schema, report, watchbill, tmp_path)
    for true, false in (
        ('"schema": 1', '"schema": 2'),
        ('"outcome": "fails"', '"outcome": "dances"'),
        ('"tool"', '"t"'),
    ):
        assert true in report
        assert not accepts(schema, report.replace(true, false, 1), watchbill, tmp_path)
