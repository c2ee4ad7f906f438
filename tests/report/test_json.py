"""The JSON keeps its promise: a published schema, current and true."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.conftest import Watchbill
from tests.report.golden import FOLDER, OPTIONS, compare, names, read
from tests.report.samples import PLAIN, run_of
from watchbill.checking.result import Location
from watchbill.report import json as json_report


def test_the_published_schema_is_that_of_the_types(root: Path) -> None:
    compare(root / "docs/schemas/check.json", json.dumps(json_report.schema(), indent=2) + "\n")


def accepts(schema: Path, report: str, watchbill: Watchbill, folder: Path) -> bool:
    """Helm's validator of values knows the schema's dialect, and nothing of how we write reports."""
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: schema\nversion: 1.0.0\n")
    (folder / "values.schema.json").write_text(schema.read_text())
    (folder / "report.json").write_text(report)
    done = watchbill("show", str(folder), "-f", str(folder / "report.json"))
    assert done.returncode == 0 or "schema" in done.stderr, done.stderr
    return done.returncode == 0


@pytest.mark.parametrize("name", names())
def test_every_report_is_valid(name: str, root: Path, watchbill: Watchbill, tmp_path: Path) -> None:
    report = (FOLDER / name / "report.json").read_text()
    assert accepts(root / "docs/schemas/check.json", report, watchbill, tmp_path)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ('"schema": 1', '"schema": 2'),
        ('"level": "error"', '"level": "fatal"'),
        ('"line": 4', '"line": "4"'),
        ('"fingerprint"', '"finger"'),
        ('"works": true', '"works": "yes"'),
    ],
)
def test_the_schema_refuses_what_is_wrong(
    true: str, false: str, root: Path, watchbill: Watchbill, tmp_path: Path
) -> None:
    report = (FOLDER / "error-and-note" / "report.json").read_text()
    assert true in report
    assert not accepts(root / "docs/schemas/check.json", report.replace(true, false, 1), watchbill, tmp_path)


def test_every_finding_stands_once_and_names_its_charts() -> None:
    said = json.loads(json_report.report(read("many-charts"), OPTIONS))
    assert said["schema"] == 1
    assert said["summary"]["found"] == {"error": 3, "warning": 1, "note": 2}
    assert [len(finding["charts"]) for finding in said["findings"]] == [3, 1, 1, 1, 1, 1]
    assert {chart["path"]: chart["found"]["error"] for chart in said["charts"]}["charts/b"] == 1


def test_a_finding_without_charts_gets_the_one_it_was_found_in() -> None:
    said = json.loads(json_report.report(read("bare-finding"), OPTIONS))
    assert said["findings"][0]["charts"] == ["x.tgz"]


def test_a_file_name_that_is_no_unicode_can_be_written() -> None:
    odd = replace(PLAIN, location=Location("a\udc80.yaml", 1))
    said = json.loads(json_report.report(run_of(odd), OPTIONS))
    assert said["findings"][0]["location"]["file"] == "a\\udc80.yaml"
