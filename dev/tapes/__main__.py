"""Record what the real tools do, on the real API server.

  python -m dev.tapes record                 cases whose inputs changed since they were recorded
  python -m dev.tapes record --all           every case
  python -m dev.tapes record basics/ NAME    cases of a group, or by name (GROUP/NAME), if they changed
  python -m dev.tapes record --again NAME    the same, changed or not
  python -m dev.tapes make-up                cases that hypothesis makes up

  python -m dev.tapes corpus                 install, upgrade, uninstall of every pair of the corpus
  python -m dev.tapes corpus --variant failing --variant rollback --tool helm@4.3.1 --pair SOME-NAME

  python -m dev.tapes verdicts               check every pair, and play every error for real

What the corpus gives is not kept with the sources: it goes to a file in the cache, and a run goes on where
the last one was interrupted. The control level of the cluster must be up: python -m dev.cluster up --level control.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from dev.cluster.layout import CHECKOUT, Layout, cache_dir
from dev.tapes import agreement, corpus, library, moves, reported, verdicts
from dev.tapes import case as cases
from dev.tapes.made_up import make_up
from dev.tapes.stage import Server
from dev.tapes.tools import ToolError
from watchbill.charts.engine import Engine

# Beside the checkout, where contributors who have it keep it.
CORPUS = CHECKOUT.parent / "shared" / "corpus" / "chart-pairs.jsonl.gz"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        "python -m dev.tapes", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="record cases")
    record.add_argument("names", nargs="*", metavar="NAME")
    record.add_argument("--all", action="store_true", dest="again", help="also what did not change")
    record.add_argument("--again", action="store_true", help="the same")
    record.add_argument("--tool", action="append", help="only this one (repeat it for several)")
    invent = commands.add_parser("make-up", help="write made-up cases, to be recorded like others")
    invent.add_argument("count", nargs="?", type=int, default=500)
    commands.add_parser("count", help="how much is recorded, as docs/how-watchbill-knows.md has it")
    real = commands.add_parser("corpus", help="play real charts")
    real.add_argument("--tool", action="append", help=f"default: {', '.join(corpus.TOOLS)}")
    real.add_argument("--variant", action="append", choices=list(corpus.VARIANTS), help="default: plain")
    real.add_argument("--moves", help="instead of a variant: words with spaces or commas between them")
    judged = commands.add_parser("verdicts", help="check real charts, and play every error")
    for command in (real, judged):
        command.add_argument("--pair", default="", help="only pairs with this in their names")
        command.add_argument("--from", dest="source", type=Path, default=CORPUS, help="chart-pairs.jsonl.gz")
        command.add_argument("--out", type=Path, help="default: a file in the cache named after the moves")
        command.add_argument("--workers", type=int, default=library.WORKERS)
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "record":
            return _record(asked.names, asked.again, asked.tool)
        if asked.command == "count":
            print(library.count())
            return 0
        if asked.command == "make-up":
            made = make_up(asked.count, library.TAPES / "made-up")
            print(f"{len(made)} cases are new; record them with: python -m dev.tapes record made-up")
            return 0
        return _corpus(asked) if asked.command == "corpus" else _verdicts(asked)
    except (cases.CaseError, moves.MoveError, ToolError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _pairs(asked: argparse.Namespace) -> list[corpus.Pair]:
    if not asked.source.exists():
        raise cases.CaseError(f"the corpus is not at {asked.source}; name it with --from")
    return [pair for pair in corpus.read(asked.source) if asked.pair in pair["pair"]]


def _verdicts(asked: argparse.Namespace) -> int:
    """How many errors were not reproduced, as an exit code."""
    began = time.monotonic()

    def tell(done: int, of: int, name: str) -> None:
        print(f"{time.monotonic() - began:.0f} s: checked {done}/{of} {name}", flush=True)

    found = verdicts.verdicts(_pairs(asked), tell)
    plays = [verdicts.play_of(verdict, finding) for verdict in found for finding in verdict.errors]
    # Findings of one failure share their trace.
    due = {(case.name, tool, case.digest(tool)): (tool, case) for tool, case in filter(None, plays)}
    out = asked.out or cache_dir() / "corpus" / "verdicts.jsonl"
    with Server.of(kubeconfig(), keep=True) as server:
        corpus.run(list(due.values()), server, out, asked.workers)
    with Engine() as engine:
        judged = list(verdicts.judge(engine, found, corpus.recorded(out)))
    open_ = [one for one in judged if one.objection]
    print(*open_, verdicts.summary(found, judged), verdicts.by_rule(judged), sep="\n\n")
    print(*reported.explained(found), sep="\n")
    return int(bool(open_))


def _corpus(asked: argparse.Namespace) -> int:
    pairs = _pairs(asked)
    tools = asked.tool or corpus.TOOLS
    different = False
    with Server.of(kubeconfig(), keep=True) as server:
        for name, moves_for in _move_lists(asked.moves, asked.variant or ["plain"]):
            out = asked.out or cache_dir() / "corpus" / f"{name}.jsonl"
            print(f"{name}: {out}", flush=True)
            plays = [(tool, corpus.case(pair, moves_for(tool))) for pair in pairs for tool in tools]
            began = time.monotonic()
            corpus.run(plays, server, out, asked.workers)
            print(f"played in {time.monotonic() - began:.0f} s", flush=True)
            different |= _compare(pairs, out)
    return int(different)


def _compare(pairs: list[corpus.Pair], recorded: Path) -> bool:
    """Prints in what the model differs from what was played; whether it does."""
    began = time.monotonic()
    with Engine() as engine:
        count, found = agreement.compare(engine, pairs, recorded)
    for difference in found:
        print(difference)
    print(f"{agreement.summary(count, found)}; the model took {time.monotonic() - began:.0f} s", flush=True)
    return bool(found)


def _move_lists(
    words: str | None, variants: Sequence[str]
) -> list[tuple[str, Callable[[str], Sequence[str]]]]:
    if words is None:
        return [(name, corpus.VARIANTS[name]) for name in variants]
    split = [word.strip() for word in words.split(",")] if "," in words else words.split()
    return [("-".join(split).replace(" ", "_").replace("/", "_"), lambda _: split)]


def kubeconfig() -> Path:
    chosen = os.environ.get("WATCHBILL_KUBECONFIG")
    return Path(chosen) if chosen else Layout.of("control").kubeconfig


def _record(names: Sequence[str], again: bool, only: Sequence[str] | None) -> int:
    found = library.tasks(library.find(names))
    due = [t for t in found if (again or t.changed) and (not only or t.tool in only)]
    began, left, failed = time.monotonic(), len(due), 0

    def done(task: library.Task, result: cases.Truth | Exception) -> None:
        nonlocal left, failed
        left -= 1
        if isinstance(result, Exception):
            failed += 1
            word = f"NOT RECORDED: {result}"
        else:
            library.keep(task, result)
            word = "as before" if result == task.known else "changed"
        print(f"{time.monotonic() - began:.0f} s, {left} left: {task}: {word}", flush=True)

    if due:
        with Server.of(kubeconfig()) as server:
            library.record(due, server, done)
    print(
        f"{len(due) - failed} of {len(due)} recorded; {len(found) - len(due)} were not asked for or not changed"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
