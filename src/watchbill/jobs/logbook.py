"""What a job says: its last lines are kept, and all of them are told, in the event loop of who runs it."""

import asyncio
import contextlib
import logging
import threading
from collections import deque
from datetime import UTC, datetime

from watchbill.jobs.events import Logged, Progressed, Tell
from watchbill.jobs.plain import LONGEST, lines_of

KEPT = 200
# A job may write faster than anybody reads: what is not told yet is bounded.
MOST_PENDING = 2000


class Logbook(logging.Handler):
    """Written by any thread. Nothing is taken any more once it is closed: the outcome is told by then."""

    def __init__(self, identity: str, loop: asyncio.AbstractEventLoop, tell: Tell) -> None:
        super().__init__()
        self._identity = identity
        self._loop = loop
        self._tell = tell
        self._guard = threading.Lock()
        self._kept: deque[Logged] = deque(maxlen=KEPT)
        self._pending: deque[Logged | Progressed] = deque()
        self._untold = 0
        self._unfinished = ""  # the beginning of a line that is printed in pieces
        self._is_due = False
        self._is_closed = False
        # Not one of the loggers everybody shares: two deploys in one process are two.
        self.logger = logging.Logger(identity, logging.INFO)
        self.logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
            if record.exc_info:
                text += "\n" + logging.Formatter().formatException(record.exc_info)
        except Exception as error:  # noqa: BLE001  (%d of a text: the job must not fail for what it says)
            text = f"{record.msg} {record.args} (cannot be formatted: {error})"
        self.write(text, record.levelname)

    def write(self, text: str, level: str = "INFO") -> None:
        at = datetime.now(UTC)
        with self._guard:
            for line in lines_of(text):
                self._add(Logged(self._identity, at, level, line))

    def hear(self, text: str) -> None:
        """Take a piece of what the job prints. A line may come in several pieces."""
        with self._guard:
            *lines, rest = (self._unfinished + text).split("\n")
            if len(rest) > LONGEST:  # a progress bar never ends its line
                lines, rest = [*lines, rest], ""
            self._unfinished = rest
        if lines:
            self.write("\n".join(lines))

    def keep(self, line: str) -> None:
        """Keep a line that this or another job printed, and leave showing it to the caller."""
        with self._guard:
            if not self._is_closed:
                at = datetime.now(UTC)
                self._kept.extend(Logged(self._identity, at, "INFO", one) for one in lines_of(line))

    def progress(self, text: str, fraction: float | None) -> None:
        with self._guard:
            self._add(Progressed(self._identity, " ".join(lines_of(text)), fraction))

    def take(self) -> tuple[str, ...]:
        """The last lines, when all of them are told. In the event loop."""
        if self._unfinished:
            self.hear("\n")
        with self._guard:
            self._is_closed = True
        self._flush()
        return tuple(map(str, self._kept))

    def _add(self, event: Logged | Progressed) -> None:
        if self._is_closed:
            return
        if isinstance(event, Logged):
            self._kept.append(event)
        elif self._pending and isinstance(self._pending[-1], Progressed):
            self._pending.pop()  # nobody has seen it yet, and this is newer
        if len(self._pending) >= MOST_PENDING:
            self._pending.popleft()
            self._untold += 1
        self._pending.append(event)
        if not self._is_due:
            self._is_due = True
            with contextlib.suppress(RuntimeError):  # the event loop is closed: nobody listens any more
                self._loop.call_soon_threadsafe(self._flush)

    def _flush(self) -> None:
        with self._guard:
            pending, self._pending = self._pending, deque()
            untold, self._untold = self._untold, 0
            self._is_due = False
        if untold:
            told = f"({untold} lines came too fast to be shown)"
            self._tell(Logged(self._identity, datetime.now(UTC), "WARNING", told))
        for event in pending:
            self._tell(event)
