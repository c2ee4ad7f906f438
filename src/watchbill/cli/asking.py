"""Options of the commands that go through many charts: which versions of them, and in which surroundings."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from watchbill.cli.option import Option
from watchbill.cli.parameters import VALUES, RenderingOptions
from watchbill.errors import UserError

if TYPE_CHECKING:
    from watchbill.checking.plan import Request
    from watchbill.lifecycle.lab import Tool

# Which versions of charts.
VERSIONS = (
    Option(
        ("--from",),
        "The previous version: a directory, .tgz, git:REF, oci://... or repo/chart@1.2.0; with -m a file.",
        name="from_",
        default="",
        metavar="VERSION",
    ),
    Option(
        ("--since",),
        "Only charts that changed since REF, compared with the merge base.",
        default="",
        metavar="REF",
    ),
    Option(
        ("-m", "--manifests"),
        "Rendered manifests instead of charts; '-' is stdin.",
        many=True,
        metavar="FILE",
    ),
)
SURROUNDINGS = (
    Option(("--deps",), "Fetch missing dependencies with helm, into a cache.", switch=True),
    Option(
        ("--helm",),
        "The helm that fetches dependencies and previous versions.  [default: $HELM, or helm]",
        name="helm_path",
        metavar="PATH",
    ),
    Option(("--objects",), "Objects that templates find with `lookup`.", metavar="FILE"),
    Option(("--post-renderer",), "Command that changes the rendered manifests, as in helm.", metavar="CMD"),
    Option(
        ("--post-renderer-args",), "An argument of the post-renderer. Repeatable.", many=True, metavar="ARG"
    ),
    Option(("--config",), "Use this file instead of the nearest .watchbill.yaml.", metavar="FILE"),
)


def check_inputs(manifests: Sequence[str], from_: str, options: dict[str, Any]) -> None:
    """What can be wrong with options before anything is looked at."""
    if manifests and any(options[name] for name in VALUES):
        raise UserError(
            "values cannot be combined with rendered manifests",
            then="remove -f and --set, or name a chart instead of -m",
        )
    if [*manifests, from_, *options["values_files"]].count("-") > 1:
        raise UserError("stdin can be read only once", then="name a file for all but one '-'")
    if options.get("post_renderer_args") and not options["post_renderer"]:
        raise UserError(
            "--post-renderer-args needs --post-renderer", then="name the command: --post-renderer CMD"
        )


def charts_or_here(charts: Sequence[str], manifests: Sequence[str]) -> tuple[str, ...]:
    """The named charts; the current directory if neither charts nor manifests are named."""
    return tuple(charts) if charts or manifests else (os.curdir,)


def request(options: dict[str, Any], tools: "tuple[Tool, ...]", **more: Any) -> "Request":
    """What the options say, with what only one command has."""
    from watchbill.checking.inputs.subject import Asked
    from watchbill.checking.options import PostRendering
    from watchbill.checking.plan import Request

    check_inputs(options["manifests"], options["from_"], options)
    chosen = RenderingOptions(options)
    command = options["post_renderer"]
    return Request(
        asked=Asked(
            charts=charts_or_here(options["charts"], options["manifests"]),
            manifests=options["manifests"],
            from_=options["from_"],
            since=options["since"],
            deps=options["deps"],
            helm=options["helm_path"],
            follow_symlinks=chosen.follow_symlinks,
            skips_others=options.get("skip_others", False),
        ),
        tools=tools,
        context=chosen.context(),
        limits=chosen.limits,
        objects=options["objects"] or "",
        post_rendering=PostRendering(command, options["post_renderer_args"]) if command else None,
        depth=options["depth"],
        config=options["config"] or "",
        **more,
    )
