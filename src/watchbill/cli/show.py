"""`watchbill show CHART`: the Jobs, CronJobs and hooks of a chart, as Helm sees them."""

from typing import Any

import click

from watchbill.cli.command import ExampleCommand, common_options, with_options
from watchbill.cli.parameters import RenderingOptions, rendering_options
from watchbill.cli.session import Session


@click.command(
    "show",
    cls=ExampleCommand,
    examples=(
        ("watchbill show ./chart", "with the chart's default values"),
        ("watchbill show ./chart -f prod.yaml --set image.tag=2.0", "with your values, as for helm install"),
        ("watchbill show chart-1.2.0.tgz -o json | jq .items", "for scripts"),
    ),
)
@click.argument("chart", type=click.Path())
@with_options(*rendering_options())
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
def command(session: Session, /, chart: str, output: str, **options: Any) -> None:
    """List a chart's Jobs, CronJobs and hooks.

    Says when each runs, in which order, what deletes it and which template line makes it. Also lists the documents
    that Helm drops silently."""
    from watchbill.charts.chart import load
    from watchbill.charts.engine import Engine
    from watchbill.charts.overview import overview

    chosen = RenderingOptions(options)
    context = chosen.context()
    with Engine(chosen.limits, session.take_engine()) as engine:
        loaded = load(engine, chart, follow_symlinks=chosen.follow_symlinks)
        if chosen.helm_path:
            from watchbill.charts.helm_binary import render_twice

            rendering = render_twice(engine, chosen.helm_path, loaded, context, chosen.limits.seconds)
        else:
            from msgspec.structs import replace

            from watchbill.charts.render import render_one

            rendering = render_one(engine, loaded, replace(context, lines=True))
    seen = overview(loaded, rendering)
    if output == "json":
        import msgspec

        session.say(msgspec.json.format(msgspec.json.encode(seen), indent=2).decode())
    else:
        from watchbill.cli.show_text import lines
        from watchbill.cli.width import terminal_width

        session.say("\n".join(lines(seen, terminal_width())))
        if chosen.helm_path:
            session.say(
                click.style("with --helm, dropped documents and template lines are not known", dim=True)
            )
