"""SARIF: right by Microsoft's validator, and right by what was found."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from msgspec.structs import replace

from dev.binaries import BinaryError
from dev.multitool import complaints, multitool
from tests.report.golden import FOLDER, OPTIONS, names, read
from tests.report.samples import HUGE, PLAIN, monster, run_of
from watchbill.checking.result import Finding, Location
from watchbill.report import sarif
from watchbill.report.options import ReportOptions
from watchbill.report.rule_pages import read_page
from watchbill.rules.registry import RULES


@pytest.fixture(scope="module")
def judge() -> None:
    """It comes with npm, which a machine need not have; once it is here, it judges."""
    try:
        multitool()
    except BinaryError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("judge")
def test_microsofts_validator_has_nothing_to_say_against_it(tmp_path: Path) -> None:
    odd = replace(PLAIN, location=Location("a\udc80.yaml", 1))
    files = [FOLDER / name / "report.sarif" for name in names()]
    files.append(tmp_path / "pages.sarif")
    files[-1].write_text(sarif.report(run_of(PLAIN), ReportOptions(rules=RULES, page_of=read_page)))
    for name, finding in (("huge", monster(HUGE)), ("odd", odd)):
        files.append(tmp_path / f"{name}.sarif")
        files[-1].write_text(sarif.report(run_of(finding), OPTIONS))
    assert complaints(files) == []


def test_a_rule_carries_its_whole_page_and_no_link_that_leads_nowhere() -> None:
    options = ReportOptions(rules=RULES, page_of=read_page)
    written = sarif.report(run_of(PLAIN), options)
    assert "watchbill.dev/rules" not in written
    assert "helpUri" not in written
    (driver,) = (run["tool"]["driver"] for run in json.loads(written)["runs"])
    for rule, described in zip(RULES, driver["rules"], strict=True):
        assert described["help"]["markdown"] == read_page(rule).strip()
        assert described["help"]["text"].startswith(f"{rule.id} {rule.name}\n")
        for title in ("What happens", "Live with it today"):
            assert title in described["help"]["text"]


@pytest.mark.usefixtures("judge")
def test_the_validator_would_say_so(tmp_path: Path) -> None:
    written = json.loads((FOLDER / "error-and-note" / "report.sarif").read_text())
    written["runs"][0]["results"][0]["ruleIndex"] = 99
    file = tmp_path / "wrong.sarif"
    file.write_text(json.dumps(written))
    assert complaints([file])


def results(*findings: Finding, path: str = "chart") -> list[dict[str, Any]]:
    run: list[dict[str, Any]] = json.loads(sarif.report(run_of(*findings, path=path), OPTIONS))["runs"]
    return list(run[0]["results"])


@pytest.mark.parametrize("name", names())
def test_results_point_at_their_rules_and_lines(name: str) -> None:
    run = read(name)
    written = json.loads(sarif.report(run, OPTIONS))["runs"][0]
    rules = written["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules][:3] == ["WB101", "WB301", "WB302"]
    assert len(written["results"]) == len(run.findings)
    for result, finding in zip(written["results"], run.findings, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding.rule
        assert result["level"] == finding.level
        assert result["partialFingerprints"] == {"watchbill/v1": finding.fingerprint}
        place = result["locations"][0]["physicalLocation"]
        if finding.location:
            assert unquote(place["artifactLocation"]["uri"]) == finding.location.file
            assert place["region"]["startLine"] == finding.location.line
            assert place["region"].get("startColumn", 0) == finding.location.column


@pytest.mark.parametrize(
    ("file", "written"),
    [
        ("./charts/a/templates/job.yaml", {"uri": "charts/a/templates/job.yaml", "uriBaseId": "%SRCROOT%"}),
        ("a b/100%/ü:#?.yaml", {"uri": "a%20b/100%25/%C3%BC%3A%23%3F.yaml", "uriBaseId": "%SRCROOT%"}),
        ("../other/job.yaml", {"uri": "../other/job.yaml"}),
        ("/srv/chart/job.yaml", {"uri": "file:///srv/chart/job.yaml"}),
        ("a\udc80.yaml", {"uri": "a%80.yaml", "uriBaseId": "%SRCROOT%"}),
    ],
)
def test_paths_are_uris(file: str, written: dict[str, str]) -> None:
    (result,) = results(replace(PLAIN, location=Location(file, 1)))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == written


@pytest.mark.parametrize(
    ("chart", "uri"),
    [
        ("charts/a", "charts/a/Chart.yaml"),
        (".", "Chart.yaml"),
        ("a-1.0.0.tgz", "a-1.0.0.tgz"),
        ("rendered.yaml", "rendered.yaml"),
        ("stdin", "stdin"),
    ],
)
def test_what_has_no_place_is_shown_at_its_chart(chart: str, uri: str) -> None:
    (result,) = results(replace(PLAIN, location=None, charts=()), path=chart)
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_the_trace_is_a_code_flow() -> None:
    (finding,) = (one for one in read("error-and-note").findings if one.trace)
    (result,) = results(finding)
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"].split(":")[0] for step in steps] == [
        "install works",
        "upgrade, new image fails",
    ]
    assert [step["importance"] for step in steps] == ["important", "essential"]
    assert steps[-1]["state"]["before"]["text"].startswith("revision 1 deployed")


def test_a_chart_that_was_not_checked_is_no_success() -> None:
    (invocation,) = json.loads(sarif.report(read("many-charts"), OPTIONS))["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    told = [note["message"]["text"].partition(":")[0] for note in invocation["toolExecutionNotifications"]]
    assert told == ["charts/secret", "charts/broken"]


def test_what_is_ignored_is_left_out() -> None:
    assert json.loads(sarif.report(read("ignored-and-facts"), OPTIONS))["runs"][0]["results"] == []


def test_text_of_strangers_makes_no_link() -> None:
    (result,) = results(replace(PLAIN, title="see [here](https://example.org)"))
    assert "](" not in result["message"]["text"]
