"""A trace is worth what it shows when somebody plays it: its moves, over the versions it names."""

from pathlib import Path

import pytest

from dev.tapes import case as cases
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking.check import check
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.checking.result import Finding, Trace
from watchbill.rehearsal.performance import perform, set_up
from watchbill.rehearsal.script import read, read_tool

TAPES = Path(__file__).parents[1] / "tapes" / "rules"
TOOLS = (read_tool("helm@4"), read_tool("helm@3.19"))
CONTEXT = Context(release="r", namespace="ns")


def upgrades() -> list[Path]:
    """Examples of two versions that are manifests."""
    found = [(path, cases.read(path).versions) for path in sorted(TAPES.glob("*-bad.txtar"))]
    return [path for path, given in found if len(given) == 2 and all(one.manifests for one in given)]


def findings(engine: Engine, path: Path) -> tuple[tuple[Finding, ...], dict[str, str]]:
    old, new = (version.manifests or "" for version in cases.read(path).versions)
    subject = Subject(
        "new.yaml", manifests=new, manifests_name="new.yaml", old_manifests=old, old_name="old.yaml"
    )
    return check(engine, subject, Options(TOOLS, CONTEXT)).checked.findings, {"before": old, "this": new}


def played(engine: Engine, trace: Trace, texts: dict[str, str]) -> list[tuple[bool, str]]:
    """Whether each move worked, and its error."""
    versions = [(f"{number}.yaml", texts[which]) for number, which in enumerate(trace.versions)]
    script = read(list(trace.moves), trace.tool, [name for name, _ in versions], CONTEXT.release)
    plays = perform(script, set_up(engine, script, versions, CONTEXT))
    return [(play.ok, play.error.strip()) for play in plays]


@pytest.mark.parametrize("path", upgrades(), ids=lambda path: path.stem)
def test_a_trace_can_be_rehearsed(path: Path, engine: Engine) -> None:
    found, texts = findings(engine, path)
    for trace in (finding.trace for finding in found if finding.trace is not None):
        plays = played(engine, trace, texts)
        assert [row.works is not False for row in trace.rows] == [works for works, _ in plays], trace.moves
        assert trace.rows[-1].error == plays[-1][1]
        for row, (_, error) in zip(trace.rows, plays, strict=True):
            told = [deed for deed in row.did if not deed.startswith("revision ")]
            assert row.error in (error, *([""] if told else [])), (trace.moves, row)


def test_a_trace_says_which_version_was_there_first(engine: Engine) -> None:
    found, _ = findings(engine, TAPES / "wb101-bad.txtar")
    [trace] = [finding.trace for finding in found if finding.rule == "WB101"]
    assert trace is not None
    assert trace.versions == ("before", "this")
    assert [row.move for row in trace.rows] == ["install, the version before", "upgrade, new version"]
