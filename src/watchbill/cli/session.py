"""What all commands share in one run: the engine, colour, how errors are said."""

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from watchbill.charts.process import EngineProcess
from watchbill.errors import UserError

F = TypeVar("F", bound=Callable[..., Any])


class Session:
    def __init__(self, spawned: EngineProcess | None = None) -> None:
        self._spawned = spawned
        self.debug = False
        self.no_color = bool(os.environ.get("NO_COLOR"))

    @property
    def color(self) -> bool | None:
        """As click wants it: False for never, None for only on a terminal."""
        return False if self.no_color else None

    def take_engine(self) -> EngineProcess | None:
        """The engine that was started early, for whoever asks first."""
        spawned, self._spawned = self._spawned, None
        return spawned

    def say(self, text: str = "") -> None:
        """Prints a result. Whoever reads our output may go away, a disk may be full."""
        try:
            click.echo(text, color=self.color)
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
            raise
        except OSError as error:
            discard_output()
            raise UserError(f"the output cannot be written: {error.strerror}") from None

    def complain(self, text: str) -> None:
        head, newline, rest = text.partition("\n")
        click.echo(
            f"{click.style('error:', fg='red', bold=True)} {head}{newline}{rest}", err=True, color=self.color
        )

    def close(self) -> None:
        if spawned := self.take_engine():
            spawned.kill()


def discard_output() -> None:
    """So that nothing is tried, and complained about, once more when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def common_options(function: F) -> F:
    """`--no-color` and `--debug`, accepted before and after the command's name."""

    def remember(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value and parameter.name:
            setattr(ctx.find_object(Session), parameter.name, True)

    for name, text in (
        ("--debug", "Show the traceback of a crash."),
        ("--no-color", "No colour, also on a terminal (as with NO_COLOR set)."),
    ):
        function = click.option(
            name, is_flag=True, expose_value=False, is_eager=True, callback=remember, help=text
        )(function)
    return function
