"""`watchbill deploy FILE`: a product of many charts, installed or upgraded, with jobs around them."""

import asyncio
from typing import Any

import click

from watchbill.cli.command import ExampleCommand, common_options, with_options
from watchbill.cli.completing import (
    complete_components,
    complete_environments,
    complete_folders,
    complete_paths,
    complete_profiles,
    complete_rules,
)
from watchbill.cli.connecting import access, cluster_options, need_libraries
from watchbill.cli.option import Option
from watchbill.cli.parameters import duration
from watchbill.cli.session import Session
from watchbill.errors import UserError


@click.command(
    "deploy",
    cls=ExampleCommand,
    examples=(
        ("watchbill deploy bill.yaml --plan", "what would run, in which order; changes nothing"),
        (
            "watchbill deploy bill.yaml --environment production",
            "install, upgrade, or finish an interrupted deploy",
        ),
        ("watchbill deploy --through bills/", "every version up to the newest, in order"),
    ),
)
@click.argument("file", metavar="[FILE]", required=False, shell_complete=complete_paths)
@click.option(
    "--profile",
    default="",
    metavar="NAME",
    shell_complete=complete_profiles,
    help="Apply a profile of the bill.",
)
@click.option(
    "--environment",
    "-e",
    default="",
    metavar="NAME",
    shell_complete=complete_environments,
    help="Apply an environment of the bill, on top of the profile.",
)
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_components,
    help="Deploy only this component. Repeatable.",
)
@click.option(
    "--plan", is_flag=True, help="Show what would run, what is missing and what would fail. Change nothing."
)
@click.option(
    "--diff",
    is_flag=True,
    help="With --plan: show how each object would change. Values of Secrets are masked.",
)
@click.option("--offline", is_flag=True, help="With --plan: do not contact the cluster.")
@click.option(
    "--dry-run", is_flag=True, help="Run jobs and helm with server-side dry run: the cluster does not change."
)
@click.option(
    "--through",
    metavar="FOLDER",
    shell_complete=complete_folders,
    help="A folder of bills: deploy each version from the installed one to the newest, or to FILE.",
)
@click.option("--back", is_flag=True, help="Return to the installed version after an incomplete deploy.")
@click.option(
    "--abandon",
    default="",
    metavar="VERSION",
    help="Give up a version whose deploy is incomplete, and deploy FILE over it.",
)
@click.option("--fail-fast", is_flag=True, help="Start nothing new after the first failure.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Components to deploy in parallel.  [default: the bill's]",
)
@with_options(
    Option(("--timeout",), "Cancel the deploy after this time.  [default: the bill's]", read=duration)
)
@click.option("--heal", type=click.Choice(["uninstall"]), help="Uninstall an interrupted first install.")
@click.option("--rerun", multiple=True, metavar="JOB", help="Run a run-once job again. Repeatable.")
@click.option(
    "--done",
    "taken_as_done",
    multiple=True,
    metavar="JOB",
    help="Treat a job as done when it is unknown whether it ran. Repeatable.",
)
@click.option(
    "--accept",
    multiple=True,
    metavar="RULE",
    shell_complete=complete_rules,
    help="Deploy even if this rule finds an error. Repeatable.",
)
@click.option(
    "--events",
    type=click.Choice(["jsonl"]),
    help="Print events as JSON lines on stdout, everything else on stderr.",
)
@click.option(
    "--helm",
    "helm_path",
    metavar="PATH",
    shell_complete=complete_paths,
    help="The helm binary.  [default: $HELM, or the one on PATH]",
)
@cluster_options
@click.option("-v", "--verbose", is_flag=True, help="Also show helm's output.")
@common_options
@click.pass_obj
def command(session: Session, /, **options: Any) -> int:
    """Install or upgrade a product of several charts.

    Deploys the prerequisites one after another, then the components in parallel, each with the jobs before and after it.
    Deploys a first install, an upgrade from a version that the bill allows, or the same version again.

    Ctrl-C cancels the deploy in an orderly way, a second Ctrl-C by force. Run the same command again to finish an
    interrupted deploy. Exit code 1: something failed. Exit code 2: nothing was started."""
    from watchbill.charts.engine import Engine
    from watchbill.charts.process import Limits

    _refuse_contradictions(options)
    need_libraries()
    from watchbill.cli.deploying import Deploying, check_arguments, plan_offline

    with Engine(Limits(), session.take_engine()) as engine:
        check_arguments(engine, options)
        if options["offline"]:
            return plan_offline(session, engine, options)
        deploying = Deploying(session, engine, options, access(options))
        # Not asyncio.run: that would wait for what was left behind on purpose.
        return asyncio.new_event_loop().run_until_complete(deploying.run())


def _refuse_contradictions(options: dict[str, Any]) -> None:
    if not options["file"] and not options["through"]:
        raise UserError("no bill given", then="name its file: watchbill deploy bill.yaml")
    for one, other in (
        ("back", "through"),
        ("abandon", "through"),
        ("abandon", "back"),
        ("only", "through"),
        ("dry_run", "through"),
        ("plan", "dry_run"),
    ):
        if options[one] and options[other]:
            raise UserError(f"--{one.replace('_', '-')} and --{other.replace('_', '-')} cannot be combined")
    if options["diff"] and (not options["plan"] or options["offline"]):
        raise UserError(
            "--diff needs --plan, and a cluster to compare with", then="use --plan --diff, without --offline"
        )
    if options["offline"] and not options["plan"]:
        raise UserError("--offline needs --plan: a deploy needs its cluster")
    if options["offline"] and options["through"]:
        raise UserError(
            "--offline and --through cannot be combined: the installed version decides which bills are deployed"
        )
