"""What all commands share in one run: the engine, colour, how errors are said."""

import codecs
import os
import sys
from contextlib import suppress
from typing import TextIO

from watchbill.charts.process import EngineProcess
from watchbill.cli.color import is_color_off, wants_color
from watchbill.cli.option import Option
from watchbill.errors import UserError
from watchbill.report.styles import style, unstyle

# Accepted before and after the command's name.
COMMON = (
    Option(("--debug",), "Show the traceback of a crash.", switch=True),
    Option(("--no-color",), "Never use colour, as with NO_COLOR set.", switch=True),
)


class Session:
    def __init__(self, spawned: EngineProcess | None = None) -> None:
        self._spawned = spawned
        self.debug = False
        self.no_color = is_color_off()

    @property
    def color(self) -> bool:
        """Whether stderr gets colours, for what click prints there."""
        return wants_color(sys.stderr, off=self.no_color)

    def take_engine(self) -> EngineProcess | None:
        """The engine that was started early, for whoever asks first."""
        spawned, self._spawned = self._spawned, None
        return spawned

    def say(self, text: str = "") -> None:
        """Print a result. Whoever reads our output may go away, a disk may be full."""
        try:
            self._write(sys.stdout, text)
        except BrokenPipeError:
            discard_output()
            raise
        except OSError as error:
            discard_output()
            raise UserError(f"the output cannot be written: {error.strerror}") from None

    def complain(self, text: str) -> None:
        self.mention(f"{style('error:', fg='red', bold=True)} {text}")

    def mention(self, text: str) -> None:
        """Print on stderr. Where that cannot be written, nobody can be told: the exit code has to do."""
        with suppress(OSError):
            self._write(sys.stderr, text)

    def _write(self, to: TextIO, text: str) -> None:
        text = text if wants_color(to, off=self.no_color) else unstyle(text)
        if _is_ascii(to):  # nobody chose that
            to.buffer.write(f"{text}\n".encode("utf-8", "replace"))
        else:
            to.write(f"{text}\n")
        to.flush()

    def close(self) -> None:
        if spawned := self.take_engine():
            spawned.kill()


def _is_ascii(stream: TextIO) -> bool:
    return bool(stream.encoding) and codecs.lookup(stream.encoding).name == "ascii"


def discard_output() -> None:
    """Discard what is left in the buffer of stdout, and all that follows."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
