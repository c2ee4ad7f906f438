"""For a person: short, aligned, in colour, and never wider than asked."""

import pytest
from click import unstyle
from msgspec.structs import replace

from tests.report.golden import OPTIONS, names, read
from tests.report.samples import HUGE, PLAIN, WORDS, crowd, monster, run_of
from watchbill.checking.result import Checked, Problem, Row, Run, Trace
from watchbill.report import text
from watchbill.report.finding_text import lines
from watchbill.report.harmless import harmless
from watchbill.report.terminal import width

SCREEN = 42


@pytest.mark.parametrize("content", [HUGE, WORDS, "Job/membership-migrate is changed and ", "数据" * 30])
def test_a_finding_is_one_screen_at_most(content: str) -> None:
    finding = harmless(run_of(monster(content))).findings[0]
    assert len(list(lines(finding, OPTIONS))) <= SCREEN


def test_an_ordinary_finding_is_short() -> None:
    assert len(list(lines(read("error-and-note").findings[0], OPTIONS))) <= 16


@pytest.mark.parametrize("columns", [60, 80, 110, 200])
@pytest.mark.parametrize("name", sorted(set(names()) - {"hostile"}))
@pytest.mark.parametrize("verbose", [True, False])
def test_no_line_is_wider_than_the_terminal_unless_a_word_is(columns: int, name: str, verbose: bool) -> None:
    written = unstyle(text.report(read(name), replace(OPTIONS, width=columns, verbose=verbose)))
    for line in written.split("\n"):
        longest = max((width(word) for word in line.split()), default=0)
        fine = "   fine: " in line  # one line a chart
        assert width(line) <= columns or longest > columns // 3 or fine, line


def test_colour_is_of_the_level() -> None:
    written = text.report(
        run_of(PLAIN, replace(PLAIN, level="warning"), replace(PLAIN, level="note")), OPTIONS
    )
    assert "\x1b[31m\x1b[1merror" in written
    assert "\x1b[33m\x1b[1mwarning" in written
    assert "\x1b[36m\x1b[1mnote" in written


def test_an_error_text_is_said_once() -> None:
    rows = (
        Row("upgrade", works=False, error="Error: UPGRADE FAILED: no"),
        Row("retry", works=False, error="no"),
    )
    finding = replace(PLAIN, error="Error: UPGRADE FAILED: no", trace=Trace("helm@4.3.1", rows, ("upgrade",)))
    written = unstyle(text.report(run_of(finding), OPTIONS))
    assert "      upgrade  fails  no\n      retry    fails  with the same error\n" in written


def test_a_long_deed_before_the_last_move_is_cut_to_a_line() -> None:
    rows = (Row("install", works=True, did=(WORDS,)), Row("upgrade", works=False))
    finding = replace(PLAIN, trace=Trace("helm@4.3.1", rows, ("install", "upgrade")))
    first, second = [line for line in lines(finding, OPTIONS) if line.startswith("      ")]
    assert "…" in first
    assert width(first) <= OPTIONS.columns
    assert unstyle(second) == "      upgrade  fails"


def test_dumped_values_are_cut_and_shown_to_who_asks() -> None:
    dump = 'Error: spec.template: Invalid value: core.PodTemplateSpec{Name:"a"}: field is immutable'
    finding = replace(PLAIN, error=dump)
    assert "spec.template: Invalid value: …: field is immutable" in text.report(run_of(finding), OPTIONS)
    assert dump in text.report(run_of(finding), replace(OPTIONS, verbose=True))


def test_the_end_of_a_long_error_stays() -> None:
    finding = replace(PLAIN, error=f"Error: it began {WORDS} and this is why")
    written = text.report(run_of(finding), OPTIONS)
    assert "it began" in written
    assert "and this is why" in written


def test_charts_come_worst_first() -> None:
    run = read("many-charts")
    written = unstyle(text.report(run, OPTIONS))
    heads = [line.split()[0] for line in written.split("\n") if "    charts/" in line]
    assert heads == ["d", "b", "c"], "a has nothing that it does not share"


def test_a_shared_cause_is_told_once() -> None:
    written = unstyle(text.report(read("many-charts"), OPTIONS))
    assert written.count('the Job of "common.job"') == 1
    assert "in 3 charts: charts/a, charts/b, charts/c" in written


def test_every_chart_has_its_place() -> None:
    run = crowd(30)
    written = unstyle(text.report(run, OPTIONS))
    for chart in run.charts:
        assert chart.path in written
    assert written.endswith("30 errors in 30 charts; 30 charts not checked")


def test_a_chart_that_was_not_checked_is_named_once() -> None:
    problems = [Problem("charts/a: the dependency is missing"), Problem("it is empty", "here", "fill it")]
    run = Run(tuple(Checked("charts/a", problem=problem) for problem in problems), ())
    assert unstyle(text.report(run, OPTIONS)).split("\n")[:6] == [
        "not checked  charts/a: the dependency is missing",
        "",
        "not checked  charts/a: it is empty",
        "  here",
        "  fill it",
        "",
    ]


def test_a_reason_without_a_place_stands_alone() -> None:
    finding = replace(PLAIN, location=None, because="it is so")
    assert "\n  it is so\n" in text.report(run_of(finding), OPTIONS)
