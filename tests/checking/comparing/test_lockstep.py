"""Two tools side by side: nothing parts from itself, sides may be swapped, and no walk goes on for ever."""

from pathlib import Path

import pytest

from tests.support import txtar
from tests.support.labs import lab_of
from watchbill.charts.engine import Engine
from watchbill.checking.comparing import lockstep
from watchbill.checking.comparing.lockstep import Lockstep, Spot, exploring_stage

CASES = sorted((Path(__file__).parent / "cases").glob("*.txtar"))
HELM3, HELM4 = "helm@3.19.0", "helm@4.3.1"


def walked(engine: Engine, path: Path, one: str, other: str, since: int = 0) -> Lockstep:
    files = txtar.read(path).files
    texts = [files[name].decode() for name in ("old.yaml", "new.yaml") if name in files]
    stages = exploring_stage(lab_of(engine, one, texts)), exploring_stage(lab_of(engine, other, texts))
    found = Lockstep(stages, since=since)
    found.walk(Spot(), 4)
    return found


@pytest.mark.parametrize("tool", [HELM3, HELM4, "kubectl@1.37.1"])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_tool_never_parts_from_itself(path: Path, tool: str, engine: Engine) -> None:
    found = walked(engine, path, tool, tool)
    assert found.paths
    assert not found.parted


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_sides_may_be_swapped(path: Path, engine: Engine) -> None:
    one, other = walked(engine, path, HELM3, HELM4), walked(engine, path, HELM4, HELM3)
    assert [parted.trace for parted in one.parted] == [
        tuple((second, first) for first, second in parted.trace) for parted in other.parted
    ]
    for here, there in zip(one.parted, other.parted, strict=True):
        assert here.parting.what == there.parting.what
        assert here.parting.objects == there.parting.objects
        assert here.parting.what != "outcome" or here.parting.fails == 1 - there.parting.fails


def test_they_part_at_the_last_move_and_not_before(engine: Engine) -> None:
    found = walked(engine, CASES[0].parent / "unknown-field.txtar", HELM3, HELM4)
    assert [[moves[0].text for moves in parted.trace] for parted in found.parted] == [["install"]]
    assert found.paths == 1


def test_what_befalls_only_the_version_before_is_not_told(engine: Engine, tmp_path: Path) -> None:
    hook = (CASES[0].parent / "hook-already-exists.txtar").read_text()
    case = tmp_path / "case.txtar"
    fine = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
    case.write_text(hook.replace("-- new.yaml --", "-- old.yaml --") + f"-- new.yaml --\n{fine}")
    assert walked(engine, case, HELM3, HELM4).parted
    assert not walked(engine, case, HELM3, HELM4, since=1).parted


def test_a_walk_that_grows_too_long_says_so(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    path = CASES[0].parent / "nothing-differs.txtar"
    whole = walked(engine, path, HELM3, HELM4)
    assert not whole.is_cut
    monkeypatch.setattr(lockstep, "MOST_PATHS", 10)
    cut = walked(engine, path, HELM3, HELM4)
    assert cut.is_cut
    assert cut.paths < whole.paths
