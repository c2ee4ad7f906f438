"""Commands as click has them: help that begins with examples, because that is what people look for, and options that are
made of ours."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click
from click.formatting import wrap_text
from click.shell_completion import CompletionItem

from watchbill.cli.completing import BY_METAVAR, complete_paths
from watchbill.cli.option import Between, OneOf, Option
from watchbill.cli.outputs import OutputIn
from watchbill.cli.session import COMMON, Session

F = TypeVar("F", bound=Callable[..., Any])


class HelpFormatter(click.HelpFormatter):
    """Help that fits narrow terminals too: click's own is never narrower than 50 columns, and keeps 30 for options."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        import shutil

        wanted = min(shutil.get_terminal_size().columns, max_width or 80) - 2
        super().__init__(indent_increment, width or max(wanted, 30), max_width)

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        super().write_dl(rows, col_max if self.width >= 60 else 4, col_spacing)


class HelpContext(click.Context):
    formatter_class = HelpFormatter


class HelpGroup(click.Group):
    context_class = HelpContext


class ExampleCommand(click.Command):
    context_class = HelpContext

    def __init__(self, *args: Any, examples: tuple[tuple[str, str], ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            write_examples(formatter, self.examples)
        formatter.write("\n")
        super().format_help(ctx, formatter)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[tuple[str, str]]) -> None:
    """Write commands with their meanings beside them, or below where that is too wide. Commands are never wrapped."""
    width = max(len(line) for line, _ in examples)
    beside = width + 4 + max(len(meaning) for _, meaning in examples) <= formatter.width + 2
    for line, meaning in examples:
        if beside:
            formatter.write(f"  {line:<{width}}  {meaning}\n")
        else:
            formatter.write(f"  {line}\n")
            formatter.write(wrap_text(meaning, formatter.width, "      ", "      ") + "\n")


def with_options(*options: Option) -> Callable[[F], F]:
    def add(function: F) -> F:
        for option in reversed(options):
            function = _made(option)(function)
        return function

    return add


def common_options(function: F) -> F:
    def remember(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value and parameter.name:
            setattr(ctx.find_object(Session), parameter.name, True)

    for option in COMMON:
        function = _made(option, expose_value=False, is_eager=True, callback=remember)(function)
    return function


def _made(option: Option, **more: Any) -> Callable[[F], F]:
    """What an option has by default is left to click: it tells in help what was given to it."""
    if option.default is not None:
        more["default"] = option.default
    if not option.switch:
        more["type"] = _type(option.read)
    if completer := complete_paths if option.called == "from_" else BY_METAVAR.get(option.metavar or ""):
        more["shell_complete"] = completer
    return click.option(
        *option.flags,
        option.called,
        help=option.help,
        metavar=option.metavar,
        show_default=option.show_default or None,
        multiple=option.many,
        is_flag=option.switch,
        **more,
    )


def _type(read: Callable[[str], Any]) -> click.ParamType[Any]:
    if isinstance(read, OneOf):
        return click.Choice(read.names)
    if isinstance(read, Between):
        return click.IntRange(read.least, read.most)
    if isinstance(read, OutputIn):
        return _OutputType(read)
    return click.STRING if read is str else _Read(read)


class _Read(click.ParamType[Any]):
    """What a function of ours reads, under the function's name."""

    def __init__(self, read: Callable[[str], Any]) -> None:
        self.name = read.__name__
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class _OutputType(_Read):
    """A format, completed from the names there are, and maybe a file."""

    def __init__(self, read: OutputIn) -> None:
        super().__init__(read.__call__)
        self._names = read.names

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in self._names if name.startswith(incomplete)]
