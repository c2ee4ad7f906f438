"""Parameters as Helm and kubectl have them, for every command that renders."""

import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from watchbill.charts.process import Limits
from watchbill.errors import UserError

if TYPE_CHECKING:
    from watchbill.charts.protocol import Context, ValuesFile

F = TypeVar("F", bound=Callable[..., Any])

_UNITS = {"s": 1, "m": 60, "h": 3600}
_LONGEST = 24 * 3600
_LEAST_MEMORY, _MOST_MEMORY = 64 << 20, 1 << 40
_SIZES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


class Duration(click.ParamType[float]):
    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        parts = re.findall(r"(\d+(?:\.\d+)?)([smh])", value)
        if not parts or "".join(number + unit for number, unit in parts) != value:
            self.fail(f"{value!r} is no duration; write it like 90s, 5m or 1h30m", param, ctx)
        seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
        if not 0 < seconds <= _LONGEST:
            self.fail(f"{value!r} is not between 1s and 24h", param, ctx)
        return seconds


class Size(click.ParamType[int]):
    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+)([kMG]i?|Ki)?", value)
        if not match:
            self.fail(f"{value!r} is no size; write it like 512Mi or 1Gi", param, ctx)
        size = int(match[1]) * _SIZES[match[2] or ""]
        if not _LEAST_MEMORY <= size <= _MOST_MEMORY:
            self.fail(f"{value!r} is not between 64Mi and 1024Gi", param, ctx)
        return size


def rendering_options(function: F) -> F:
    """What decides a render, under the names `helm template` gives them."""
    many: dict[str, Any] = {"multiple": True, "metavar": "KEY=VALUE"}
    options = (
        click.option(
            "-f",
            "--values",
            "values_files",
            multiple=True,
            metavar="FILE",
            help="Values from a YAML file, or from stdin with '-'.",
        ),
        click.option("--set", "set_", **many, help="Set a value."),
        click.option("--set-string", **many, help="Set a value as a string."),
        click.option("--set-json", **many, help="Set a value from JSON."),
        click.option("--set-file", **many, help="Set a value from a file's content."),
        click.option("--set-literal", **many, help="Set a value as it stands, nothing interpreted."),
        click.option(
            "-n", "--namespace", default="default", show_default=True, help="Namespace of the release."
        ),
        click.option("--release", default="release-name", show_default=True, help="Name of the release."),
        click.option("--is-upgrade", is_flag=True, help="Render as for an upgrade instead of an install."),
        click.option(
            "--kube-version", default="", metavar="VERSION", help="Kubernetes version the templates see."
        ),
        click.option(
            "-a",
            "--api-versions",
            multiple=True,
            metavar="API",
            help="API versions the templates see, besides Helm's own list.",
        ),
        click.option(
            "--follow-symlinks", is_flag=True, help="Follow links that leave the chart (Helm always does)."
        ),
        click.option(
            "--helm",
            "helm_path",
            metavar="PATH",
            help="Render with this helm binary instead of the built-in library.",
        ),
        click.option(
            "--timeout",
            type=Duration(),
            default="60s",
            show_default=True,
            help="Give up rendering after this time.",
        ),
        click.option(
            "--memory", type=Size(), default="1Gi", show_default=True, help="Memory that rendering may use."
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


class RenderingOptions:
    """Those options, gathered."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.follow_symlinks: bool = options["follow_symlinks"]
        self.helm_path: str | None = options["helm_path"]
        self.limits = Limits(options["timeout"], options["memory"])
        self._options = options

    def context(self) -> "Context":
        from watchbill.charts.protocol import Context, Values

        options = self._options
        return Context(
            release=options["release"],
            namespace=options["namespace"],
            upgrade=options["is_upgrade"],
            revision=2 if options["is_upgrade"] else 1,
            values=Values(
                files=tuple(_values_file(path) for path in options["values_files"]),
                set_json=options["set_json"],
                set=options["set_"],
                set_string=options["set_string"],
                set_file=options["set_file"],
                set_literal=options["set_literal"],
            ),
            kube_version=options["kube_version"],
            api_versions=tuple(api for given in options["api_versions"] for api in given.split(",")),
        )


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except (AttributeError, OSError):  # Python has no stdin where it was closed
        raise UserError(
            "there is nothing to read on stdin", then="pipe the values in, or name a file"
        ) from None
    except UnicodeDecodeError:
        raise UserError("the values on stdin are not valid UTF-8") from None


def _values_file(path: str) -> "ValuesFile":
    from watchbill.charts.protocol import ValuesFile

    if path == "-":
        return ValuesFile(path="-", text=_stdin())
    return ValuesFile(path=path)
