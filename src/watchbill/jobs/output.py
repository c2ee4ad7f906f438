"""Sends what jobs print into their logs, so that it does not mix with the lines that Watchbill itself writes.

Jobs print with print(), through a library's loggers, and by programs that they start. Inside `capturing`, file
descriptors 1 and 2 lead into a pipe that a thread reads, and `sys.stdout` and `sys.stderr` find the writing job in the
current context. Watchbill's own lines come from the main thread and go where they always went. A line in the pipe comes
from a program: if exactly one job runs, it belongs to that job; otherwise all running jobs keep it.
"""

import asyncio
import contextlib
import io
import itertools
import logging
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, TextIO

from watchbill.jobs.logbook import Logbook

speaking: ContextVar[Logbook | None] = ContextVar("speaking", default=None)  # of the job that runs here

Hear = Callable[[str], None]
_MARK = re.compile(rb"\0watchbill (\d+)\0")
_SECONDS_TO_DRAIN = 1.0
# Their INFO lines report each request, and jobs send many.
_CHATTY = ("httpx", "httpcore", "asyncio")
_capture: "_Capture | None" = None


@contextlib.contextmanager
def capturing(hear: Hear) -> Iterator[None]:
    """Capture what jobs print. `hear` gets each line that could be of several jobs, in the running event loop."""
    global _capture  # noqa: PLW0603  (a process has one stdout)
    capture = _Capture(hear, asyncio.get_running_loop())
    _capture = capture
    capture.start()
    try:
        yield
    finally:
        capture.stop()
        _capture = None


@contextlib.contextmanager
def listening(book: Logbook) -> Iterator[None]:
    """Send what the job prints here into its book, including what its threads and tasks print."""
    token = speaking.set(book)
    capture = _capture
    if capture is not None:
        capture.books.append(book)
    try:
        yield
    finally:
        if capture is not None:
            capture.books.remove(book)
        speaking.reset(token)


def drained() -> "asyncio.Future[None]":
    """Return a future that is done once everything written so far has been read."""
    future = asyncio.get_running_loop().create_future()
    if _capture is None:
        future.set_result(None)
    else:
        _capture.mark(future)
    return future


def terminal() -> TextIO:
    """Return the stream for Watchbill's own lines, for any thread."""
    return _capture.own[0] if _capture is not None else sys.stdout


class _Capture:
    def __init__(self, hear: Hear, loop: asyncio.AbstractEventLoop) -> None:
        self.books: list[Logbook] = []
        self._hear = hear
        self._loop = loop
        self._numbers = itertools.count(1)
        self._marks: dict[int, asyncio.Future[None]] = {}
        self._unfinished = ""
        self._guard = threading.Lock()

    def start(self) -> None:
        self._before = (sys.stdout, sys.stderr)
        for stream in self._before:
            stream.flush()
        reading, self._writing = os.pipe()
        self.own = (_duplicate(1, sys.stdout), _duplicate(2, sys.stderr))
        for descriptor in (1, 2):
            os.dup2(self._writing, descriptor)
        sys.stdout, sys.stderr = (_Stream(self, own, at) for at, own in enumerate(self.own, 1))
        self._reader = threading.Thread(target=self._read, args=(reading,), daemon=True)
        self._reader.start()
        root = logging.getLogger()
        self._handlers, self._level = list(root.handlers), root.level
        # A handler of logging.basicConfig would write each line into the pipe a second time.
        for handler in self._handlers:
            if type(handler) is logging.StreamHandler:
                root.removeHandler(handler)
        self._records = _Records(self)
        root.addHandler(self._records)
        root.setLevel(min(self._level, logging.INFO))

    def stop(self) -> None:
        root = logging.getLogger()
        root.removeHandler(self._records)
        root.setLevel(self._level)
        for handler in self._handlers:
            if handler not in root.handlers:
                root.addHandler(handler)
        for stream in self._before:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()  # a library may have kept the stream: its lines go into the pipe
        sys.stdout, sys.stderr = self._before
        for descriptor, own in enumerate(self.own, 1):
            os.dup2(own.fileno(), descriptor)
            with contextlib.suppress(OSError):  # the terminal is gone, or the disk full
                own.close()
        os.close(self._writing)
        # A program that a job left running may keep the pipe open.
        self._reader.join(_SECONDS_TO_DRAIN)

    def mark(self, future: "asyncio.Future[None]") -> None:
        number = next(self._numbers)
        self._marks[number] = future
        os.write(self._writing, b"\0watchbill %d\0" % number)

    def take(self, text: str) -> None:
        """Handle text that came through the pipe."""
        with self._guard:
            *lines, self._unfinished = (self._unfinished + text).split("\n")
        for line in lines:
            self._attribute(line)

    def _attribute(self, line: str) -> None:
        books = list(self.books)
        if len(books) == 1:
            books[0].write(line)
            return
        for book in books:
            book.keep(line)
        self._call(self._hear, line)

    def _read(self, reading: int) -> None:
        rest = b""
        while data := os.read(reading, 1 << 16):
            rest += data
            while found := _MARK.search(rest):
                self.take(rest[: found.start()].decode(errors="replace"))
                rest = rest[found.end() :]
                self._call(_settle, self._marks.pop(int(found[1]), None))
            end = rest.rfind(b"\n") + 1
            self.take(rest[:end].decode(errors="replace"))
            rest = rest[end:]
        self.take(f"{rest.decode(errors='replace')}\n" if rest or self._unfinished else "")
        os.close(reading)

    def _call(self, function: Callable[..., None], *args: object) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            self._loop.call_soon_threadsafe(function, *args)


class _Stream(io.TextIOBase):
    """Replaces `sys.stdout` or `sys.stderr`. A job cannot close it."""

    def __init__(self, capture: _Capture, own: TextIO, descriptor: int) -> None:
        self._capture = capture
        self._own = own
        self._descriptor = descriptor

    def write(self, text: str) -> int:
        if _is_main():
            return self._own.write(text)
        book = speaking.get()
        if book is not None:
            book.hear(text)
        else:
            self._capture.take(text)
        return len(text)

    def flush(self) -> None:
        if _is_main():
            self._own.flush()

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return _is_main() and self._own.isatty()

    def fileno(self) -> int:
        return self._own.fileno() if _is_main() else self._descriptor

    def close(self) -> None:
        return

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._own.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._own.errors

    @property
    def buffer(self) -> Any:
        return self._own.buffer if _is_main() else _Bytes(self)


class _Bytes(io.RawIOBase):
    """`sys.stdout.buffer` of a job."""

    def __init__(self, stream: _Stream) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(bytes(data).decode(errors="replace"))
        return len(data)


class _Records(logging.Handler):
    """Handles records of libraries' loggers; `ctx.log` writes into its job's book directly."""

    def __init__(self, capture: _Capture) -> None:
        super().__init__()
        self._capture = capture

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno < logging.WARNING and record.name.startswith(_CHATTY):
            return
        book = speaking.get()
        if book is not None and not _is_main():
            book.emit(record)
        elif record.levelno >= logging.WARNING:
            self._capture.take(f"{record.levelname} {record.name}: {record.getMessage()}\n")


def _is_main() -> bool:
    """Whether Watchbill itself writes: no job runs in the main thread, even if a callback there has a job's context."""
    return threading.current_thread() is threading.main_thread()


def _duplicate(descriptor: int, like: TextIO) -> TextIO:
    """Return another stream to the same place."""
    return open(
        os.dup(descriptor),
        "w",
        encoding=like.encoding,
        errors=like.errors,
        buffering=1,
    )


def _settle(future: "asyncio.Future[None] | None") -> None:
    if future is not None and not future.done():
        future.set_result(None)
