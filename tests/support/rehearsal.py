"""Plays a tape's case in the model, on a cluster as bare as the one it was recorded on."""

from pathlib import Path
from typing import Any

import msgspec

from dev.tapes.case import Case
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.play import Played
from watchbill.rehearsal.performance import perform, set_up
from watchbill.rehearsal.report import report
from watchbill.rehearsal.script import read


def play_case(engine: Engine, case: Case, tool: str, scratch: Path) -> list[dict[str, Any]]:
    """In the shape of recorded truth."""
    lab, played = perform_case(engine, case, tool, scratch)
    moves: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(report(played, lab).moves))
    return moves


def perform_case(engine: Engine, case: Case, tool: str, scratch: Path) -> tuple[Lab, list[Played]]:
    """Versions that are manifests are played as `-m` plays them, charts as charts."""
    texts = [version.manifests for version in case.versions if version.manifests is not None]
    if len(texts) == len(case.versions):
        charts, manifests = [], [("c/templates/manifests.yaml", text) for text in texts]
    else:
        charts = [str(version.unpack(scratch / f"v{at}")) for at, version in enumerate(case.versions, 1)]
        manifests = []
    moves = [move.text for move in case.moves]
    script = read([*charts, *moves], tool, [name for name, _ in manifests], case.release)
    lab = set_up(
        engine, script, manifests, Context(release=case.release, namespace=case.namespace), bare=True
    )
    return lab, perform(script, lab)
