"""Cells against what real tools did: a Job is said to run where it ran, and operations to fail where they failed."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dev.tapes import case as cases
from tests.support.rehearsal import perform_case
from watchbill.charts.engine import Engine
from watchbill.checking.tabulating.cells import Cell, View, cell
from watchbill.checking.tabulating.runners import Roster
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.play import Played
from watchbill.lifecycle.scenarios import START, Scenario, Walked, excused

TAPES = Path(__file__).parent.parent / "tapes"
GROUPS = ("basics", "flips", "hooks", "kubectl", "names", "rollback", "uninstall", "updates")
TOOLS = ("helm@4.3.1", "helm@3.19.0", "kubectl@1.37.1")
NO_PATH = Scenario("", "", ())


def with_jobs() -> list[Path]:
    found = [path for group in GROUPS for path in sorted((TAPES / group).glob("*.txtar"))]
    return [path for path in found if "kind: Job" in path.read_text().partition("-- truth.jsonl --")[0]]


@pytest.mark.parametrize("path", with_jobs(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_cell_says_what_the_tool_did(path: Path, engine: Engine, tmp_path: Path) -> None:
    case = cases.read(path)
    differences = []
    for tool, truth in cases.recorded(path).items():
        if tool in TOOLS:
            lab, plays = perform_case(engine, case, tool, tmp_path)
            differences += [f"{tool}: {said}" for said in compare(lab, plays, truth["moves"])]
    assert not differences, "\n".join(differences)


def compare(lab: Lab, plays: Sequence[Played], truth: Sequence[dict[str, Any]]) -> Iterator[str]:
    renders = [
        lab.versions.render(version, lab.named(""), upgrade=upgrade, revision=1 + upgrade, world=START)
        for version in range(len(lab.versions))
        for upgrade in (False, True)
    ]
    roster = Roster(renders)
    for place, (played, real) in enumerate(zip(plays, truth, strict=True)):
        if not played.move.of_tool or played.killed or played.move.release:
            continue
        walked = Walked(NO_PATH, tuple(plays[: place + 1]))
        views = {number: View.of(lab, walked, roster, number) for number in range(len(roster))}
        ran = {roster.who(Key("batch", "Job", *name.split("/"))) for name in real["ran"]}
        for number, view in views.items():
            if view.part is not None and view.part.key.kind == "Job":
                said = cell(view)
                if wrong := _wrong(said, number in ran, real["ok"] or excused(view.before, played)):
                    yield f"{list(said.moves)}, Job {number}: {said.says!r}, but {wrong}"


def _wrong(said: Cell, ran: bool, ok: bool) -> str:
    if said.says == "FAILS earlier":
        return ""
    created = (
        said.says.startswith("runs")
        or said.says.endswith("never starts")
        or said.says.startswith("is suspended")
    )
    if created != ran:
        return "it ran" if ran else "it did not run"
    fails = said.outcome in ("fails", "refused")
    return "" if fails != ok else "the operation worked" if ok else "the operation failed"
