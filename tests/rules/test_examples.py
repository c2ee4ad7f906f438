"""Every rule's examples are tapes: the bad one shows the defect and `check` says so, the good one is silent.

`wb101-bad.txtar` belongs to WB101. One version is checked as it is, two as an upgrade from the first to the second.
"""

from pathlib import Path

import pytest

from dev.tapes import case as cases
from dev.tapes.case import Case
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking.check import check
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.checking.result import Checked
from watchbill.rehearsal.script import read_tool
from watchbill.rules.registry import RULES
from watchbill.rules.rule import Rule

TAPES = Path(__file__).parent.parent / "tapes" / "rules"
TOOLS = ("helm@4", "helm@3.19", "kubectl")


def checked(engine: Engine, path: Path, scratch: Path) -> Checked:
    case = cases.read(path)
    tools = [str(read_tool(tool)) for tool in TOOLS if str(read_tool(tool)) in cases.recorded(path)]
    context = Context(release=case.release, namespace=case.namespace)
    options = Options(tuple(map(read_tool, tools)), context)
    result = check(engine, subject(case, scratch), options).checked
    assert result.problem is None, result.problem
    return result


def subject(case: Case, scratch: Path) -> Subject:
    *before, last = case.versions
    if last.manifests is not None:
        old = before[-1].manifests or "" if before else ""
        return Subject(
            "v.yaml",
            manifests=last.manifests,
            manifests_name="v.yaml",
            old_manifests=old,
            old_name="old.yaml",
        )
    paths = [str(version.unpack(scratch / f"v{at}")) for at, version in enumerate(case.versions, 1)]
    return Subject(paths[-1], source=paths[-1], old=paths[-2] if before else "")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_bad_example_is_found(rule: Rule, engine: Engine, tmp_path: Path) -> None:
    result = checked(engine, TAPES / f"{rule.id.lower()}-bad.txtar", tmp_path)
    found = [finding for finding in result.findings if finding.rule == rule.id]
    assert found, [finding.title for finding in result.findings]
    for finding in found:
        assert len(finding.title) <= 100, finding.title
        assert finding.location is not None, "it says where"
        assert finding.fix
        assert finding.because


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_good_example_is_silent(rule: Rule, engine: Engine, tmp_path: Path) -> None:
    result = checked(engine, TAPES / f"{rule.id.lower()}-good.txtar", tmp_path)
    told = [
        f"{finding.level} {finding.rule} {finding.title}"
        for finding in result.findings
        if finding.rule == rule.id or finding.level != "note"
    ]
    assert not told
