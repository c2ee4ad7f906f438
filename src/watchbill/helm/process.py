"""One helm process: its lines as they come, its end, and how it is stopped."""

import asyncio
import contextlib
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from watchbill.errors import UserError
from watchbill.helm.requests import Done
from watchbill.patterns import regex

Tell = Callable[[str], None]

_LOGIN = regex(r"(?<=://)[^/\s@]+@")
_REVISION = regex(r"REVISION: (\d+)")
# What follows is written for the person at the terminal, and is where charts print their passwords.
_SECTIONS = frozenset({"NOTES:", "HOOKS:", "MANIFEST:", "USER-SUPPLIED VALUES:", "COMPUTED VALUES:"})
_KEPT_LINES = 200
_LONGEST_LINE = 4000
_SECONDS_FOR_LAST_WORDS = 5.0


class _Said:
    """What a process printed, as far as it is anybody's business."""

    def __init__(self, tell: Tell) -> None:
        self.lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self.revision = 0
        self._tell = tell

    async def listen(self, stream: asyncio.StreamReader, *, sections: bool) -> None:
        private = False
        async for line in _lines(stream):
            private = private or (sections and line in _SECTIONS)
            if private or not line.strip():
                continue
            if sections and (found := _REVISION.fullmatch(line)):
                self.revision = int(found[1])
            public = _LOGIN.sub("…@", line)
            self.lines.append(public)
            self._tell(public)


async def run(command: Sequence[str], *, given: str | None, group: int, grace: float, tell: Tell) -> Done:
    """To its end. If we are cancelled: SIGTERM, and after the grace SIGKILL; only then the cancellation goes on."""
    began = time.monotonic()
    said = _Said(tell)
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=DEVNULL if given is None else PIPE, stdout=PIPE, stderr=PIPE, process_group=group
        )
    except OSError as error:
        raise UserError(
            f"{command[0]} does not run: {error.strerror}", then="name a helm binary with --helm or $HELM"
        ) from None
    assert process.stdout
    assert process.stderr
    exit_code = asyncio.ensure_future(process.wait())
    talk = asyncio.gather(
        said.listen(process.stdout, sections=True),
        said.listen(process.stderr, sections=False),
        _give(process, given),
    )
    try:
        try:
            await asyncio.shield(exit_code)
        except asyncio.CancelledError:
            await _stop(process, exit_code, grace, tell)
            raise
    finally:
        # A grandchild (a credential plugin that stays) may hold the pipes open for longer than helm itself lives.
        if not await _ended(talk, _SECONDS_FOR_LAST_WORDS):
            talk.cancel()
    return Done(exit_code.result(), time.monotonic() - began, tuple(said.lines), said.revision)


async def _stop(process: Process, exit_code: "asyncio.Future[int]", grace: float, tell: Tell) -> None:
    """Helm takes a first SIGTERM as a wish: it marks the release as failed, and with atomic rolls back."""
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    if not await _ended(exit_code, grace):
        tell(f"helm did not stop within {grace:g} s and was killed: its release may be left pending")
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await _ended(exit_code, _SECONDS_FOR_LAST_WORDS)


async def _ended(what: "asyncio.Future[Any]", seconds: float) -> bool:
    """Whether it ended in that time. A second cancellation does not shorten it: who wants that, ends the process."""
    end = time.monotonic() + seconds
    while not what.done() and (left := end - time.monotonic()) > 0:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([what], timeout=left)
    return what.done()


async def _give(process: Process, text: str | None) -> None:
    if text is None:
        return
    assert process.stdin
    with contextlib.suppress(ConnectionError):  # it ended without reading: what it said tells why
        process.stdin.write(text.encode())
        await process.stdin.drain()
    process.stdin.close()


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    """Lines of any length, cut; `readline` refuses long ones."""
    rest = b""
    while chunk := await stream.read(65536):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield _text(line)
        rest = rest[:_LONGEST_LINE]
    if rest:
        yield _text(rest)


def _text(line: bytes) -> str:
    return line[:_LONGEST_LINE].decode(errors="replace").rstrip()
