"""One helm process: its lines as they come, its end, and how it is stopped."""

import asyncio
import contextlib
import os
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from watchbill.errors import UserError
from watchbill.helm.requests import Done
from watchbill.patterns import regex

Tell = Callable[[str], None]

_LOGIN = regex(r"(?<=://)[^/\s@]+@")
_REVISION = regex(r"REVISION: (\d+)")
# The server repeats a whole pod template before it says what is wrong with it: nobody reads that, and it may hold secrets.
_DUMP = regex(r"(?<=Invalid value: )[\w.*&\[\]]*\{.*?\}(?=: )")
# What follows is written for the person at the terminal, and is where charts print their passwords.
_SECTIONS = frozenset({"NOTES:", "HOOKS:", "MANIFEST:", "USER-SUPPLIED VALUES:", "COMPUTED VALUES:"})
_KEPT_LINES = 200
_LONGEST_LINE = 4000  # that is kept; of what helm writes in one line more may be a dump
_LONGEST_WRITTEN = 1 << 18
_SECONDS_FOR_LAST_WORDS = 3.0


class _Said:
    """What a process prints, as far as it is anybody's business."""

    def __init__(self, tell: Tell) -> None:
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self.revision = 0
        self._tell = tell

    def hear(self, text: str) -> None:
        if found := _REVISION.fullmatch(text):
            self.revision = int(found[1])
        if text:
            public = _DUMP.sub("…", _LOGIN.sub("…@", text))[:_LONGEST_LINE]
            self.lines.append(public)
            self._tell(public)


class _Stream(asyncio.Protocol):
    """One of its outputs, line by line; `ended` when nobody has it open any more."""

    def __init__(self, said: _Said) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._said = said
        self._rest = b""
        self._is_private = False

    def data_received(self, data: bytes) -> None:
        *whole, rest = (self._rest + data).split(b"\n")
        self._rest = rest[:_LONGEST_WRITTEN]
        for line in whole:
            self._hear(line)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._hear(self._rest)
        if not self.ended.done():
            self.ended.set_result(None)

    def _hear(self, line: bytes) -> None:
        text = line[:_LONGEST_WRITTEN].decode(errors="replace").rstrip()
        self._is_private = self._is_private or text in _SECTIONS
        if not self._is_private:
            self._said.hear(text)


class _Exit(asyncio.SubprocessProtocol):
    def __init__(self) -> None:
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def process_exited(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


async def run(
    command: Sequence[str],
    *,
    given: str | None,
    group: int,
    grace: float,
    tell: Tell,
    environment: Mapping[str, str],
    folder: str,
) -> Done:
    """To its end. If we are cancelled: SIGTERM, and after the grace SIGKILL; only then the cancellation goes on."""
    began = time.monotonic()
    said = _Said(tell)
    async with _listening(said) as out, _listening(said) as err:
        exit_, process = await _start(command, given, group, out, err, env=environment, cwd=folder)
        try:
            _give(process, given)
            await asyncio.shield(exit_.ended)
        except asyncio.CancelledError:
            await _stop(process, exit_, grace, tell)
            raise
        finally:
            # A grandchild (a credential plugin that stays) may have the output open for longer than helm itself lives.
            await _ended(asyncio.gather(out.stream.ended, err.stream.ended), _SECONDS_FOR_LAST_WORDS)
            process.close()
    return Done(process.get_returncode() or 0, time.monotonic() - began, tuple(said.lines), said.revision)


class _Pipe(NamedTuple):
    stream: _Stream
    reading: int
    writing: int


@contextlib.asynccontextmanager
async def _listening(said: _Said) -> AsyncIterator[_Pipe]:
    reading, writing = os.pipe()
    stream = _Stream(said)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: stream, os.fdopen(reading, "rb", buffering=0))
    try:
        yield _Pipe(stream, reading, writing)
    finally:
        transport.close()


async def _start(
    command: Sequence[str], given: str | None, group: int, out: _Pipe, err: _Pipe, **surroundings: Any
) -> tuple[_Exit, asyncio.SubprocessTransport]:
    exit_ = _Exit()
    try:
        process, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: exit_,
            *command,
            stdin=DEVNULL if given is None else PIPE,
            stdout=out.writing,
            stderr=err.writing,
            # It holds the ends we read from as well: when we are killed, its pipes do not break. Helm, like any Go
            # program, dies of a broken pipe at its first word, and would leave its release pending.
            pass_fds=(out.reading, err.reading),
            process_group=group,
            **surroundings,
        )
    except OSError as error:
        raise UserError(
            f"{command[0]} does not run: {error.strerror}", then="name a helm binary with --helm or $HELM"
        ) from None
    finally:
        os.close(out.writing)
        os.close(err.writing)
    return exit_, process


async def _stop(process: asyncio.SubprocessTransport, exit_: _Exit, grace: float, tell: Tell) -> None:
    """Helm takes a first SIGTERM as a wish: it marks the release as failed, and with atomic rolls back."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    if not await _ended(exit_.ended, grace):
        tell(f"helm did not stop within {grace:g} s and was killed: its release may be left pending")
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await _ended(exit_.ended, _SECONDS_FOR_LAST_WORDS)


async def _ended(what: "asyncio.Future[Any]", seconds: float) -> bool:
    """Whether it ended in that time. A second cancellation does not shorten it: who wants that, ends the process."""
    end = time.monotonic() + seconds
    while not what.done() and (left := end - time.monotonic()) > 0:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([what], timeout=left)
    return what.done()


def _give(process: asyncio.SubprocessTransport, text: str | None) -> None:
    """One that ends without reading it is no trouble: what it said tells why."""
    pipe = process.get_pipe_transport(0)
    if text is not None and isinstance(pipe, asyncio.WriteTransport):
        pipe.write(text.encode())
        pipe.close()
