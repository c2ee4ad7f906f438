"""How far a run is: a line that changes on a terminal, one now and then elsewhere; never on stdout."""

import sys
import time
from types import TracebackType
from typing import Self

from watchbill import ticking

AFTER = 1.5  # seconds: who waits no longer does not wonder
EVERY = 10.0  # seconds, where lines stay


class Progress:
    """Used as a context manager, in which it tells by itself."""

    def __init__(self, done: str = "checked") -> None:
        self._word = done  # what is done with charts
        self._done = 0
        self._of = 0
        self._terminal = sys.stderr.isatty()
        self._started = self._told = time.monotonic()
        self._open = False
        self._ticks = ticking.Listening(self._tick)

    def __enter__(self) -> Self:
        self._ticks.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._ticks.__exit__()
        if self._open:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def tell(self, done: int, of: int) -> None:
        self._done, self._of = done, of

    def _tick(self) -> None:
        now = time.monotonic()
        if self._terminal and now - self._started > AFTER:
            sys.stderr.write(f"\r\x1b[K{self._words()}")
            sys.stderr.flush()
            self._open = True
        elif not self._terminal and now - self._told > EVERY:
            self._told = now
            sys.stderr.write(f"{self._words()}\n")
            sys.stderr.flush()

    def _words(self) -> str:
        count = f"{self._word} {self._done} of {self._of} charts; " if self._of > 1 else ""
        doing = f"{count}{ticking.at_work or 'reading charts'}"
        return doing if doing.isprintable() else count
