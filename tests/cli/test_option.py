"""What is read without click is what click would have read; whatever it does not understand is left to click."""

from typing import Any

import click
import pytest

from watchbill.cli.check import command
from watchbill.cli.check_run import OPTIONS
from watchbill.cli.option import Option, plainly
from watchbill.cli.session import COMMON, Session

# An option with a value of each kind, as people write it.
GIVEN = {
    "depth": "3",
    "fail_on": "warning",
    "memory": "512Mi",
    "outputs": "json=report.json",
    "timeout": "1m30s",
}


def by_click(*arguments: str) -> dict[str, Any]:
    with command.make_context("check", list(arguments), obj=Session()) as context:
        return context.params


def by_us(*arguments: str) -> dict[str, Any] | None:
    read = plainly((*OPTIONS, *COMMON), arguments)
    if read is None:
        return None
    options, charts = read
    del options["debug"], options["no_color"]
    return {**options, "charts": charts}


def values(option: Option) -> list[str]:
    return [] if option.switch else [GIVEN.get(option.called, "some=value,a b")]


@pytest.mark.parametrize("flag", [flag for option in OPTIONS for flag in option.flags])
def test_an_option_is_read_as_click_reads_it(flag: str) -> None:
    option = next(option for option in OPTIONS if flag in option.flags)
    given = [flag, *values(option)]
    assert by_us(*given, "chart") == by_click(*given, "chart")
    assert by_us("one", *given, "two", *given) == by_click("one", *given, "two", *given)
    if flag.startswith("--") and not option.switch:
        assert by_us(f"{flag}={given[1]}") == by_click(f"{flag}={given[1]}")


@pytest.mark.parametrize(
    "arguments", [[], ["chart"], ["one", "two"], ["--no-color", "chart", "--debug"], ["--since=", "chart"]]
)
def test_a_line_is_read_as_click_reads_it(arguments: list[str]) -> None:
    assert by_us(*arguments) == by_click(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["-h"],
        ["--version"],
        ["--no-such-option", "x"],
        ["-ojson"],
        ["-vo", "json"],
        ["--", "-chart"],
        ["-f", "-", "chart"],
        ["chart", "--tool"],
        ["--tool", "--depth", "2"],
        ["--verbose=yes"],
        ["--depth", "6"],
        ["--depth", "two"],
        ["--output", "pdf"],
        ["--timeout", "soon"],
        ["--memory", "1Mi"],
        ["--memory", "much"],
    ],
    ids=str,
)
def test_the_rest_is_left_to_click(arguments: list[str]) -> None:
    assert by_us(*arguments) is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--depth", "6"], "6 is not in the range 1<=x<=5."),
        (["--timeout", "soon"], "'soon' is not a duration; write it like 90s, 5m or 1h30m"),
        (["--memory", "1Mi"], "'1Mi' is not between 64Mi and 1024Gi"),
        (["--memory", "64ki"], "'64ki' is not a size; write it like 512Mi or 1Gi"),
    ],
)
def test_click_says_what_is_wrong_with_a_value(arguments: list[str], says: str) -> None:
    with pytest.raises(click.BadParameter) as error:
        by_click(*arguments)
    assert says in error.value.format_message()
