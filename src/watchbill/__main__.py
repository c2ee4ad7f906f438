"""Where `watchbill` starts. For a command that renders, the engine is spawned before anything heavy is
imported, so that it loads while Python does."""

import os
import sys

# `signal` itself makes enumerations of all signals, which takes a millisecond.
from _signal import (  # type: ignore[import-not-found]
    SIG_DFL,
    SIGINT,
    default_int_handler,
    getsignal,
    signal,
)

RENDERING_COMMANDS = frozenset(
    {"check", "compare", "deploy", "history", "jobs", "matrix", "rehearse", "show"}
)


def start() -> None:
    """Run as a program. Its memory is left to the kernel: Python would free it piece by piece."""
    # Until the module below is loaded, Ctrl-C ends the process without a traceback.
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, SIG_DFL)
    from watchbill import interrupts

    interrupts.end_on_interrupt()
    _open_closed_streams()
    code: object = 0
    try:
        main()
    except SystemExit as done:
        code = done.code
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # `run` has told, if anybody can be told
            continue
    os._exit(code if isinstance(code, int) else 1)


def main() -> None:
    import gc

    gc.disable()  # modules are no garbage; `run` turns it on again
    arguments = sys.argv[1:]
    command = next((argument for argument in arguments if not argument.startswith("-")), None)
    spawned = None
    if command in RENDERING_COMMANDS and not {"-h", "--help"} & set(arguments):
        from watchbill.charts.process import EngineProcess, Limits

        try:
            spawned = EngineProcess(Limits())
        except OSError:  # said properly when the engine is asked for the first time
            spawned = None
        if command == "check":
            from watchbill import bundle, lean

            lean.prepare()
            bundle.load()
    from watchbill.cli import run

    sys.exit(run(arguments, spawned))


def _open_closed_streams() -> None:
    """Discard what goes to a stream that the caller closed, as cron and some CI runners do.

    Also keeps files and pipes that are opened later from getting the numbers 0 to 2, which every child process takes
    for its standard streams. Python has no `sys.stdin` then, which is how a command knows that there is nothing to read.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number: this one
            os.set_inheritable(number, True)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - until the end
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - until the end


if __name__ == "__main__":
    start()
