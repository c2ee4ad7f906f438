"""Ctrl-C: one line and exit code 130, whatever the program is doing.

`end_on_interrupt` replaces Python's own handler, which raises KeyboardInterrupt wherever the program happens to be: in
the middle of an import that is a traceback, and in some C extensions a crash. Ours ends the process instead. Whatever
must not outlive it (temporary folders, child processes) registers how to remove it with `before_leaving`.
`deploy` and `jobs run` install handlers of their own, which cancel the work first.
"""

import os

# `signal` itself makes enumerations of all signals, which takes a millisecond.
from _signal import SIG_DFL, SIG_IGN, SIGINT, default_int_handler, getsignal, signal  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:  # this module is imported before the engine is spawned, and must not delay that
    from collections.abc import Callable

EXIT_CODE = 130  # as a shell reports a program that SIGINT ended
STDERR = 2

_cleanups: "list[Callable[[], object]]" = []


def end_on_interrupt() -> None:
    """Make Ctrl-C end this process, unless its parent made it ignore Ctrl-C (nohup, background jobs of scripts)."""
    if getsignal(SIGINT) in (default_int_handler, SIG_DFL):
        signal(SIGINT, _leave)


def before_leaving(clean_up: "Callable[[], object]") -> "Callable[[], object]":
    """Call `clean_up` if Ctrl-C ends the process. Returns a function that takes this back."""
    _cleanups.append(clean_up)
    return lambda: _cleanups.remove(clean_up)


class PutOff:
    """A block that Ctrl-C does not end: it takes effect after the block."""

    is_active = False
    was_interrupted = False

    def __enter__(self) -> None:
        PutOff.is_active = True

    def __exit__(self, *_: object) -> None:
        PutOff.is_active = False
        if PutOff.was_interrupted:
            _leave()


def fork() -> int:
    """Fork a child that ignores Ctrl-C and leaves cleaning up to its parent. Returns as os.fork does."""
    with PutOff():  # the child must not run the parent's clean-ups
        pid = os.fork()
        if pid == 0:
            signal(SIGINT, SIG_IGN)
            PutOff.was_interrupted = False
            _cleanups.clear()
    return pid


def _leave(*_: object) -> None:
    if PutOff.is_active:
        PutOff.was_interrupted = True
        return
    signal(SIGINT, SIG_IGN)  # an impatient second Ctrl-C must not stop the clean-up
    try:
        for clean_up in reversed(_cleanups):
            try:
                clean_up()
            except Exception:  # noqa: BLE001, S112  (the signal may have come in the middle of this very clean-up)
                continue
        os.write(STDERR, b"interrupted\n")
    finally:
        os._exit(EXIT_CODE)
