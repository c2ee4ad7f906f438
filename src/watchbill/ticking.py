"""Interrupts work twice a second to tell how far it is, or to end it when its time is up.

A timer of the process does that, not a thread: workers are forked, and threads do not survive that.
"""

import time

# `signal` itself makes enumerations of all signals, which takes a millisecond.
from _signal import (  # type: ignore[import-not-found]
    ITIMER_REAL,
    SIG_DFL,
    SIGALRM,
    setitimer,
    signal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 0.5

_listeners: "list[Callable[[], None]]" = []
at_work = ""  # what the program does, in a few words


class OutOfTime(BaseException):
    """Raised wherever the program is when its time is up; nobody who means another error catches it."""


class Listening:
    """A block in which `listener` is called twice a second. Only in the main thread: others get no signals."""

    def __init__(self, listener: "Callable[[], None]") -> None:
        self._listener = listener
        self._is_on = False

    def __enter__(self) -> None:
        try:
            signal(SIGALRM, _tick)
        except ValueError:  # another thread
            return
        self._is_on = True
        _listeners.append(self._listener)
        setitimer(ITIMER_REAL, SECONDS, SECONDS)

    def __exit__(self, *_: object) -> None:
        if not self._is_on:
            return
        _listeners.remove(self._listener)
        if not _listeners:
            setitimer(ITIMER_REAL, 0)
            signal(SIGALRM, SIG_DFL)


def limit(seconds: float) -> Listening:
    """Return a block that ends with `OutOfTime` after this time."""
    ends = [time.monotonic() + seconds]

    def raise_once() -> None:
        if ends and time.monotonic() > ends[0]:
            ends.clear()  # who is told has time to put away what there is
            raise OutOfTime

    return Listening(raise_once)


def now_at(what: str) -> None:
    global at_work  # noqa: PLW0603 - one program does one thing at a time
    at_work = what


def forget() -> None:
    """In a forked process: what its parent listened for is not its business."""
    _listeners.clear()


def _tick(*_: object) -> None:
    for listener in tuple(_listeners):
        listener()
