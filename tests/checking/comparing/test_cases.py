"""What a comparison says of manifests: each case is a file with the tools, the manifests and what is said of them."""

import os
import re
from pathlib import Path

import pytest
from click import unstyle

from tests.support import txtar
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking.comparing.compare import compare
from watchbill.checking.comparing.result import Comparison
from watchbill.checking.comparing.run import read_tools
from watchbill.checking.inputs.subject import Subject
from watchbill.checking.options import Options
from watchbill.report import compare_text
from watchbill.report.options import ReportOptions

CASES = sorted((Path(__file__).parent / "cases").glob("*.txtar"))
EXPECTED = "says"
# `WATCHBILL_UPDATE=1 pytest tests/checking/comparing` writes anew what is expected. Read the difference.
UPDATE = bool(os.environ.get("WATCHBILL_UPDATE"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_is_said_of_a_case(path: Path, engine: Engine) -> None:
    said = told(path, engine)
    if UPDATE:
        inputs = path.read_text().partition(f"-- {EXPECTED} --\n")[0]
        path.write_text(f"{inputs}-- {EXPECTED} --\n{said}")
    assert said == txtar.read(path).files[EXPECTED].decode()


def told(path: Path, engine: Engine) -> str:
    files = {name: content.decode() for name, content in txtar.read(path).files.items()}
    tools = read_tools(*files["tools"].split())
    subject = Subject(
        "new.yaml",
        manifests=files["new.yaml"],
        manifests_name="new.yaml",
        old_manifests=files.get("old.yaml", ""),
        old_name="old.yaml",
    )
    found = compare(engine, subject, Options(tools, Context(release="r")))
    comparison = Comparison((str(tools[0]), str(tools[1])), (found,))
    said = unstyle(compare_text.report(comparison, ReportOptions())) + "\n"
    return re.sub(r"\d+ scenarios, \d+ paths", "… scenarios, … paths", said)  # there will be more of them


def test_the_cases_are_not_empty() -> None:
    assert len(CASES) >= 10
