"""The charts of this repository: versions that follow each other, and files that are made of others.

    python -m dev.charts bump [--step none|patch|minor|major]   raise what changed and all that is built on it
    python -m dev.charts check                                  what was forgotten
    python -m dev.charts schema                                 values.schema.json of the library's consumers
    python -m dev.charts readme                                 the tables of values in READMEs

`make charts-bump` renews schemas and READMEs, then raises. A chart whose version a person has raised keeps it; any
other that changed is raised by --step. `none` is for charts that nobody has yet: their content is recorded again.
"""

import argparse
import sys

from dev import charts_bump, charts_readme, charts_schema
from dev.binaries import BinaryError
from dev.charts_tree import ChartsError
from dev.charts_versions import Step

STEPS = [step.name.lower() for step in Step]


def bump(step: Step) -> int:
    for one in charts_bump.raise_charts(step):
        version = one.after if one.before == one.after else f"{one.before} -> {one.after}"
        print(f"{one.path} {version}{', dependencies packaged anew' if one.renewed else ''}")
    return 0


def check() -> int:
    forgotten = [*charts_readme.complaints(), *charts_schema.complaints(), *charts_bump.complaints()]
    for complaint in forgotten:
        print(complaint)
    if forgotten:
        print("make charts-bump puts that right")
    return 1 if forgotten else 0


def renew(files: list[str]) -> int:
    for file in files:
        print(f"{file} renewed")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m dev.charts", description="Charts that are built on each other."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    raising = commands.add_parser("bump", help="raise what changed and all that is built on it")
    raising.add_argument(
        "--step", choices=STEPS, default="patch", help="for charts that nobody raised by hand"
    )
    commands.add_parser("check", help="what was forgotten")
    commands.add_parser("schema", help="renew values.schema.json of the library's consumers")
    commands.add_parser("readme", help="renew the tables of values in READMEs")
    asked = parser.parse_args(arguments)
    try:
        match asked.command:
            case "bump":
                return bump(Step[asked.step.upper()])
            case "check":
                return check()
            case "schema":
                return renew(charts_schema.renew())
            case _:
                return renew(charts_readme.renew())
    except (BinaryError, ChartsError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
