"""For a person: short, aligned, in colour, and never wider than asked."""

import re

import pytest
from click import unstyle
from msgspec.structs import replace

from tests.report.golden import OPTIONS, names, read
from tests.report.samples import HUGE, PLAIN, WORDS, crowd, monster, run_of
from watchbill.checking.result import Checked, Finding, Location, Problem, Row, Run, Trace
from watchbill.report import text
from watchbill.report.finding_text import lines
from watchbill.report.formats import report_in
from watchbill.report.harmless import harmless
from watchbill.report.styles import style
from watchbill.report.terminal import abridged, width

SCREEN = 42


def test_a_finding_is_one_screen_at_most() -> None:
    finding = harmless(run_of(monster("Job/membership-migrate is changed and "))).findings[0]
    assert len(list(lines(finding, OPTIONS, brief=True))) <= SCREEN


@pytest.mark.parametrize("content", [HUGE, WORDS, "数据" * 30])
def test_absurd_names_do_not_flood_the_screen(content: str) -> None:
    finding = harmless(run_of(monster(content))).findings[0]
    assert len(list(lines(finding, OPTIONS, brief=True))) <= 2 * SCREEN


def test_an_ordinary_finding_is_short() -> None:
    assert len(list(lines(read("error-and-note").findings[0], OPTIONS, brief=True))) <= 16


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


def test_a_long_deed_before_the_last_move_ends_after_a_word() -> None:
    rows = (Row("install", works=True, did=(WORDS,)), Row("upgrade", works=False))
    finding = replace(PLAIN, trace=Trace("helm@4.3.1", rows, ("install", "upgrade")))
    *first, second = [line for line in lines(finding, OPTIONS, brief=True) if line.startswith("      ")]
    assert first[-1].endswith(" word word (the rest: -v)")
    assert len(first) < 6
    assert unstyle(second) == "      upgrade  fails"


def test_dumped_values_are_cut_and_shown_to_who_asks() -> None:
    dump = 'Error: spec.template: Invalid value: core.PodTemplateSpec{Name:"a"}: field is immutable'
    finding = replace(PLAIN, error=dump)
    assert "spec.template: Invalid value: …: field is immutable" in text.report(run_of(finding), OPTIONS)
    assert dump in text.report(run_of(finding), replace(OPTIONS, verbose=True))


def test_the_end_of_a_long_error_stays() -> None:
    clauses = ": ".join(f"because of {number}" for number in range(99))
    finding = replace(PLAIN, error=f"Error: it began: {clauses}: and this is why")
    written = " ".join(unstyle(text.report(run_of(finding), OPTIONS)).split())
    assert "it began: because of 0: because of 1:" in written
    assert re.search(r"because of (\d+): \((\d+) more: -v\) and this is why", written)
    assert sum(map(int, re.findall(r"of (\d+): \((\d+) more", written)[0])) == 98


@pytest.mark.parametrize("words", [3, 40, 400])
@pytest.mark.parametrize("columns", [10, 80, 480])
@pytest.mark.parametrize("separator", [" ", ", ", "; ", ": ", ". "])
def test_an_abridged_text_consists_of_whole_words(words: int, columns: int, separator: str) -> None:
    whole = separator.join(f"name-{number}" for number in range(words))
    short = abridged(whole, columns)
    assert set(re.sub(r"\(\d+ more: -v\)|\(the rest: -v\)", "", short).split()) <= set(whole.split())
    assert (short == whole) == (width(whole) <= columns)
    assert width(short) <= max(columns, 22)


def _notes(number: int) -> tuple[Finding, ...]:
    return tuple(
        replace(PLAIN, level="note", fingerprint=str(one), title=f"note {one}") for one in range(number)
    )


def test_notes_take_a_line_each_unless_verbose() -> None:
    run = run_of(PLAIN, *_notes(9))
    brief = unstyle(text.report(run, OPTIONS)).split("\n")
    at = brief.index("note WB101  note 0 (templates/job.yaml:3)")
    assert [line for line in brief[at : at + 9] if not line.startswith("note WB101  note ")] == []
    assert brief[-2:] == ["1 error, 9 notes in 1 chart", "-v shows notes in full"]
    verbose = unstyle(text.report(run, replace(OPTIONS, verbose=True)))
    assert verbose.count("  watchbill explain WB101") == 10
    assert "-v shows" not in verbose


@pytest.mark.parametrize(("number", "begins"), [(3, False), (4, True)])
def test_of_many_findings_a_terminal_gets_the_summary_first(number: int, begins: bool) -> None:
    run = run_of(*_notes(number))
    verdict = f"{number} notes in 1 chart"
    on_terminal = unstyle(text.report(run, replace(OPTIONS, width=80)))
    assert on_terminal.startswith(verdict) == begins
    assert on_terminal.split("\n")[-2] == verdict
    assert on_terminal.count("-v shows notes in full") == 1
    assert not unstyle(text.report(run, OPTIONS)).startswith(verdict)


def test_of_several_errors_the_one_about_the_finding_is_shown() -> None:
    joined = " && ".join(
        f'server-side apply failed: Job.batch "{name}" is invalid: {"x, " * 60}y' for name in "abc"
    )
    row = Row("upgrade", works=False, error=f"Error: UPGRADE FAILED: {joined}")
    finding = replace(PLAIN, objects=("Job/b",), error=row.error, trace=Trace("helm 4.3", (row,), (), (), ()))
    brief = " ".join(unstyle("\n".join(lines(finding, OPTIONS, brief=True))).split())
    assert 'apply failed: Job.batch "b" is invalid:' in brief
    assert "y (and 2 more errors: -v)" in brief
    assert 'Job.batch "a"' not in brief
    whole = " ".join(unstyle("\n".join(lines(finding, OPTIONS, brief=False))).split())
    assert all(f'Job.batch "{name}"' in whole for name in "abc")


def test_an_assumption_is_dim_and_no_move() -> None:
    rows = (
        Row("install", works=True),
        Row("given: every Job fails", works=None),
        Row("upgrade", works=False),
    )
    finding = replace(PLAIN, trace=Trace("helm@4.3.1", rows, ()))
    assert style("given: every Job fails", dim=True) in text.report(run_of(finding), OPTIONS)


def test_a_file_is_named_once() -> None:
    place = Location("charts/a/templates/job.yaml", 3, 1)
    related = (Location("charts/a/values.yaml", 9, note="other"), Location(place.file, 21, note="image"))
    short = replace(PLAIN, location=place, because="plain", related=related)
    assert [unstyle(line) for line in lines(short, OPTIONS, brief=True)][1:4] == [
        "  charts/a/templates/job.yaml:3    plain",
        "                             :21   image",
        "  charts/a/values.yaml:9           other",
    ]
    through = ("charts/a/charts/lib/templates/_job.tpl:4", "charts/a/charts/lib/templates/_job.tpl:9")
    long = replace(short, location=replace(place, through=through), related=related[1:])
    assert [unstyle(line) for line in lines(long, OPTIONS, brief=True)][1:5] == [
        "  charts/a/templates/job.yaml:3",
        "    plain",
        "    by way of charts/lib/templates/_job.tpl:4, :9",
        "    line 21: image",
    ]


def test_what_the_finding_is_about_is_the_last_to_be_left_out() -> None:
    did = tuple(f"Job/b{number} runs" for number in range(9))
    rows = (Row("upgrade", works=False, did=(*did, "Job/a is deleted while it runs")),)
    finding = replace(PLAIN, trace=Trace("helm@4.3.1", rows, ()))
    written = " ".join(unstyle(text.report(run_of(finding), OPTIONS)).split())
    assert "Job/b0 runs; Job/b1 runs; Job/b2 runs; Job/a is deleted while it runs; and 6 more (-v)" in written


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "github", "markdown"])
def test_machines_get_whole_texts(form: str) -> None:
    many = tuple(f"Job/{'long-' * 9}{number}" for number in range(12))
    rows = tuple(
        Row(f"upgrade {number}", works=False, did=many, error=f"{number} failed") for number in range(9)
    )
    title = f"the upgrade fails: {', '.join(many)}"
    finding = replace(
        PLAIN, title=title, objects=many, changes=many, profiles=many, trace=Trace("helm@4.3.1", rows, ())
    )
    written = report_in(form)(run_of(finding), OPTIONS)
    plain = re.sub(r"\s+", " ", written.replace("\\", ""))
    assert title in plain
    assert "…" not in plain
    assert not re.search(r"\d more", plain)


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
