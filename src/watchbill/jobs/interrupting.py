"""Runs the import of the user's modules so that signals interrupt it and its output does not mix with results."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """A signal arrived. Unlike KeyboardInterrupt, the user's code does not raise this itself."""


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Raise Interrupted on SIGINT and SIGTERM. An event loop's handlers would wait until this block returns."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: FrameType | None) -> None:
        signal.signal(
            number, signal.SIG_DFL
        )  # a second signal ends the process even if the code catches the first
        raise Interrupted

    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextlib.contextmanager
def printing_aside() -> Iterator[None]:
    """Send what this block and its programs print to stderr, because stdout is for results."""
    sys.stdout.flush()
    stdout = os.dup(1)
    try:
        os.dup2(2, 1)
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
