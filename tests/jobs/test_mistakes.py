"""What is wrong with jobs is told when they are loaded: all of it, each with its line, and what to do.

A case is an archive in mistakes/: modules of jobs, and in error.txt what a person is told. named.txt is what the bill
names, if that is not the folder jobs. A new case needs no code.
"""

from pathlib import Path

import pytest

from tests.support import txtar
from watchbill.errors import UserError
from watchbill.jobs.load import load

CASES = sorted((Path(__file__).parent / "mistakes").glob("*.txtar"))
COMPONENTS = ["logging", "certificates", "monitoring"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.stem) for case in CASES])
def test_mistakes_are_told(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    txtar.unpack(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    named = tmp_path / "named.txt"
    modules = named.read_text().splitlines() if named.exists() else ["jobs"]

    with pytest.raises(UserError) as refused:
        load(modules, str(tmp_path), COMPONENTS)

    assert str(refused.value) == (tmp_path / "error.txt").read_text().rstrip("\n")


def test_there_are_cases() -> None:
    assert len(CASES) > 15
