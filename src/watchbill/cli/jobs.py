"""`watchbill jobs`: the jobs of a bill: which there are, one of them run alone, and those that should be gone."""

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from watchbill.cli.command import ExampleCommand, HelpGroup, common_options
from watchbill.cli.completing import complete_environments, complete_paths, complete_profiles
from watchbill.cli.connecting import access, cluster_options, need_libraries
from watchbill.cli.session import Session
from watchbill.errors import Found

if TYPE_CHECKING:
    from watchbill.charts.engine import Engine
    from watchbill.deploy.bill import Bill
    from watchbill.jobs.declare import Job
    from watchbill.jobs.registry import Registry

F = TypeVar("F", bound=Callable[..., Any])


def bill_options(function: F) -> F:
    function = click.option(
        "--environment",
        "-e",
        default="",
        metavar="NAME",
        shell_complete=complete_environments,
        help="An environment of the bill.",
    )(function)
    function = click.option(
        "--profile",
        default="",
        metavar="NAME",
        shell_complete=complete_profiles,
        help="A profile of the bill.",
    )(function)
    return click.option(
        "--bill",
        "file",
        default="bill.yaml",
        show_default=True,
        metavar="FILE",
        shell_complete=complete_paths,
        help="The product's bill.",
    )(function)


@click.group("jobs", cls=HelpGroup)
@common_options
def command() -> None:
    """List, run and lint the Python jobs of a bill."""


@command.command(
    "list",
    cls=ExampleCommand,
    examples=(
        ("watchbill jobs list", "the jobs of bill.yaml"),
        ("watchbill jobs list --bill FILE", "the jobs of another bill"),
        ("watchbill jobs list -o json", "for scripts"),
    ),
)
@bill_options
@click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@common_options
@click.pass_obj
def list_jobs(session: Session, /, **options: Any) -> None:
    """List every job: when it runs, until when, where it is."""
    with _engine(session) as engine:
        bill, registry = _read(engine, options)
    if options["output"] == "json":
        import msgspec

        session.say(msgspec.json.encode([_as_json(job) for job in registry]).decode())
        return
    from watchbill.cli.width import terminal_width
    from watchbill.report.table import records

    if not len(registry):
        session.say(f"{bill.file} has no jobs")
        return
    rows = [row for job in registry for row in _rows(job)]
    for line in records(("job", "when", "until", "declared"), rows, terminal_width()):
        session.say(line)


@command.command(
    "run",
    cls=ExampleCommand,
    examples=(
        ("watchbill jobs run logging/grow_volume", "only this job, as a deploy would run it"),
        ("watchbill jobs run grow_volume --dry-run", "without changing the cluster"),
    ),
)
@click.argument("name", metavar="JOB")
@bill_options
@click.option("--dry-run", is_flag=True, help="Use server-side dry run: the cluster does not change.")
@click.option("--rerun", is_flag=True, help="Run it again even if it already ran.")
@cluster_options
@common_options
@click.pass_obj
def run_job(session: Session, /, **options: Any) -> int:
    """Run one job alone, as a deploy would.

    Checks its rights, limits its time and holds the lock, so that no deploy runs at the same time."""
    need_libraries()
    from watchbill.cli.running import run_alone
    from watchbill.deploy.reading import require_environment

    with _engine(session) as engine:
        bill, registry = _read(engine, options)
    job = registry.named(options["name"])
    found = access(options)
    require_environment(bill, found.context)
    # Not asyncio.run: that would wait for what was left behind on purpose.
    work = run_alone(session, bill, job, found, options)
    return asyncio.new_event_loop().run_until_complete(work)


@command.command(
    "lint",
    cls=ExampleCommand,
    examples=(
        ("watchbill jobs lint --version 2.6.0", "in CI: is there a job left that 2.6.0 must not have?"),
        ("watchbill jobs lint", "the same for the version of the bill"),
    ),
)
@click.option("--version", metavar="VERSION", help="The version to release.  [default: the bill's]")
@bill_options
@common_options
@click.pass_obj
def lint(session: Session, /, **options: Any) -> None:
    """Find jobs that are past their removal version.

    Exit code 1: there are some."""
    from watchbill import versions
    from watchbill.jobs.lint import problems

    with _engine(session) as engine:
        bill, registry = _read(engine, options)
    version = versions.parse(options["version"]) if options["version"] else bill.version
    found = problems(registry, version, timeout=bill.timeout)
    for problem in found:
        level = (
            click.style("error", fg="red", bold=True)
            if problem.is_error
            else click.style("warning", fg="yellow")
        )
        session.say(f"{level} {problem}")
        session.say(f"  {problem.then}")
    if any(problem.is_error for problem in found):
        raise Found
    session.say(f"{len(registry)} jobs are fine in {bill.product} {version}")


def _engine(session: Session) -> "Engine":
    from watchbill.charts.engine import Engine
    from watchbill.charts.process import Limits

    return Engine(Limits(), session.take_engine())


def _read(engine: "Engine", options: dict[str, Any]) -> "tuple[Bill, Registry]":
    from watchbill.deploy import reading
    from watchbill.jobs.load import load

    bill = reading.read(engine, options["file"], options["profile"], options["environment"])
    return bill, load(bill.jobs, bill.folder, bill.names)


def _rows(job: "Job") -> Iterator[list[str]]:
    yield [job.identity, job.moment, str(job.until or "for good"), str(job.place)]
    for note in (job.summary, job.reason and f"stays: {job.reason}", ", ".join(_traits(job))):
        if note:
            yield [f"    {note}"]


def _traits(job: "Job") -> Iterator[str]:
    from watchbill import durations

    if job.once:
        yield "runs once"
    if job.timeout is not None:
        yield f"at most {durations.told(job.timeout)}"
    if job.requires:
        yield f"requires {', '.join(map(str, job.requires))}"
    if job.container is not None:
        yield "in a container"


def _as_json(job: "Job") -> dict[str, object]:
    return {
        "identity": job.identity,
        "component": job.component,
        "moment": job.moment,
        "until": str(job.until) if job.until else None,
        "reason": job.reason,
        "once": job.once,
        "timeout": job.timeout,
        "requires": [str(right) for right in job.requires],
        "file": job.place.file,
        "line": job.place.line,
        "summary": job.summary,
    }
