"""How far a long run is: a line that changes on a terminal, one now and then elsewhere; never on stdout."""

import sys
import time
from types import TracebackType
from typing import Self

FEW = 3  # charts: done before anybody wonders
EVERY = 10.0  # seconds, where lines stay


class Progress:
    def __init__(self, done: str = "checked") -> None:
        self._done = done  # what is done with charts
        self._terminal = sys.stderr.isatty()
        self._told = time.monotonic()
        self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._open:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def tell(self, done: int, of: int, newest: str) -> None:
        if of <= FEW:
            return
        if self._terminal:
            sys.stderr.write(f"\r\x1b[K{done}/{of}  {newest if newest.isprintable() else ''}")
            sys.stderr.flush()
            self._open = True
        elif time.monotonic() - self._told > EVERY:
            self._told = time.monotonic()
            sys.stderr.write(f"{self._done} {done} of {of} charts\n")
            sys.stderr.flush()
