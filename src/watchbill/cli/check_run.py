"""`watchbill check` itself: its options, and what is done with them."""

import os
import sys
from typing import TYPE_CHECKING, Any

from watchbill.cli.asking import SURROUNDINGS, VERSIONS, request
from watchbill.cli.option import Between, OneOf, Option
from watchbill.cli.parameters import read_text, rendering_options
from watchbill.cli.session import Session
from watchbill.errors import Found, Unchecked

if TYPE_CHECKING:
    from watchbill.checking.plan import Request
    from watchbill.checking.run import Outcome

TOOLS = ("helm@4", "helm@3.19")
FORMATS = ("text", "json", "sarif", "github", "markdown", "junit")
FAIL_ON = ("error", "warning", "note", "never")
OPTIONS = (
    *VERSIONS,
    Option(
        ("--tool",),
        f"A tool to check with, repeat it: helm or kubectl.  [default: {', '.join(TOOLS)}]",
        name="tools",
        many=True,
        metavar="TOOL@VERSION",
    ),
    *rendering_options(without=("--is-upgrade", "--helm"), release=""),
    *SURROUNDINGS,
    Option(("--baseline",), "Findings that are known and accepted.", metavar="FILE"),
    Option(("--write-baseline",), "Write what is found now into a baseline.", metavar="FILE"),
    Option(("--depth",), "Moves after the install.", default="2", show_default=True, read=Between(1, 5)),
    Option(("--fail-on",), "The least that gives exit code 1.  [default: error]", read=OneOf(FAIL_ON)),
    Option(("--skip-others",), "Leave out files that are in no chart, for pre-commit.", switch=True),
    Option(("--allow-unchecked",), "Charts that could not be checked do not fail the run.", switch=True),
    Option(("-o", "--output"), "How to print.", default="text", show_default=True, read=OneOf(FORMATS)),
    Option(
        ("-v", "--verbose"),
        "Also worlds, facts of the tools, assumptions, ignored findings.",
        switch=True,
    ),
)


def check(session: Session, options: dict[str, Any]) -> None:
    from watchbill.checking import baseline
    from watchbill.checking.run import exit_code, run
    from watchbill.cli.progress import Progress

    with Progress() as progress:
        outcome = run(_request(options), session.take_engine(), read_text, progress.tell)
    if options["write_baseline"]:
        baseline.write(options["write_baseline"], baseline.entries(outcome.run.charts))
    _print(session, outcome, options)
    code = exit_code(outcome, allow_unchecked=options["allow_unchecked"])
    if code == Found.exit_code:
        raise Found
    if code:
        raise Unchecked


def _request(options: dict[str, Any]) -> "Request":
    from watchbill.rehearsal.script import read_tool

    return request(
        options,
        tuple(dict.fromkeys(map(read_tool, options["tools"]))),
        baseline=options["baseline"] or "",
        reads_baseline=not options["write_baseline"],
        fail_on=options["fail_on"],
    )


def _print(session: Session, outcome: "Outcome", options: dict[str, Any]) -> None:
    from watchbill.report.formats import report_in
    from watchbill.report.options import ReportOptions
    from watchbill.rules.registry import RULES

    wide = os.get_terminal_size(1).columns if sys.stdout.isatty() else 0
    asked = ReportOptions(outcome.fail_on, options["verbose"], wide, RULES)
    session.say(report_in(options["output"])(outcome.run, asked))
