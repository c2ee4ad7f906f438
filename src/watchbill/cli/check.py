"""`watchbill check CHART`, as click reads it: what goes wrong with a chart over its life, before it does."""

from typing import Any

import click

from watchbill.cli.check_run import OPTIONS, check
from watchbill.cli.command import ExampleCommand, common_options, with_options
from watchbill.cli.session import Session


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
@with_options(*OPTIONS)
@common_options
@click.pass_obj
def command(session: Session, /, **options: Any) -> None:
    """Find what goes wrong with a chart's Jobs and hooks over its life: installs, upgrades, rollbacks, with Jobs that
    fail and clients that die, are played in a model of the tools. Nothing is deployed.

    Without --from the next version is made up by changing inputs, so a single chart already shows what its next
    release will hit. Exit code 1 says that something was found, 2 that something could not be checked."""
    check(session, options)
