"""Plays a tape's case in the model."""

from pathlib import Path
from typing import Any

from dev.tapes.case import Case
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.lifecycle.lab import Lab, Tool
from watchbill.lifecycle.moves import number, parse
from watchbill.lifecycle.play import objects, play
from watchbill.lifecycle.world import World
from watchbill.rehearsal.versions import FromChart, Versions, context_for


def play_case(engine: Engine, case: Case, tool: str, scratch: Path) -> list[dict[str, Any]]:
    name, _, version = tool.partition("@")
    chosen = Tool(name, version)
    context = context_for(Context(release=case.release, namespace=case.namespace), chosen)
    sources = []
    for position, given in enumerate(case.versions, 1):
        folder = scratch / f"v{position}"
        given.unpack(folder)
        sources.append(FromChart(engine, load(engine, str(folder)), context))
    versions = Versions(sources, case.release, bare=True)
    lab = Lab(chosen, versions, versions.cluster, case.release, case.namespace)
    world, result = World(), []
    for move in number([parse(move.text, name) for move in case.moves], len(versions)):
        played = play(world, move, lab)
        world = played.world
        release = played.release
        result.append(
            {
                "move": move.text,
                "ok": played.ok,
                "error": played.error.strip(),
                "release": {"revision": release.revision, "status": release.status} if release else None,
                "ran": [f"{key.namespace}/{key.name}" for key in played.ran],
                "objects": sorted(str(key) for key in objects(world, lab)),
                "writes": [str(step) for step in played.steps],
            }
        )
    return result
