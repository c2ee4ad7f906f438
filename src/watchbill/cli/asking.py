"""Options of the commands that go through many charts: which versions of them, and in which surroundings."""

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
        "The version before: a directory, .tgz, git:REF, oci://... or repo/chart@1.2.0; with -m a file.",
        name="from_",
        default="",
        metavar="VERSION",
    ),
    Option(("--since",), "Charts that changed since, each from its merge base.", default="", metavar="REF"),
    Option(
        ("-m", "--manifests"),
        "Rendered manifests instead of charts; '-' is stdin.",
        many=True,
        metavar="FILE",
    ),
)
SURROUNDINGS = (
    Option(("--deps",), "Let helm fetch missing dependencies into a cache.", switch=True),
    Option(
        ("--helm",),
        "The helm that fetches dependencies and older versions.  [default: $HELM, or helm]",
        name="helm_path",
        metavar="PATH",
    ),
    Option(("--objects",), "Objects that `lookup` finds in the cluster.", metavar="FILE"),
    Option(("--post-renderer",), "A command between rendering and the tool, as helm has it.", metavar="CMD"),
    Option(("--post-renderer-args",), "Its arguments, one each.", many=True, metavar="ARG"),
    Option(("--config",), "Settings instead of the nearest .watchbill.yaml.", metavar="FILE"),
)


def check_inputs(manifests: Sequence[str], from_: str, options: dict[str, Any]) -> None:
    """What can be wrong with options before anything is looked at."""
    from watchbill.rehearsal.script import check_release

    if manifests and any(options[name] for name in VALUES):
        raise UserError(
            "values are given, and manifests that are rendered already",
            then="leave out -f and --set, or name a chart instead of -m",
        )
    if [*manifests, from_, *options["values_files"]].count("-") > 1:
        raise UserError("stdin can be read only once", then="name a file for all but one '-'")
    if options["release"]:
        check_release(options["release"])


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
            charts=options["charts"],
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
