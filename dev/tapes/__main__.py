"""Record what the real tools do, on the real API server.

  python -m dev.tapes record                 cases whose inputs changed since they were recorded
  python -m dev.tapes record --all           every case
  python -m dev.tapes record basics/ NAME    cases of a group, or by name (GROUP/NAME), if they changed
  python -m dev.tapes record --again NAME    the same, changed or not

  python -m dev.tapes corpus                 install, upgrade, uninstall of every pair of the corpus
  python -m dev.tapes corpus --variant failing --variant rollback --tool helm@4.3.1 --pair SOME-NAME

What the corpus gives is not kept with the sources: it goes to a file in the cache, and a run goes on where
the last one was interrupted. The control level of the cluster must be up: python -m dev.cluster up --level control.
"""

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from dev.cluster.layout import CHECKOUT, Layout, cache_dir
from dev.tapes import case as cases
from dev.tapes import corpus, moves, play
from dev.tapes.crowd import Crowd, Footprint
from dev.tapes.stage import Server
from dev.tapes.tools import ToolError

TAPES = CHECKOUT / "tests" / "tapes"
# Beside the checkout, where contributors who have it keep it.
CORPUS = CHECKOUT.parent / "shared" / "corpus" / "chart-pairs.jsonl.gz"
WORKERS = 8


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
    real = commands.add_parser("corpus", help="play real charts")
    real.add_argument("--tool", action="append", help=f"default: {', '.join(corpus.TOOLS)}")
    real.add_argument("--variant", action="append", choices=list(corpus.VARIANTS), help="default: plain")
    real.add_argument("--moves", help="instead of a variant: words with spaces or commas between them")
    real.add_argument("--pair", default="", help="only pairs with this in their names")
    real.add_argument("--from", dest="source", type=Path, default=CORPUS, help="chart-pairs.jsonl.gz")
    real.add_argument("--out", type=Path, help="default: a file in the cache named after the moves")
    real.add_argument("--workers", type=int, default=WORKERS)
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "record":
            return _record(asked.names, asked.again, asked.tool)
        return _corpus(asked)
    except (cases.CaseError, moves.MoveError, ToolError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _corpus(asked: argparse.Namespace) -> int:
    if not asked.source.exists():
        raise cases.CaseError(f"the corpus is not at {asked.source}; name it with --from")
    pairs = [pair for pair in corpus.read(asked.source) if asked.pair in pair["pair"]]
    tools = asked.tool or corpus.TOOLS
    with Server.of(kubeconfig()) as server:
        for name, moves_for in _move_lists(asked.moves, asked.variant or ["plain"]):
            out = asked.out or cache_dir() / "corpus" / f"{name}.jsonl"
            print(f"{name}: {out}", flush=True)
            plays = [(tool, corpus.case(pair, moves_for(tool))) for pair in pairs for tool in tools]
            corpus.run(plays, server, out, asked.workers)
    return 0


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


def find(names: Sequence[str]) -> list[Path]:
    """All, or those that are named: by group, by group and name, or by name alone."""
    paths = sorted(TAPES.glob("*/*.txtar"))
    if not names:
        return paths
    found = []
    for name in names:
        key = name.removesuffix(".txtar").rstrip("/")
        fitting = [
            p for p in paths if key in (p.parent.name, p.stem, f"{p.parent.name}/{p.stem}", str(p)[:-6])
        ]
        if not fitting:
            raise cases.CaseError(f"there is no case {name!r} in {TAPES}")
        found += fitting
    return found


def _record(names: Sequence[str], again: bool, only: Sequence[str] | None) -> int:
    truths = {path: cases.recorded(path) for path in find(names)}
    with Server.of(kubeconfig()) as server:
        return _play(truths, server, again, only)


def _play(
    truths: dict[Path, dict[str, cases.Truth]], server: Server, again: bool, only: Sequence[str] | None
) -> int:
    tasks: list[tuple[Footprint, tuple[Path, cases.Case, str]]] = []
    for path, known in truths.items():
        case = cases.read(path)
        wanted = [tool for tool in case.tools if not only or tool in only]
        due = [t for t in wanted if again or known.get(t, {}).get("digest") != case.digest(t)]
        if due:
            footprint = play.footprint(case, server)
            tasks += [(footprint, (path, case, tool)) for tool in due]
    lock = threading.Lock()
    left = len(tasks)

    def work(task: tuple[Path, cases.Case, str]) -> None:
        nonlocal left
        path, case, tool = task
        began = time.monotonic()
        truth = play.record(case, tool, server)
        with lock:
            word = "" if truths[path].get(tool) == truth else " (changed)"
            truths[path][tool] = truth
            cases.write(path, case.tools, truths[path])
            left -= 1
            print(f"{case.name} {tool}: {time.monotonic() - began:.1f} s{word}, {left} left", flush=True)

    Crowd(tasks, work, WORKERS).run()
    print(f"{len(tasks)} recordings of {len(truths)} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
