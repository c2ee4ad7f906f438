"""Columns line up for the eye: by what a terminal shows, not by the number of characters."""

import pytest
from click import style

from watchbill.report.styles import unstyle
from watchbill.report.table import records, table
from watchbill.report.terminal import fit, printable, shortened, width, wrapped


def test_columns_line_up_and_nothing_trails() -> None:
    assert list(table([("OBJECT", "RUNS"), ("Job/a", ""), ("Job/migrate", "again")])) == [
        "OBJECT       RUNS",
        "Job/a",
        "Job/migrate  again",
    ]


def test_wide_characters_accents_and_colours_count_as_they_look() -> None:
    rows = [("数据", "x"), (style("ab", fg="red"), "x"), ("e\u0301", "x")]
    assert [width(line) for line in table(rows)] == [7, 7, 7]


def test_the_last_cell_is_wrapped_below_itself() -> None:
    assert list(
        table([("install", "works", "one two three four"), ("up", "fails", "five")], columns=26, indent="  ")
    ) == [
        "  install  works  one two",
        "                  three",
        "                  four",
        "  up       fails  five",
    ]


def test_a_row_may_be_shorter_and_a_single_cell_runs_across() -> None:
    rows = [("a", "b", "c"), ("longer than all",), ("de", "f")]
    assert list(table(rows)) == ["a   b  c", "longer than all", "de  f"]


def test_no_rows() -> None:
    assert list(table([])) == []


def test_a_word_too_long_for_a_line_stays_whole() -> None:
    long = "x" * 50
    assert list(wrapped(f"see {long} there", 20, first="- ", then="  ")) == ["- see", f"  {long}", "  there"]


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("membership", 10, "membership"),
        ("membership-migrate", 10, "memb…grate"),
        ("数据数据数据", 6, "数…据"),
        ("", 5, ""),
    ],
)
def test_the_middle_of_long_names_goes(text: str, columns: int, shown: str) -> None:
    assert shortened(text, columns) == shown
    assert width(shown) <= columns


@pytest.mark.parametrize("text", ["\x1b[31m", "a\nb", "\x00", "\u202egnp.exe", "\udc80", "\u2028"])
def test_text_of_strangers_is_no_command_to_a_terminal(text: str) -> None:
    assert printable(text).isprintable()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::set-output name=x::y", ": :set-output name=x::y"),
        ("a ::add-mask::b", "a : :add-mask::b"),
        ("x ##[error]y ##vso[task]z", "x ## [error]y ## vso[task]z"),
        ("std::string ::1 '::' # ##", "std::string ::1 '::' # ##"),
    ],
)
def test_text_of_strangers_is_no_command_to_a_runner(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_table_that_is_too_wide_for_the_terminal_becomes_blocks() -> None:
    rows = [("Job/migrate", "pre-install, pre-upgrade", "", "templates/migrate.yaml:1")]
    head = ("OBJECT", "RUNS", "WEIGHT", "TEMPLATE")
    assert [unstyle(line) for line in records(head, rows, 40)] == [
        "Job/migrate",
        "  RUNS      pre-install, pre-upgrade",
        "  TEMPLATE  templates/migrate.yaml:1",
    ]
    for columns in (0, 80):  # 0: there is no terminal
        assert len(list(records(head, rows, columns))) == 2, columns


def test_long_lines_are_wrapped_below_their_indent_and_words_stay_whole() -> None:
    line = "     create  Job/migrate  hook pre-upgrade; ran, succeeded"
    assert list(fit([line, "short"], 40)) == [
        "     create  Job/migrate  hook",
        "         pre-upgrade; ran, succeeded",
        "short",
    ]
    assert list(fit([line], 0)) == [line]
