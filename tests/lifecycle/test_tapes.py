"""The model against every tape: what real tools did on a real API server, recorded by `make record`."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from dev.tapes import case as cases
from tests.support.rehearsal import play_case
from watchbill.charts.engine import Engine
from watchbill.lifecycle.kube.words import normalise

TAPES = sorted((Path(__file__).parent.parent / "tapes").rglob("*.txtar"))


@pytest.mark.parametrize("path", TAPES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_model_does_what_the_tool_did(path: Path, engine: Engine, tmp_path: Path) -> None:
    case = cases.read(path)
    truths = cases.recorded(path)
    assert truths, f"{path.name} has no truth: record it with `make record`"
    differences = []
    for tool, truth in truths.items():
        played = play_case(engine, case, tool, tmp_path)
        differences += [
            f"{tool}, {move['move']!r}: {difference}"
            for move, ours in zip(truth["moves"], played, strict=True)
            for difference in compare(move, ours)
        ]
    assert not differences, "\n".join(differences)


def compare(truth: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    for what in ("ok", "error", "release", "ran", "objects", "writes"):
        said, real = ours[what], truth[what]
        if what == "writes":
            said, real = in_order(said), in_order(real)
        if what == "error":
            real = normalise(real)
        if what == "ran":
            said, real = sorted(said), sorted(real)
        if said != real:
            yield f"{what}\n      is {json.dumps(real, ensure_ascii=False)}\n    said {json.dumps(said, ensure_ascii=False)}"


def in_order(writes: Sequence[str]) -> list[str]:
    """Objects of one kind are written side by side."""
    return [
        write for _, same in groupby(writes, key=lambda write: write.split("/")[0]) for write in sorted(same)
    ]
