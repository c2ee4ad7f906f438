"""Whatever goes wrong in a recorded case has a rule that names it, or is a fact of the tools: nothing is left to WB000."""

from pathlib import Path

import pytest

from dev.tapes import case as cases
from tests.support.checked_cases import checked
from watchbill.charts.engine import Engine

TAPES = Path(__file__).parent.parent / "tapes"
GROUPS = sorted(folder.name for folder in TAPES.iterdir())
TOOLS = ("helm@4", "helm@3.19")
# Of every group, so many are passed by: all of them take some minutes.
EVERY = 7
# These showed something that no rule knew.
ONCE_UNCLAIMED = (
    "crds/directory-not-updated",
    "flips/back-and-forth",
    "flips/duplicate-job-hook-failed",
    "flips/hook-named-by-revision",
    "hooks/suspended-job-never-ends",
    "made-up/017",
    "made-up/289",
    "made-up/423",
    "uninstall/wait-held-by-a-finalizer",
)


def chosen(group: str) -> list[Path]:
    found = sorted((TAPES / group).glob("*.txtar"))[::EVERY]
    return found + [TAPES / f"{name}.txtar" for name in ONCE_UNCLAIMED if name.startswith(f"{group}/")]


@pytest.mark.parametrize("group", GROUPS)
def test_every_finding_has_a_rule(group: str, engine: Engine, tmp_path: Path) -> None:
    told = [
        f"{path.stem}: {finding.title}"
        for path in chosen(group)
        for finding in checked(engine, cases.read(path), TOOLS, tmp_path / path.stem).findings
        if finding.rule == "WB000"
    ]
    assert not told
