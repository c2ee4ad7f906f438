"""Questions to the engine, typed, each within its limits; a dead engine is replaced before the next one."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import msgspec

from watchbill.charts import process
from watchbill.charts.protocol import (
    PROTOCOL,
    Answer,
    EngineError,
    Hello,
    Load,
    Locate,
    Parse,
    Render,
    Request,
)
from watchbill.charts.source_digest import source_digest
from watchbill.errors import UserError

Question = Load | Render | Parse | Locate

# What Go says when the kernel gives it no more memory, or no thread for want of it.
_OUT_OF_MEMORY = (
    "out of memory",
    "cannot allocate memory",
    "memory limit",
    "newosproc",
    "failed to reserve page summary memory",
    "Resource temporarily unavailable",
    # The collector of Go 1.26 does not say so: it falls over the queue for which it got no memory.
    "runtime.(*spanQueue).tryDrain",
)


class EngineFailed(Exception):  # noqa: N818
    """The engine answered a whole request with an error."""

    def __init__(self, error: EngineError) -> None:
        super().__init__(error.message)
        self.error = error


class RenderingTimedOut(UserError):  # noqa: N818
    """The engine did not answer in time."""


class Engine:
    """One engine process, used as a context manager. `spawned` is one that `__main__` started early.

    `eager`: there are processors to spare, so what is likely to be asked may be worked on before it is.
    """

    def __init__(
        self,
        limits: process.Limits | None = None,
        spawned: process.EngineProcess | None = None,
        *,
        eager: bool = True,
    ) -> None:
        self.limits = limits or process.Limits()
        self.eager = eager
        self.helm_version = ""
        self._process = spawned
        self._greeted = False
        self._next_id = 0
        self._later: Callable[[], None] | None = None
        self._encode = msgspec.json.Encoder().encode
        self._decode = msgspec.json.Decoder(Answer).decode

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None
            self._greeted = False
        self._later = None

    def ask(self, question: Question) -> Iterator[Answer]:
        """The answers to one question, in order, without the closing one. Each of them has the whole time.

        The engine is at work when this returns. Whoever takes its answers later says so (`later`).
        """
        if self._later is not None:
            take, self._later = self._later, None
            take()
        return self._answers(question, *self._put(question))

    def prepare(self, question: Question) -> None:
        """Somebody is going to ask something like it: the engine gets ready when it has nothing else to do. What it
        answers is passed over."""
        if self.eager:
            self._put(question)

    def _put(self, question: Question) -> tuple[int, process.EngineProcess]:
        self._next_id += 1
        request = Request(id=self._next_id, **{type(question).__name__.lower(): question})  # type: ignore[arg-type]
        with self._whole(question):
            engine = self._ready(self._deadline())
            engine.write(self._encoded(request))
        return self._next_id, engine

    def later(self, take: Callable[[], None]) -> None:
        """How the answers to the last question are taken: at the latest when another one is asked."""
        self._later = take

    def _answers(self, question: Question, number: int, engine: process.EngineProcess) -> Iterator[Answer]:
        with self._whole(question):
            while True:
                answer = self._decode(engine.read_line(self._deadline()))
                if 0 < answer.id < number:
                    continue  # it was prepared
                if answer.done:
                    break
                yield answer
        if answer.error is not None:
            raise EngineFailed(answer.error)

    @contextmanager
    def _whole(self, question: Question) -> Iterator[None]:
        """Answers of a question that broke off may still be under way: nobody may take them for others."""
        try:
            yield
        except process.TimedOut:
            self.close()
            raise RenderingTimedOut(
                f"rendering took longer than {self.limits.seconds:g} s and was stopped",
                where=_chart_of(question),
                then="look for a template that never ends, or allow more with --timeout",
            ) from None
        except process.Died as death:
            was_ready = self._greeted
            self.close()
            raise _explain_death(death, self.limits, question, was_ready=was_ready) from None
        except BaseException:
            self.close()
            raise

    def _deadline(self) -> float:
        return time.monotonic() + self.limits.seconds

    def _encoded(self, request: Request) -> bytes:
        try:
            return self._encode(request)
        except UnicodeEncodeError:  # bytes of the command line that are no text
            raise UserError("a path or value on the command line is not valid UTF-8") from None

    def _ready(self, deadline: float) -> process.EngineProcess:
        if self._process is not None and self._process.limits.memory != self.limits.memory:
            self.close()
        if self._process is None:
            self._process = _start(self.limits)
        if not self._greeted:
            hello = msgspec.json.decode(self._process.read_line(deadline), type=Hello)
            _check_build(hello)
            self.helm_version = hello.helm
            self._greeted = True
        return self._process


def _start(limits: process.Limits) -> process.EngineProcess:
    try:
        return process.EngineProcess(limits)
    except OSError as error:
        raise UserError(
            f"the engine does not start: {error.strerror}", where=process.BINARY, then=_reinstall()
        ) from None


def _check_build(hello: Hello) -> None:
    expected = _expected_source()
    if hello.protocol != PROTOCOL or hello.source != expected:
        raise UserError(
            "the engine and this watchbill are of different builds",
            where=f"engine: protocol {hello.protocol}, source {hello.source}; watchbill: protocol {PROTOCOL}, source {expected}",
            then=_reinstall(),
        )


def _expected_source() -> str:
    """In a checkout what engine/ holds now, in an installation what was compiled with this package."""
    package = os.path.dirname(__file__)
    checkout = os.path.normpath(os.path.join(package, "..", "..", "..", "engine"))
    if os.path.isfile(os.path.join(checkout, "go.mod")):
        return source_digest(checkout)
    with open(os.path.join(package, "_engine", "source"), encoding="utf-8") as file:
        return file.read().strip()


def _reinstall() -> str:
    return "reinstall Watchbill: pip install --force-reinstall . in its sources, or make env for a checkout"


def _explain_death(
    death: process.Died, limits: process.Limits, question: Question, *, was_ready: bool = True
) -> Exception:
    where, stderr = _chart_of(question), death.stderr
    if "stack overflow" in stderr or "stack exceeds" in stderr:
        return UserError(
            "rendering was stopped: templates call each other without end",
            where=where,
            then="look for an include or tpl that reaches itself",
        )
    ran_out = any(words in stderr for words in _OUT_OF_MEMORY)
    if ran_out and (not was_ready or _address_space_is_limited()):
        return UserError(
            "the engine had too little memory",
            where=where,
            then="it reserves 1 GiB of address space: raise or remove the limit (`ulimit -v` shows it)",
        )
    if ran_out:
        return UserError(
            f"rendering needs more than {limits.memory >> 20} MiB of memory and was stopped",
            where=where,
            then="look for a template or values that grow without bound, or allow more with --memory",
        )
    if death.signal and not stderr:  # the kernel killed it, without a word of Go's
        return UserError(
            f"the engine was killed by signal {death.signal}: it may have had too little memory",
            where=where,
            then="give this machine, container or shell (`ulimit -v`) more memory",
        )
    return RuntimeError(f"the engine died: {stderr[-4000:]}")


def _address_space_is_limited() -> bool:
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _chart_of(question: Question) -> str | None:
    source = getattr(question, "source", None)
    return source.path if source is not None else None
