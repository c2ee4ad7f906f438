"""The engine as a process: started, written to, read from with a deadline, killed.

Uses os and select alone, because `__main__` starts the engine before it imports anything heavier; the
engine then loads while Python does. Template code cannot be interrupted, so to stop it is to kill it.
"""

import os
import select
import time

BINARY = os.path.join(os.path.dirname(__file__), "_engine", "watchbill-engine")
# The same everywhere; `signal` makes enumerations of all signals when it is imported.
SIGINT = 2
SIGKILL = 9
READ_SIZE = 1 << 16  # as much as a pipe holds
LAST_WORDS = 1 << 20


class Limits:
    """What one request may cost."""

    __slots__ = ("memory", "seconds")

    def __init__(self, seconds: float = 60.0, memory: int = 1 << 30) -> None:
        self.seconds = seconds
        self.memory = memory


class TimedOut(Exception):  # noqa: N818
    """No complete answer within the limit; the process is dead."""


class Died(Exception):  # noqa: N818
    """The process ended by itself; carries what it wrote to stderr and the signal that ended it (0: none)."""

    def __init__(self, stderr: str, signal: int) -> None:
        super().__init__(stderr)
        self.stderr = stderr
        self.signal = signal


class EngineProcess:
    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        stdin, self._to = os.pipe()
        self._from, stdout = os.pipe()
        self._errors, stderr = os.pipe()
        try:
            self.pid = os.posix_spawn(
                BINARY,
                [BINARY, "-memory", str(limits.memory)],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, stdin, 0),
                    (os.POSIX_SPAWN_DUP2, stdout, 1),
                    (os.POSIX_SPAWN_DUP2, stderr, 2),
                ],
                setsigmask=[SIGINT],  # Ctrl-C is for us; the engine ends when its pipe does
            )
        finally:
            for fd in (stdin, stdout, stderr):
                os.close(fd)
        self._buffer = b""
        self._stderr = b""
        self._alive = True

    def write(self, line: bytes) -> None:
        data = memoryview(line + b"\n")
        try:
            while data:
                data = data[os.write(self._to, data) :]
        except BrokenPipeError:
            raise self._died() from None

    def read_line(self, deadline: float) -> bytes:
        """The next line of output; `deadline` is on time.monotonic()'s clock."""
        parts: list[bytes] = []
        while True:
            head, newline, rest = self._buffer.partition(b"\n")
            if newline:
                self._buffer = rest
                return b"".join([*parts, head])
            parts.append(self._buffer)
            self._buffer = self._read_some(deadline)

    def _read_some(self, deadline: float) -> bytes:
        poll = select.poll()
        poll.register(self._from, select.POLLIN)
        poll.register(self._errors, select.POLLIN)
        while True:
            left = deadline - time.monotonic()
            ready = {fd for fd, _ in poll.poll(max(left, 0) * 1000)} if left > 0 else set()
            if not ready:
                self.kill()
                raise TimedOut
            if self._errors in ready:
                said = os.read(self._errors, READ_SIZE)
                self._stderr = (self._stderr + said)[-LAST_WORDS:]
                if not said:
                    poll.unregister(self._errors)
            if self._from in ready:
                data = os.read(self._from, READ_SIZE)
                if not data:
                    raise self._died()
                return data

    def _died(self) -> Died:
        signal = 0
        if self._alive:
            while said := os.read(self._errors, READ_SIZE):
                self._stderr = (self._stderr + said)[-LAST_WORDS:]
            signal = os.WTERMSIG(os.waitpid(self.pid, 0)[1])
            self._close()
        return Died(self._stderr.decode("utf-8", "replace"), signal)

    def kill(self) -> None:
        if not self._alive:
            return
        self._close()
        os.kill(self.pid, SIGKILL)  # a child that has ended stays a zombie until the next line
        os.waitpid(self.pid, os.WNOHANG)  # to wait for one that is still dying takes as long as to render

    def _close(self) -> None:
        self._alive = False
        for fd in (self._to, self._from, self._errors):
            os.close(fd)
