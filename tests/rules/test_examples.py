"""Every rule's examples are tapes: the bad one shows the defect and `check` says so, the good one is silent.

`wb101-bad.txtar` belongs to WB101. One version is checked as it is, two as an upgrade from the first to the second.
"""

from pathlib import Path

import pytest

from dev.tapes import case as cases
from tests.support.checked_cases import checked
from tests.support.titles import contradiction
from watchbill.charts.engine import Engine
from watchbill.checking.result import Checked
from watchbill.rehearsal.script import read_tool
from watchbill.rules.registry import RULES
from watchbill.rules.rule import Rule

TAPES = Path(__file__).parent.parent / "tapes" / "rules"
TOOLS = ("helm@4", "helm@3.19", "kubectl")


def example(engine: Engine, path: Path, scratch: Path) -> Checked:
    """Checked with those tools that it was recorded from."""
    tools = [tool for tool in map(str, map(read_tool, TOOLS)) if tool in cases.recorded(path)]
    return checked(engine, cases.read(path), tools, scratch)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_bad_example_is_found(rule: Rule, engine: Engine, tmp_path: Path) -> None:
    result = example(engine, TAPES / f"{rule.id.lower()}-bad.txtar", tmp_path)
    found = [finding for finding in result.findings if finding.rule == rule.id]
    assert found, [finding.title for finding in result.findings]
    for finding in found:
        assert "…" not in finding.title, "names are whole"
        assert finding.location is not None, "it says where"
        assert finding.fix
        assert finding.because
    assert [text for finding in result.findings if (text := contradiction(finding))] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_good_example_is_silent(rule: Rule, engine: Engine, tmp_path: Path) -> None:
    result = example(engine, TAPES / f"{rule.id.lower()}-good.txtar", tmp_path)
    told = [
        f"{finding.level} {finding.rule} {finding.title}"
        for finding in result.findings
        if finding.rule == rule.id or finding.level != "note"
    ]
    assert not told
