"""Parameters as Helm and kubectl have them, for every command that renders."""

import sys
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from watchbill.charts.process import Limits
from watchbill.cli.option import Option
from watchbill.durations import seconds
from watchbill.errors import UserError

if TYPE_CHECKING:
    from watchbill.charts.protocol import Context, ValuesFile

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


def duration(text: str) -> float:
    given = seconds(text)
    if given is None:
        raise ValueError(f"{text!r} is not a duration; write it like 90s, 5m or 1h30m")
    if not 0 < given <= _LONGEST:
        raise ValueError(f"{text!r} is not between 1s and 24h")
    return given


def size(text: str) -> int:
    number = text.rstrip("kKMGi")
    unit = text[len(number) :]
    if not number.isascii() or not number.isdecimal() or unit not in _SIZES:
        raise ValueError(f"{text!r} is not a size; write it like 512Mi or 1Gi")
    given = int(number) * _SIZES[unit]
    if not _LEAST_MEMORY <= given <= _MOST_MEMORY:
        raise ValueError(f"{text!r} is not between 64Mi and 1024Gi")
    return given


def rendering_options(*, without: Collection[str] = (), release: str = "release-name") -> tuple[Option, ...]:
    """What decides a render, under the names `helm template` gives them; a command may leave some out."""
    options = (
        Option(
            ("-f", "--values"),
            "Values from a YAML file; '-' is stdin.",
            name="values_files",
            many=True,
            metavar="FILE",
        ),
        _value("--set", "Set a value.", name="set_"),
        _value("--set-string", "Set a value as a string."),
        _value("--set-json", "Set a value from JSON."),
        _value("--set-file", "Set a value from a file's content."),
        _value("--set-literal", "Set a value literally, without parsing it."),
        Option(("-n", "--namespace"), "Namespace of the release.", default="default", show_default=True),
        Option(
            ("--release",),
            "Name of the release.",
            default=release,
            show_default=True if release else "the chart's name",
        ),
        Option(("--is-upgrade",), "Render as for an upgrade instead of an install.", switch=True),
        Option(
            ("--kube-version",), "Kubernetes version that the templates see.", default="", metavar="VERSION"
        ),
        Option(
            ("-a", "--api-versions"),
            "Additional API versions that the templates see.",
            many=True,
            metavar="API",
        ),
        Option(("--follow-symlinks",), "Follow links that lead out of the chart, as Helm does.", switch=True),
        Option(
            ("--helm",),
            "Render with this helm binary instead of the built-in library.",
            name="helm_path",
            metavar="PATH",
        ),
        Option(
            ("--timeout",),
            "Give up on a chart after this time.",
            default="5m",
            show_default=True,
            read=duration,
        ),
        Option(("--memory",), "Memory that rendering may use.", default="1Gi", show_default=True, read=size),
    )
    return tuple(option for option in options if option.flags[-1] not in without)


def _value(flag: str, text: str, name: str = "") -> Option:
    return Option((flag,), text, name=name, many=True, metavar="KEY=VALUE")


class RenderingOptions:
    """Those options, gathered."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.follow_symlinks: bool = options["follow_symlinks"]
        self.helm_path: str | None = options.get("helm_path")
        self.limits = Limits(options["timeout"], options["memory"])
        self._options = options
        _check_names(options["release"], options["namespace"])

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


def _check_names(release: str, namespace: str) -> None:
    from watchbill.rehearsal.script import check_namespace, check_release

    if release:
        check_release(release, "--release")
    check_namespace(namespace)


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
            raise UserError("stdin is closed", then=f"pipe the {what} in, or name a file") from None
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
