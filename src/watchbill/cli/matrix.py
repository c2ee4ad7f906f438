"""`watchbill matrix CHART`: what each Job does in each scenario under each tool."""

from typing import TYPE_CHECKING, Any

import click

from watchbill.cli.asking import charts_or_here, check_inputs
from watchbill.cli.command import ExampleCommand, common_options, with_options
from watchbill.cli.completing import complete_paths, complete_tools
from watchbill.cli.outputs import Output, choose_outputs, deliver, output_options
from watchbill.cli.parameters import RenderingOptions, read_text, rendering_options
from watchbill.cli.session import Session
from watchbill.errors import Unchecked

if TYPE_CHECKING:
    from watchbill.checking.tabulating.tabulate import Tabulated

DEFAULT_TOOLS = ("helm@4", "helm@3.19", "kubectl")


@click.command(
    "matrix",
    cls=ExampleCommand,
    examples=(
        ("watchbill matrix ./chart", "what each Job does, with a made-up next version"),
        ("watchbill matrix ./chart --from git:v1.2.0", "for this upgrade"),
        ("watchbill matrix ./chart --tool helm@3.17 --tool helm@4 -o markdown", "other tools, as Markdown"),
    ),
)
@click.argument("charts", nargs=-1, metavar="[CHART]...", shell_complete=complete_paths)
@click.option(
    "--from",
    "from_",
    default="",
    metavar="VERSION",
    shell_complete=complete_paths,
    help="The previous version: a directory, .tgz, git:REF, oci://... or repo/chart@1.2.0; with -m a file.",
)
@click.option(
    "-m",
    "--manifests",
    multiple=True,
    metavar="FILE",
    shell_complete=complete_paths,
    help="Rendered manifests instead of charts; '-' is stdin.",
)
@click.option(
    "--tool",
    "tools",
    multiple=True,
    default=DEFAULT_TOOLS,
    show_default=", ".join(DEFAULT_TOOLS),
    metavar="TOOL@VERSION",
    shell_complete=complete_tools,
    help="Tool of a column: helm or kubectl. Repeatable.",
)
@with_options(*rendering_options(without=("--is-upgrade", "--helm"), release=""))
@click.option("--deps", is_flag=True, help="Fetch missing dependencies with helm, into a cache.")
@with_options(*output_options("text", "markdown", "json", "html"))
@common_options
@click.pass_obj
def command(
    session: Session,
    /,
    *,
    charts: tuple[str, ...],
    manifests: tuple[str, ...],
    from_: str,
    tools: tuple[str, ...],
    deps: bool,
    outputs: tuple[Output, ...],
    output_file: str | None,
    **options: Any,
) -> None:
    """Show in a table what each Job does in each scenario.

    Says under each tool whether a Job runs, runs again, does not run or fails, and why. Simulates the tools and the
    cluster; deploys nothing. By default, takes the charts below the current directory and makes up the next version of
    each: it changes the chart version, the app version, images and values."""
    from watchbill.charts.engine import Engine
    from watchbill.checking.inputs.arguments import check_arguments
    from watchbill.checking.inputs.find import find
    from watchbill.checking.inputs.subject import Asked
    from watchbill.checking.inputs.workspace import Workspace
    from watchbill.checking.tabulating.tabulate import Tabulator
    from watchbill.rehearsal.script import read_tool

    chosen_outputs = choose_outputs(outputs, output_file)
    check_inputs(manifests, from_, options)
    columns = list(dict.fromkeys(map(read_tool, tools)))
    chosen = RenderingOptions(options)
    asked = Asked(
        charts_or_here(charts, manifests), manifests, from_, deps=deps, follow_symlinks=chosen.follow_symlinks
    )
    context = chosen.context()
    with Engine(chosen.limits, session.take_engine()) as engine, Workspace() as workspace:
        check_arguments(engine, context, workspace)
        items = find(engine, asked, workspace, read_text)
        tabulator = Tabulator(engine, context, columns, follow_symlinks=chosen.follow_symlinks)
        found = tabulator.tabulate(items)
    deliver(session, chosen_outputs, lambda output: _printed(found, output))
    for failed in found.failed:
        session.complain(str(failed.error))
    if found.failed:
        raise Unchecked


def _printed(found: "Tabulated", output: Output) -> str:
    if output.form == "json":
        from watchbill.report import matrix_json

        return matrix_json.report(found)
    if output.form == "html":
        from watchbill.report import matrix_html

        return matrix_html.report(found)
    if output.form == "markdown":
        from watchbill.report import matrix_markdown

        return matrix_markdown.report(found)
    from watchbill.cli.width import terminal_width
    from watchbill.report import matrix_text
    from watchbill.report.options import ReportOptions

    width = 0 if output.file else terminal_width()
    return matrix_text.report(found, ReportOptions(width=width))
