"""Where `watchbill` starts. For a command that renders, the engine is spawned before anything heavy is
imported, so that it loads while Python does."""

import sys

RENDERING_COMMANDS = frozenset({"check", "compare", "matrix", "rehearse", "show"})


def main() -> None:
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
            from watchbill import bundle

            bundle.load()
    from watchbill.cli import run

    sys.exit(run(arguments, spawned))


if __name__ == "__main__":
    main()
