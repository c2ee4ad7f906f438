"""`watchbill rehearse VERSION... MOVE...`: what a tool does, move by move, before it does it."""

from typing import Any

import click

from watchbill.cli.asking import check_inputs
from watchbill.cli.command import ExampleCommand, common_options, with_options
from watchbill.cli.completing import complete_paths, complete_paths_and_moves, complete_tools
from watchbill.cli.parameters import RenderingOptions, read_text, rendering_options
from watchbill.cli.session import Session
from watchbill.errors import Found, UserError


class RehearseCommand(ExampleCommand):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from watchbill.lifecycle.flags import HELM_FLAGS, KUBECTL_FLAGS

            if error.option_name in HELM_FLAGS or error.option_name in KUBECTL_FLAGS:
                raise UserError(
                    f"{error.option_name} is a flag of a move",
                    then=f'quote a move together with its flags: "upgrade {error.option_name}"',
                ) from None
            raise


@click.command(
    "rehearse",
    cls=RehearseCommand,
    examples=(
        ("watchbill rehearse ./v1 ./v2 install upgrade rollback uninstall", "from one version to the next"),
        ('watchbill rehearse ./chart install "fail *-migrate" upgrade', "when the migration fails"),
        ("watchbill rehearse -m old.yaml -m new.yaml --tool helm@3.19 install upgrade", "manifests, Helm 3"),
    ),
)
@click.argument(
    "arguments", nargs=-1, metavar="[VERSION]... MOVE...", shell_complete=complete_paths_and_moves
)
@click.option(
    "-m",
    "--manifests",
    multiple=True,
    metavar="FILE",
    shell_complete=complete_paths,
    help="A version as rendered manifests instead of a chart; '-' is stdin. Repeat it for the next version.",
)
@click.option(
    "--tool",
    default="helm@4",
    show_default=True,
    metavar="TOOL@VERSION",
    shell_complete=complete_tools,
    help="The tool to simulate: helm or kubectl.",
)
@click.option(
    "--bare-cluster",
    is_flag=True,
    help="Start with an empty cluster: no custom kinds, Secrets or ConfigMaps beyond those of the chart.",
)
@with_options(*rendering_options(without=("--is-upgrade", "--helm"), release="r"))
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show every write, including those to release records.")
@common_options
@click.pass_obj
def command(
    session: Session,
    /,
    *,
    arguments: tuple[str, ...],
    manifests: tuple[str, ...],
    tool: str,
    bare_cluster: bool,
    output: str,
    verbose: bool,
    **options: Any,
) -> None:
    """Simulate a sequence of operations, step by step.

    Deploys nothing. A VERSION is a chart: install takes the first, each upgrade the next, and the last one repeats.

    Moves of helm: install, upgrade, rollback [REVISION], uninstall, test, with helm's flags. Moves of kubectl: apply,
    delete. Other moves: fail, hang, late or succeed PATTERN (what happens to matching Jobs from then on), wait DURATION,
    delete KIND/NAME, edit KIND/NAME PATH=VALUE, kill N MOVE (the client dies after N writes), release NAME MOVE.

    Exit code 1: a move failed."""
    from watchbill.charts.engine import Engine
    from watchbill.rehearsal.performance import perform, set_up
    from watchbill.rehearsal.report import report
    from watchbill.rehearsal.script import read

    script = read(arguments, tool, manifests, options["release"])
    check_inputs(manifests, "", options)
    texts = [(_named(path), read_text(path, "manifests")) for path in manifests]
    chosen = RenderingOptions(options)
    context = chosen.context()
    with Engine(chosen.limits, session.take_engine()) as engine:
        lab = set_up(
            engine, script, texts, context, follow_symlinks=chosen.follow_symlinks, bare=bare_cluster
        )
        played = perform(script, lab)
    if output == "json":
        import msgspec

        session.say(msgspec.json.format(msgspec.json.encode(report(played, lab)), indent=2).decode())
    else:
        from watchbill.cli.rehearse_text import lines

        names = script.charts or tuple(name for name, _ in texts)
        session.say("\n".join(lines(played, lab, names, verbose=verbose)))
    if not all(one.ok for one in played):
        raise Found


def _named(path: str) -> str:
    return "stdin" if path == "-" else path
