"""A comparison in every format: charts that differ first, what could not be compared is told, strangers' text does no harm."""

import json
from pathlib import Path

from click import unstyle
from msgspec.structs import replace

from tests.conftest import Watchbill
from tests.report.golden import compare
from tests.report.test_json import accepts
from watchbill.checking.comparing.result import Compared, Comparison, Difference
from watchbill.checking.result import Fact, Problem, Row
from watchbill.report import compare_json, compare_markdown, compare_text
from watchbill.report.options import NARROWEST, ReportOptions
from watchbill.report.terminal import width

TOOLS = ("helm@3.19.0", "helm@4.3.1")
DIFFERENCE = Difference(
    title='every upgrade fails under helm 3.19 at Job "migrate" (already exists), works under helm 4.3',
    what="outcome",
    objects=("Job/migrate",),
    handed_over=False,
    rows=(Row("install", True, ("Job/migrate runs",)),),
    move="upgrade, same version",
    sides=(
        Row("helm 3.19", False, (), 'Error: UPGRADE FAILED: jobs.batch "migrate" already exists'),
        Row("helm 4.3", True, ("Job/migrate is there already and does not run",)),
    ),
    moves=(("install", "upgrade"), ("install", "upgrade")),
    versions=("this",),
    also=("the re-install",),
)
DIFFERENT = Compared("charts/shop", "shop", "1.0.0", scenarios=29, paths=200, differences=(DIFFERENCE,))
SAME = Compared("charts/web", "web", "2.0.0", scenarios=29, paths=101)
LIBRARY = Compared("charts/lib", skipped="a library chart")
BROKEN = Compared("charts/bad", problem=Problem("no", "Chart.yaml:1", "mend it"))
FACT = Fact("Helm 4 refuses it", ("helm@4.3.1",))


def comparison(*charts: Compared) -> Comparison:
    return Comparison(TOOLS, charts)


def text(*charts: Compared, columns: int = 0) -> str:
    return unstyle(compare_text.report(comparison(*charts), ReportOptions(width=columns)))


def test_a_chart_that_differs_is_told_with_the_path() -> None:
    assert text(DIFFERENT) == (
        "shop 1.0.0    1 difference\n"
        "\n"
        'differs  every upgrade fails under helm 3.19 at Job "migrate" (already exists), works under helm 4.3\n'
        "\n"
        "      install      works  Job/migrate runs\n"
        "      upgrade, same version\n"
        '        helm 3.19  fails  jobs.batch "migrate" already exists\n'
        "        helm 4.3   works  Job/migrate is there already and does not run\n"
        "\n"
        "  also: the re-install\n"
        "\n"
        "1 difference between helm 3.19 and helm 4.3 in 1 chart"
    )


def test_the_tool_under_which_it_works_does_not_look_better_off() -> None:
    written = compare_text.report(comparison(DIFFERENT), ReportOptions())
    assert "\x1b[31m\x1b[1mfails" in written
    assert "\x1b[32m" not in written


def test_a_chart_that_does_not_is_one_line() -> None:
    assert text(SAME) == "web 2.0.0    the same under helm 3.19 and helm 4.3: 29 scenarios, 101 paths"


def test_not_all_paths_are_never_called_all() -> None:
    assert text(replace(SAME, is_cut=True)).endswith("101 paths, and there are more")


def test_what_was_assumed_is_told() -> None:
    assert text(replace(SAME, assumed=('release "web"', "a next version"))).endswith(
        '\nassumed: release "web"; a next version'
    )


def test_many_charts_those_that_differ_first_and_a_count_at_the_end() -> None:
    lines = text(SAME, LIBRARY, DIFFERENT, BROKEN).split("\n")
    assert lines[0] == "shop 1.0.0    charts/shop    1 difference"
    assert "charts/web 2.0.0    the same under helm 3.19 and helm 4.3: 29 scenarios, 101 paths" in lines
    assert "charts/lib    skipped: a library chart" in lines
    problem = lines.index("not compared  charts/bad: no")
    assert lines[problem + 1 : problem + 3] == ["  Chart.yaml:1", "  mend it"]
    assert lines[-1] == (
        "1 difference between helm 3.19 and helm 4.3 in 1 of 2 charts; 1 chart not compared; 1 skipped"
    )


def test_releases_of_one_file_are_told_apart() -> None:
    one, other = (replace(SAME, path="all.yaml", name=name, version="") for name in ("a", "b"))
    assert [line.split("    ")[0] for line in text(one, other).split("\n")[:2]] == [
        "all.yaml a",
        "all.yaml b",
    ]


def test_a_fact_is_told_once_and_is_no_difference() -> None:
    said = text(replace(SAME, facts=(FACT,)), replace(SAME, path="charts/two", facts=(FACT,)))
    assert said.count("whatever the chart, helm 4.3: Helm 4 refuses it") == 1
    assert said.endswith("no difference between helm 3.19 and helm 4.3 in 2 charts")


def test_in_a_narrow_terminal_only_names_and_paths_are_wider() -> None:
    for line in text(DIFFERENT, SAME, BROKEN, columns=NARROWEST).split("\n"):
        assert width(line) <= NARROWEST or len(line.split()) <= 3 or "the same under" in line, line


def test_markdown_has_a_table_and_the_path_folded_away() -> None:
    said = compare_markdown.report(comparison(DIFFERENT, SAME, LIBRARY, BROKEN))
    assert said.startswith("<!-- watchbill compare -->\n### Watchbill: 1 difference between")
    [line] = [line for line in said.split("\n") if line.startswith("| `charts/shop`")]
    assert "helm 3.19: **fails**" in line
    assert "helm 4.3: works" in line
    assert "<details><summary>shop 1.0.0: every upgrade fails" in said
    assert "  helm 3.19  fails  jobs.batch" in said
    assert "the same under helm 3.19 and helm 4.3: web 2.0.0" in said
    assert "skipped: charts/lib" in said
    assert "**not compared** charts/bad: no" in said


def test_markdown_of_very_much_fits_a_comment() -> None:
    many = comparison(*(replace(DIFFERENT, path=f"charts/{n}", name=f"chart-{n}") for n in range(500)))
    said = compare_markdown.report(many)
    assert len(said) < 65_536
    assert "more: `watchbill compare` shows all" in said


HOSTILE = "\x1b[2J|`a`\n::error::<b>@everyone"


def test_text_of_strangers_does_no_harm() -> None:
    bad = replace(DIFFERENCE, title=HOSTILE, rows=(Row(HOSTILE, True, (HOSTILE,), HOSTILE),), also=(HOSTILE,))
    chart = replace(DIFFERENT, path=HOSTILE, name=HOSTILE, differences=(bad,))
    plain = text(chart, replace(BROKEN, problem=Problem(HOSTILE, HOSTILE, HOSTILE)))
    assert "\x1b" not in plain
    assert not any(line.lstrip().startswith("::") for line in plain.split("\n"))
    marked = compare_markdown.report(comparison(chart))
    assert "\x1b" not in marked
    assert "<b>" not in "".join(marked.split("```")[::2])  # between fences it is only text
    [line] = [line for line in marked.split("\n") if line.startswith("| ") and "helm 3.19" in line]
    assert line.count(" | ") == 3


def test_json_counts() -> None:
    said = json.loads(compare_json.report(comparison(SAME, DIFFERENT, LIBRARY, BROKEN)))
    assert said["tools"] == list(TOOLS)
    assert said["summary"] == {
        "charts": 4,
        "different": 1,
        "same": 1,
        "failed": 1,
        "skipped": 1,
        "differences": 1,
    }


def test_the_published_schema_is_that_of_the_types(root: Path) -> None:
    compare(root / "docs/schemas/compare.json", json.dumps(compare_json.schema(), indent=2) + "\n")


def test_the_schema_takes_what_is_printed_and_nothing_else(
    root: Path, watchbill: Watchbill, tmp_path: Path
) -> None:
    schema = root / "docs/schemas/compare.json"
    report = compare_json.report(comparison(DIFFERENT, SAME, LIBRARY, BROKEN))
    assert accepts(schema, report, watchbill, tmp_path)
    for true, false in (
        ('"schema": 1', '"schema": 2'),
        ('"what": "outcome"', '"what": "dances"'),
        ('"sides"', '"s"'),
    ):
        assert true in report
        assert not accepts(schema, report.replace(true, false, 1), watchbill, tmp_path)
