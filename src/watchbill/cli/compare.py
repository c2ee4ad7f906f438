"""`watchbill compare TOOL TOOL CHART...`: which charts behave differently under another tool or version."""

import os
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from watchbill.cli.asking import SURROUNDINGS, VERSIONS, request
from watchbill.cli.command import ExampleCommand, common_options, with_options
from watchbill.cli.completing import complete_tools_then_paths
from watchbill.cli.outputs import Output, choose_outputs, deliver, output_options
from watchbill.cli.parameters import read_text, rendering_options
from watchbill.cli.session import Session
from watchbill.errors import Found, Unchecked, UserError

if TYPE_CHECKING:
    from watchbill.checking.comparing.result import Comparison


@click.command(
    "compare",
    cls=ExampleCommand,
    examples=(
        ("watchbill compare helm@3.19 helm@4 charts/", "what changes with Helm 4?"),
        ("watchbill compare helm@3.19 helm@4 ./chart --from git:v1.2.0", "for this upgrade"),
        ("watchbill compare helm@4 kubectl -m rendered.yaml", "with and without Helm"),
    ),
)
@click.argument(
    "named",
    nargs=-1,
    metavar="TOOL@VERSION TOOL@VERSION [CHART]...",
    shell_complete=complete_tools_then_paths,
)
@with_options(*VERSIONS)
@with_options(*rendering_options(without=("--is-upgrade", "--helm"), release=""))
@with_options(*SURROUNDINGS)
@click.option(
    "--depth",
    type=click.IntRange(1, 5),
    default=2,
    show_default=True,
    help="Operations to explore after the install.",
)
@with_options(*output_options("text", "json", "markdown"))
@common_options
@click.pass_obj
def command(session: Session, /, **options: Any) -> None:
    """Find charts that behave differently under two tools.

    Simulates every short sequence of operations with both tools, or with two versions of one, and stops at the first
    difference. Deploys nothing. By default, compares the charts below the current directory and makes up the next
    version of each.

    Exit code 1: something differs. Exit code 2: something could not be compared."""
    from watchbill.checking.comparing.run import exit_code, read_tools, run
    from watchbill.cli.progress import Progress

    outputs = choose_outputs(options["outputs"], options["output_file"])
    one, other, options["charts"] = _split(options.pop("named"))
    tools = read_tools(one, other)
    with Progress("compared") as progress:
        # What is known and accepted of one tool says nothing of another.
        asked = request(options, tools, reads_baseline=False)
        found = run(asked, session.take_engine(), read_text, progress.tell)
    deliver(session, outputs, lambda output: _printed(found, output))
    code = exit_code(found)
    if code == Found.exit_code:
        raise Found
    if code:
        raise Unchecked


def _split(named: Sequence[str]) -> tuple[str, str, tuple[str, ...]]:
    """Two tools, which come first, and charts."""
    from watchbill.rehearsal.script import KNOWN

    charts = tuple(text for text in named if text.partition("@")[0] not in KNOWN and os.path.exists(text))
    usage = f"watchbill compare helm@3.19 helm@4 {shlex.join(charts) or './chart'}"
    if len(named) < 2:
        raise UserError("compare needs two tools", then=f"write: {usage}")
    one, other, *rest = named
    if one in charts or other in charts:
        raise UserError(f"{charts[0]}: tools come before charts", then=f"write: {usage}")
    return one, other, tuple(rest)


def _printed(found: "Comparison", output: Output) -> str:
    if output.form == "json":
        from watchbill.report import compare_json

        return compare_json.report(found)
    if output.form == "markdown":
        from watchbill.report import compare_markdown

        return compare_markdown.report(found)
    from watchbill.cli.width import terminal_width
    from watchbill.report import compare_text
    from watchbill.report.options import ReportOptions

    width = 0 if output.file else terminal_width()
    return compare_text.report(found, ReportOptions(width=width))
