"""`watchbill check CHART`, as click reads it: what goes wrong with a chart over its life, before it does."""

from typing import Any

import click

from watchbill.cli.check_run import OPTIONS, check
from watchbill.cli.command import ExampleCommand, common_options, with_options
from watchbill.cli.completing import complete_paths
from watchbill.cli.session import Session


@click.command(
    "check",
    cls=ExampleCommand,
    examples=(
        ("watchbill check ./chart", "one chart and its next release"),
        ("watchbill check ./chart --from git:v1.2.0", "this upgrade"),
        ("watchbill check charts/ --since origin/main -o github", "changed charts, in CI"),
    ),
)
@click.argument("charts", nargs=-1, metavar="[CHART]...", shell_complete=complete_paths)
@with_options(*OPTIONS)
@common_options
@click.pass_obj
def command(session: Session, /, **options: Any) -> None:
    """Find what goes wrong with a chart's Jobs and hooks.

    Simulates installs, upgrades and rollbacks, with failing Jobs and interrupted clients. Deploys nothing. By default,
    checks the charts below the current directory and makes up the next version of each: it changes the chart version,
    the app version, images and values.

    Exit code 1: something was found. Exit code 2: something could not be checked."""
    check(session, options)
