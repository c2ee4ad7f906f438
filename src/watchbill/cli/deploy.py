"""`watchbill deploy FILE`: a product of many charts, installed or upgraded, with jobs around them."""

import asyncio
from typing import Any

import click

from watchbill.cli.command import ExampleCommand, common_options, with_options
from watchbill.cli.connecting import access, cluster_options, need_libraries
from watchbill.cli.option import Option
from watchbill.cli.parameters import duration
from watchbill.cli.session import Session
from watchbill.errors import UserError


@click.command(
    "deploy",
    cls=ExampleCommand,
    examples=(
        ("watchbill deploy bill.yaml --plan", "what would run, in which order; nothing is changed"),
        ("watchbill deploy bill.yaml --profile production", "install, upgrade, or finish what was begun"),
        ("watchbill deploy --through bills/", "one version after the other, to the newest"),
    ),
)
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--profile", default="", metavar="NAME", help="A profile of the bill: its values go on top.")
@click.option("--only", multiple=True, metavar="NAME", help="Deploy this component alone; repeat it.")
@click.option(
    "--plan", is_flag=True, help="Tell what would run, what is missing and what would break; write nothing."
)
@click.option("--offline", is_flag=True, help="With --plan: do not even read the cluster.")
@click.option("--dry-run", is_flag=True, help="Run jobs and helm, but let the server change nothing.")
@click.option(
    "--through",
    metavar="FOLDER",
    help="A folder of bills: walk from what is installed to the newest, or to FILE.",
)
@click.option(
    "--back", is_flag=True, help="Go back to the installed version after a deploy that is not complete."
)
@click.option(
    "--abandon",
    default="",
    metavar="VERSION",
    help="Give up a version whose deploy is not complete, and deploy FILE over it.",
)
@click.option("--fail-fast", is_flag=True, help="Begin nothing new after the first failure.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Components at once.  [default: as the bill says]",
)
@with_options(
    Option(("--timeout",), "Cancel the deploy after this time.  [default: as the bill says]", read=duration)
)
@click.option(
    "--heal", type=click.Choice(["uninstall"]), help="Take away a first install that was interrupted."
)
@click.option("--rerun", multiple=True, metavar="JOB", help="Run a job again that runs once; repeat it.")
@click.option(
    "--done",
    "taken_as_done",
    multiple=True,
    metavar="JOB",
    help="Take a job as done that maybe ran; repeat it.",
)
@click.option(
    "--accept", multiple=True, metavar="RULE", help="Deploy although this rule finds an error; repeat it."
)
@click.option(
    "--events", type=click.Choice(["jsonl"]), help="Events for machines on stdout; all else goes to stderr."
)
@click.option(
    "--helm", "helm_path", metavar="PATH", help="The helm binary.  [default: $HELM, or the one on PATH]"
)
@cluster_options
@click.option("-v", "--verbose", is_flag=True, help="Also what helm says while it works.")
@common_options
@click.pass_obj
def command(session: Session, /, **options: Any) -> int:
    """Deploy a product: its prerequisites one after the other, its components side by side, each with the jobs before and
    after it. Only from nothing, from the version before, or over the same version.

    Ctrl-C cancels in order, a second one by force. Running the same command again finishes what was begun. Exit code 1 says
    that something failed, 2 that nothing was begun."""
    from watchbill.charts.engine import Engine
    from watchbill.charts.process import Limits

    _refuse_contradictions(options)
    need_libraries()
    from watchbill.cli.deploying import Deploying, plan_offline

    with Engine(Limits(), session.take_engine()) as engine:
        if options["offline"]:
            return plan_offline(session, engine, options)
        deploying = Deploying(session, engine, options, access(options))
        # Not asyncio.run: that would wait for what was left behind on purpose.
        return asyncio.new_event_loop().run_until_complete(deploying.run())


def _refuse_contradictions(options: dict[str, Any]) -> None:
    if not options["file"] and not options["through"]:
        raise UserError("there is no bill to deploy", then="name its file: watchbill deploy bill.yaml")
    for one, other in (
        ("back", "through"),
        ("abandon", "through"),
        ("abandon", "back"),
        ("only", "through"),
        ("dry_run", "through"),
        ("plan", "dry_run"),
    ):
        if options[one] and options[other]:
            raise UserError(f"--{one.replace('_', '-')} and --{other.replace('_', '-')} do not go together")
    if options["offline"] and not options["plan"]:
        raise UserError("--offline is for --plan: a deploy needs its cluster")
    if options["offline"] and options["through"]:
        raise UserError("--offline and --through do not go together: what is installed decides the way")
