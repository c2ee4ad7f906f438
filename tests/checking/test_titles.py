"""No title says that an operation works, or fails, against the trace below it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.report.samples import PLAIN
from tests.support.titles import contradiction
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking.check import check
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.checking.result import Row, Trace
from watchbill.rehearsal.script import read_tool

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
CHARTS = sorted(
    path.parent
    for folder in ("charts", "stories", "tutorial")
    for path in EXAMPLES.glob(f"{folder}/*/Chart.yaml")
)
TOOLS = tuple(map(read_tool, ("helm@4", "helm@3.19")))


@pytest.mark.parametrize("chart", CHARTS, ids=lambda path: path.name)
def test_titles_of_the_examples_agree_with_their_traces(chart: Path, engine: Engine) -> None:
    result = check(engine, Subject(str(chart), source=str(chart)), Options(TOOLS, Context())).checked
    assert result.problem is None
    assert [text for finding in result.findings if (text := contradiction(finding))] == []


@pytest.mark.parametrize(
    ("title", "works", "agrees"),
    [
        ('the image upgrade works, and Secret "a" is gone', False, False),
        ('the image upgrade fails, and Secret "a" is gone', False, True),
        ("the retry fails: it is there", True, False),
        ("if a Job fails, the upgrade works", False, False),
        ('when hook Job "fails" fails, its logs are gone', True, True),
    ],
)
def test_a_contradiction_is_seen(title: str, works: bool, agrees: bool) -> None:
    rows = (Row("install", works=not works), Row("upgrade", works=works), Row("given: x", works=None))
    finding = replace(PLAIN, title=title, trace=Trace("helm@4.3.1", rows, ()))
    assert (contradiction(finding) == "") == agrees
