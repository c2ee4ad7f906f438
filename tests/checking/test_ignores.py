"""Ignores in templates: for which lines each holds, or what is wrong with it. One case a file."""

from pathlib import Path

import pytest

from tests.support import txtar
from tests.support.findings import finding
from tests.support.rules import RULES
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.checking.ignores import InlineIgnore, inline, inline_of
from watchbill.checking.result import Location
from watchbill.errors import UserError

CASES = sorted((Path(__file__).parent / "inline").glob("*.txtar"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_comment_holds_for_what_the_case_says(case: Path) -> None:
    files = {name: text.decode() for name, text in txtar.read(case).files.items()}
    expected = files.pop("expect.txt")
    assert said(files) == expected


def said(files: dict[str, str]) -> str:
    try:
        found = inline(files.items(), RULES)
    except UserError as error:
        return f"{error}\n"
    return "".join(f"{described(one)}\n" for one in found)


def described(one: InlineIgnore) -> str:
    return f"line {one.line} holds for {one.first_line}-{one.last_line}: {one}: {one.reason}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# watchbill: ignore WB101 x\n" + "{{" * 500_000, 1),
        ("# watchbill: ignore WB101 x\n" + "{{/*" * 250_000, 1),
        ("{{/*" + "\n" * 500_000 + "watchbill: ignore WB101 x*/}}", 1),
        ("---\n# watchbill: ignore WB101 x\na: b\n" * 20_000, 20_000),
        ('{{ define "a" }}\n# watchbill: ignore WB101 x\n{{ end }}\n' * 20_000, 20_000),
    ],
    ids=["braces", "comments that never end", "a tall comment", "documents", "defines"],
)
def test_large_templates_are_read_in_time(text: str, found: int) -> None:
    """Read again and again from the beginning, each of these would take hours."""
    assert len(inline([("t.yaml", text)], RULES)) == found


COMMENT = InlineIgnore("c/templates/job.yaml", 3, 1, 9, ("WB101", "WB304"), "renamed")


@pytest.mark.parametrize(
    ("rule", "location", "holds"),
    [
        ("WB101", Location("c/templates/job.yaml", 1), True),
        ("WB304", Location("c/templates/job.yaml", 9), True),
        ("WB301", Location("c/templates/job.yaml", 1), False),
        ("WB101", Location("c/templates/job.yaml", 10), False),
        ("WB101", Location("c/templates/other.yaml", 1), False),
        ("WB101", Location("c/templates/x.yaml", 1, through=("c/templates/job.yaml:4",)), True),
        ("WB101", Location("c/templates/x.yaml", 1, through=("c/templates/job.yaml:14",)), False),
        ("WB101", None, False),
    ],
)
def test_a_finding_must_stand_in_its_lines_or_come_from_them(
    rule: str, location: Location | None, holds: bool
) -> None:
    assert COMMENT.holds_for(finding(rule, location=location)) is holds


def chart(folder: Path, own: str, of_dependency: str) -> str:
    for root, name, text in ((folder, "shop", own), (folder / "charts/db", "db", of_dependency)):
        (root / "templates").mkdir(parents=True)
        (root / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n")
        (root / "templates/job.yaml").write_text(text)
    return str(folder)


def test_files_of_a_chart_are_named_as_findings_name_them(engine: Engine, tmp_path: Path) -> None:
    path = chart(tmp_path / "c", "# watchbill: ignore WB101 ours\n", "# watchbill: ignore WB304 theirs\n")
    found = inline_of(load(engine, path), "charts/shop/", RULES)
    assert sorted((one.file, one.reason) for one in found) == [
        ("charts/shop/charts/db/templates/job.yaml", "theirs"),
        ("charts/shop/templates/job.yaml", "ours"),
    ]


def test_a_mistake_in_a_dependency_is_not_the_users(engine: Engine, tmp_path: Path) -> None:
    path = chart(
        tmp_path / "c", "# watchbill: ignore WB101 ours\n", "# watchbill: ignore WB999 of the future\n"
    )
    assert [one.reason for one in inline_of(load(engine, path), path, RULES)] == ["ours"]


def test_a_mistake_in_a_chart_is_told_with_its_place(engine: Engine, tmp_path: Path) -> None:
    path = chart(tmp_path / "c", "a: b\n# watchbill: ignore WB999 x\n", "")
    with pytest.raises(UserError, match=r"^charts/shop/templates/job\.yaml:2: unknown rule 'WB999'"):
        inline_of(load(engine, path), "charts/shop", RULES)
