"""Where `watchbill` starts. For a command that renders, the engine is spawned before anything heavy is
imported, so that it loads while Python does."""

import gc
import os
import sys

RENDERING_COMMANDS = frozenset(
    {"check", "compare", "deploy", "history", "jobs", "matrix", "rehearse", "show"}
)


def start() -> None:
    """As a program. What it made is left to the kernel: Python would free it piece by piece."""
    code: object = 0
    try:
        main()
    except SystemExit as done:
        code = done.code
    for stream in filter(None, (sys.stdout, sys.stderr)):  # either may be closed
        stream.flush()
    os._exit(code if isinstance(code, int) else 1)


def main() -> None:
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


if __name__ == "__main__":
    start()
