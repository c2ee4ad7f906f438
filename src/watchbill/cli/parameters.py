"""Parameters as Helm and kubectl have them, for every command that renders."""

import re
import sys
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, TypeVar

import click

from watchbill.charts.process import Limits
from watchbill.durations import seconds
from watchbill.errors import UserError

if TYPE_CHECKING:
    from watchbill.charts.protocol import Context, ValuesFile

F = TypeVar("F", bound=Callable[..., Any])

VALUES = (
    "values_files",
    "set_",
    "set_string",
    "set_json",
    "set_file",
    "set_literal",
)  # options that give some
_LONGEST = 24 * 3600
_LEAST_MEMORY, _MOST_MEMORY = 64 << 20, 1 << 40
_SIZES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


class Duration(click.ParamType[float]):
    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        given = seconds(value)
        if given is None:
            self.fail(f"{value!r} is no duration; write it like 90s, 5m or 1h30m", param, ctx)
        if not 0 < given <= _LONGEST:
            self.fail(f"{value!r} is not between 1s and 24h", param, ctx)
        return given


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


def rendering_options(*, without: Collection[str] = (), release: str = "release-name") -> Callable[[F], F]:
    """What decides a render, under the names `helm template` gives them; a command may leave some out."""
    many: dict[str, Any] = {"multiple": True, "metavar": "KEY=VALUE"}
    options: dict[str, dict[str, Any]] = {
        "-f/--values": {
            "multiple": True,
            "metavar": "FILE",
            "help": "Values from a YAML file, or from stdin with '-'.",
        },
        "--set": {**many, "help": "Set a value."},
        "--set-string": {**many, "help": "Set a value as a string."},
        "--set-json": {**many, "help": "Set a value from JSON."},
        "--set-file": {**many, "help": "Set a value from a file's content."},
        "--set-literal": {**many, "help": "Set a value as it stands, nothing interpreted."},
        "-n/--namespace": {"default": "default", "show_default": True, "help": "Namespace of the release."},
        "--release": {
            "default": release,
            "show_default": True if release else "the chart's name",
            "help": "Name of the release.",
        },
        "--is-upgrade": {"is_flag": True, "help": "Render as for an upgrade instead of an install."},
        "--kube-version": {
            "default": "",
            "metavar": "VERSION",
            "help": "Kubernetes version the templates see.",
        },
        "-a/--api-versions": {
            "multiple": True,
            "metavar": "API",
            "help": "API versions the templates see, besides Helm's own list.",
        },
        "--follow-symlinks": {
            "is_flag": True,
            "help": "Follow links that leave the chart (Helm always does).",
        },
        "--helm": {
            "metavar": "PATH",
            "help": "Render with this helm binary instead of the built-in library.",
        },
        "--timeout": {
            "type": Duration(),
            "default": "60s",
            "show_default": True,
            "help": "Give up rendering after this time.",
        },
        "--memory": {
            "type": Size(),
            "default": "1Gi",
            "show_default": True,
            "help": "Memory that rendering may use.",
        },
    }
    names = {"--values": "values_files", "--set": "set_", "--helm": "helm_path"}

    def add(function: F) -> F:
        for flags, settings in reversed(options.items()):
            *short, name = flags.split("/")
            if name not in without:
                called = names.get(name, name.removeprefix("--").replace("-", "_"))
                function = click.option(*short, name, called, **settings)(function)
        return function

    return add


class RenderingOptions:
    """Those options, gathered."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.follow_symlinks: bool = options["follow_symlinks"]
        self.helm_path: str | None = options.get("helm_path")
        self.limits = Limits(options["timeout"], options["memory"])
        self._options = options

    def context(self) -> "Context":
        from watchbill.charts.protocol import Context, Values

        options = self._options
        return Context(
            release=options["release"],
            namespace=options["namespace"],
            upgrade=options.get("is_upgrade", False),
            revision=2 if options.get("is_upgrade") else 1,
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


def read_text(path: str, what: str) -> str:
    """A file of the user's, or stdin with '-'. `what` it holds, in the words of an error."""
    try:
        return read_bytes(path, what).decode()
    except UnicodeDecodeError:
        raise UserError(f"the {what} {_place(path)} are not valid UTF-8") from None


def read_bytes(path: str, what: str) -> bytes:
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except (AttributeError, OSError, ValueError) as error:  # Python has no stdin where it was closed
        if path == "-":
            raise UserError(
                "there is nothing to read on stdin", then=f"pipe the {what} in, or name a file"
            ) from None
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(
            f"{path}: the {what} cannot be read: {reason}", then="name a file, or '-' for stdin"
        ) from None


def _place(path: str) -> str:
    return "on stdin" if path == "-" else f"in {path}"


def _values_file(path: str) -> "ValuesFile":
    from watchbill.charts.protocol import ValuesFile

    if path == "-":
        return ValuesFile(path="-", text=read_text("-", "values"))
    return ValuesFile(path=path)
