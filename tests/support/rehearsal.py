"""Plays a tape's case in the model, on a cluster as bare as the one it was recorded on."""

from pathlib import Path
from typing import Any

import msgspec

from dev.tapes.case import Case
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.rehearsal.performance import perform, set_up
from watchbill.rehearsal.report import report
from watchbill.rehearsal.script import read


def play_case(engine: Engine, case: Case, tool: str, scratch: Path) -> list[dict[str, Any]]:
    charts = [str(version.unpack(scratch / f"v{at}")) for at, version in enumerate(case.versions, 1)]
    script = read([*charts, *(move.text for move in case.moves)], tool, [], case.release)
    context = Context(release=case.release, namespace=case.namespace)
    lab = set_up(engine, script, [], context, bare=True)
    moves: list[dict[str, Any]] = msgspec.to_builtins(report(perform(script, lab), lab).moves)
    return [
        {**move, "ran": [*move["ran"]], "objects": [*move["objects"]], "writes": [*move["writes"]]}
        for move in moves
    ]
