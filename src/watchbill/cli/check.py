"""`watchbill check CHART`: what goes wrong with a chart over its life, before it does."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from watchbill.cli.asking import request, surroundings_options, version_options
from watchbill.cli.command import ExampleCommand
from watchbill.cli.parameters import read_text, rendering_options
from watchbill.cli.session import Session, common_options
from watchbill.errors import Found, Unchecked

if TYPE_CHECKING:
    from watchbill.checking.plan import Request
    from watchbill.checking.run import Outcome

TOOLS = ("helm@4", "helm@3.19")
FORMATS = ("text", "json", "sarif", "github", "markdown", "junit")
FAIL_ON = ("error", "warning", "note", "never")


@click.command(
    "check",
    cls=ExampleCommand,
    examples=(
        ("watchbill check ./chart", "one chart: is it safe over its life?"),
        ("watchbill check ./chart --from git:v1.2.0", "this very upgrade"),
        ("watchbill check charts/ --since origin/main -o github", "charts that changed, in CI"),
    ),
)
@click.argument("charts", nargs=-1, metavar="[CHART]...")
@version_options
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="TOOL@VERSION",
    help=f"A tool to check with, repeat it: helm or kubectl.  [default: {', '.join(TOOLS)}]",
)
@rendering_options(without=("--is-upgrade", "--helm"), release="")
@surroundings_options
@click.option("--baseline", metavar="FILE", help="Findings that are known and accepted.")
@click.option("--write-baseline", metavar="FILE", help="Write what is found now into a baseline.")
@click.option(
    "--depth", type=click.IntRange(1, 5), default=2, show_default=True, help="Moves after the install."
)
@click.option(
    "--fail-on", type=click.Choice(FAIL_ON), help="The least that gives exit code 1.  [default: error]"
)
@click.option("--skip-others", is_flag=True, help="Leave out files that are in no chart, for pre-commit.")
@click.option("--allow-unchecked", is_flag=True, help="Charts that could not be checked do not fail the run.")
@click.option(
    "-o", "--output", type=click.Choice(FORMATS), default="text", show_default=True, help="How to print."
)
@click.option(
    "-v", "--verbose", is_flag=True, help="Also worlds, facts of the tools, assumptions, ignored findings."
)
@common_options
@click.pass_obj
def command(session: Session, /, **options: Any) -> None:
    """Find what goes wrong with a chart's Jobs and hooks over its life: installs, upgrades, rollbacks, with Jobs that
    fail and clients that die, are played in a model of the tools. Nothing is deployed.

    Without --from the next version is made up by changing inputs, so a single chart already shows what its next
    release will hit. Exit code 1 says that something was found, 2 that something could not be checked."""
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
