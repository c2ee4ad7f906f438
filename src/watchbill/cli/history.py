"""`watchbill history`: the last deploys of a product, as the cluster remembers them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from watchbill import durations
from watchbill.cli.command import HelpGroup, common_options
from watchbill.cli.completing import complete_paths
from watchbill.cli.connecting import access, cluster_options, need_libraries, reached
from watchbill.cli.session import Session
from watchbill.errors import UserError

if TYPE_CHECKING:
    from watchbill.deploy.history import Deploy, Summary
    from watchbill.kube.client import Kube

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def whose(function: F) -> F:
    for option in (
        common_options,
        cluster_options,
        click.option(
            "-o",
            "--output",
            type=click.Choice(["text", "json"]),
            default="text",
            show_default=True,
            help="Output format.",
        ),
        click.option(
            "-n",
            "--namespace",
            default="",
            metavar="NAME",
            help="Namespace of the product's record.  [default: the bill's]",
        ),
        click.option("--product", default="", metavar="NAME", help="The product.  [default: the bill's]"),
        click.option(
            "--bill",
            "file",
            default="bill.yaml",
            show_default=True,
            metavar="FILE",
            shell_complete=complete_paths,
            help="The product's bill.",
        ),
    ):
        function = option(function)
    return function


@click.group("history", cls=HelpGroup, invoke_without_command=True)
@whose
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """List the latest deploys of a product."""
    if ctx.invoked_subcommand is not None:
        return
    session = ctx.find_object(Session)
    assert session
    product, namespace = _named(session, options)
    found = _asked(options, lambda kube: _entries(kube, namespace, product))
    if options["output"] == "json":
        _say_json(session, found)
        return
    if not found:
        session.say(f"no deploy of {product} is recorded in namespace {namespace}")
        return
    from watchbill.report.table import table

    head = [
        click.style(word, dim=True) for word in ("no.", "started", "who", "from", "to", "how", "took", "")
    ]
    for line in table([head, *map(_row, found)]):
        session.say(line)


@command.command("show")
@click.argument("number", type=int, metavar="[N]", required=False)
@click.option("--logs", is_flag=True, help="Also show the last log lines of each job and of helm.")
@whose
@click.pass_context
def show(ctx: click.Context, /, number: int | None, logs: bool, **options: Any) -> None:
    """Show one deploy in full, by default the latest."""
    session = ctx.find_object(Session)
    assert session
    options = _with_those_before(ctx, options)
    product, namespace = _named(session, options)
    deploy = _asked(options, lambda kube: _found(kube, namespace, product, number))
    if options["output"] == "json":
        _say_json(session, deploy)
        return
    for line in told(deploy, logs=logs):
        session.say(line)


def _with_those_before(ctx: click.Context, options: dict[str, Any]) -> dict[str, Any]:
    """Options may stand before `show` and after it."""
    assert ctx.parent
    before = ctx.parent.params
    unsaid = click.core.ParameterSource.DEFAULT
    return {
        name: before[name] if ctx.get_parameter_source(name) is unsaid else value
        for name, value in options.items()
    }


async def _entries(kube: "Kube", namespace: str, product: str) -> "list[Summary]":
    from watchbill.deploy import entries, history

    return await entries.true_ends(kube, namespace, list(await history.entries(kube, namespace, product)))


async def _found(kube: "Kube", namespace: str, product: str, number: int | None) -> "Deploy":
    from watchbill.deploy import entries, history

    if number is None:
        known = await history.entries(kube, namespace, product)
        if not known:
            raise UserError(f"no deploy of {product} is recorded in namespace {namespace}")
        number = known[0].number
    [found] = await entries.true_ends(kube, namespace, [await history.show(kube, namespace, product, number)])
    return found


def _asked(options: dict[str, Any], ask: "Callable[[Kube], Awaitable[T]]") -> T:
    need_libraries()
    from watchbill.kube.client import connect

    async def answered() -> T:
        async with connect(access(options)) as kube:
            await reached(kube)
            return await ask(kube)

    return asyncio.run(answered())


def _named(session: Session, options: dict[str, Any]) -> tuple[str, str]:
    """Product and namespace: as they are said, else as the bill has them."""
    if options["product"] and options["namespace"]:
        return options["product"], options["namespace"]
    from watchbill.charts.engine import Engine
    from watchbill.charts.process import Limits
    from watchbill.deploy import reading

    try:
        with Engine(Limits(), session.take_engine()) as engine:
            bill = reading.read(engine, options["file"])
    except UserError as error:
        if not options["product"]:
            raise
        what = f"the namespace of {options['product']} is unknown: {error.what}"
        raise UserError(
            what, where=error.where, then="add -n NAMESPACE, or name the bill with --bill"
        ) from None
    return options["product"] or bill.product, options["namespace"] or bill.default_namespace


def _say_json(session: Session, what: object) -> None:
    import msgspec

    session.say(msgspec.json.encode(what).decode())


def _row(one: "Summary") -> list[str]:
    from watchbill.cli.deploy_lines import styled

    took = durations.told(one.seconds) if one.seconds else ""
    started = one.started[:19].replace("T", " ")
    return [
        str(one.number),
        started,
        one.who,
        one.from_version or "nothing",
        one.version,
        styled(one.status),
        took,
        one.reason.partition("\n")[0][:80],
    ]


def told(deploy: "Deploy", *, logs: bool) -> Iterator[str]:
    from watchbill.cli.deploy_lines import styled
    from watchbill.cli.deploy_text import chosen
    from watchbill.report.table import table

    yield f"deploy {deploy.number} of {deploy.product}: {deploy.from_version or 'nothing'} → {deploy.version}{chosen(deploy)}"
    yield f"{styled(deploy.status)} after {durations.told(deploy.seconds)}; begun {deploy.started} by {deploy.who}, operation {deploy.operation}"
    if deploy.reason:
        yield from (f"  {line}" for line in deploy.reason.splitlines())
    rows = [[one.name, styled(one.status), durations.told(one.seconds), ""] for one in deploy.stages]
    for component in deploy.components:
        note = component.reason.partition("\n")[0] or (
            f"revision {component.revision}" if component.revision else ""
        )
        rows.append(
            [f"  {component.name}", styled(component.status), durations.told(component.seconds), note]
        )
    rows += (
        [f"  {job.moment} {job.identity}", styled(job.status), durations.told(job.seconds), job.reason]
        for job in deploy.jobs
    )
    yield ""
    yield from table(rows)
    for job in deploy.jobs:
        if job.guide:
            yield ""
            yield f"what {job.identity} left to you:"
            yield from (f"  {line}" for line in job.guide.splitlines())
    if not logs:
        return
    for name, log in (
        *((job.identity, job.log) for job in deploy.jobs),
        *((one.name, one.log) for one in deploy.components),
    ):
        if log:
            yield ""
            yield click.style(name, bold=True)
            yield from (f"  {line}" for line in log)
    if deploy.cut:
        yield ""
        yield click.style(f"{deploy.cut} lines of logs were left out: more than can be kept", dim=True)
