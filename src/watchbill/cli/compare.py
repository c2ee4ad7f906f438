"""`watchbill compare TOOL TOOL CHART...`: which charts behave differently under another tool or version."""

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from watchbill.cli.asking import SURROUNDINGS, VERSIONS, request
from watchbill.cli.command import ExampleCommand, common_options, with_options
from watchbill.cli.outputs import Output, choose_outputs, deliver, output_options
from watchbill.cli.parameters import read_text, rendering_options
from watchbill.cli.session import Session
from watchbill.errors import Found, Unchecked

if TYPE_CHECKING:
    from watchbill.checking.comparing.result import Comparison


@click.command(
    "compare",
    cls=ExampleCommand,
    examples=(
        ("watchbill compare helm@3.19 helm@4 charts/", "what changes with Helm 4?"),
        ("watchbill compare helm@3.19 helm@4 ./chart --from git:v1.2.0", "in this very upgrade"),
        ("watchbill compare helm@4 kubectl -m rendered.yaml", "applied without Helm"),
    ),
)
@click.argument("one", metavar="TOOL@VERSION")
@click.argument("other", metavar="TOOL@VERSION")
@click.argument("charts", nargs=-1, metavar="[CHART]...")
@with_options(*VERSIONS)
@with_options(*rendering_options(without=("--is-upgrade", "--helm"), release=""))
@with_options(*SURROUNDINGS)
@click.option(
    "--depth", type=click.IntRange(1, 5), default=2, show_default=True, help="Moves after the install."
)
@with_options(*output_options("text", "json", "markdown"))
@common_options
@click.pass_obj
def command(session: Session, /, **options: Any) -> None:
    """Find charts that behave differently under another tool, or another version of it: every short path through
    the life of a release is walked with both in a model of the tools, up to where they part. Nothing is deployed.

    Without --from the next version is made up by changing inputs. Exit code 1 says that something differs, 2 that
    something could not be compared."""
    from watchbill.checking.comparing.run import exit_code, read_tools, run
    from watchbill.cli.progress import Progress

    outputs = choose_outputs(options["outputs"], options["output_file"])
    tools = read_tools(options["one"], options["other"])
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


def _printed(found: "Comparison", output: Output) -> str:
    if output.form == "json":
        from watchbill.report import compare_json

        return compare_json.report(found)
    if output.form == "markdown":
        from watchbill.report import compare_markdown

        return compare_markdown.report(found)
    from watchbill.report import compare_text
    from watchbill.report.options import ReportOptions

    width = os.get_terminal_size(1).columns if not output.file and sys.stdout.isatty() else 0
    return compare_text.report(found, ReportOptions(width=width))
