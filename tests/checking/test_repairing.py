"""An install that fails does not hide what happens after it."""

from pathlib import Path

import pytest

from tests.support.checks import found, found_in_chart, told
from watchbill.charts.engine import Engine

REFUSED = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndatas: {a: x}\n---\n"
JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: 'app:1'}]}}}
"""
IN_A_LIST = (
    JOB.replace("name: migrate", "name: other").replace("name: main,", "name: main, imag: x,") + "---\n"
)


TWO_NAMES = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, generateName: settings-}\n---\n"


@pytest.mark.parametrize(
    ("refused", "rule"),
    [
        (REFUSED, "WB109"),
        (REFUSED.replace("datas", "data").replace("settings", "Not_A_Name"), "WB109"),
        (IN_A_LIST, "WB109"),
        (TWO_NAMES, "WB111"),
    ],
)
def test_later_operations_are_checked_with_the_refused_object_repaired(
    refused: str, rule: str, engine: Engine
) -> None:
    findings = found(engine, refused + JOB, tools=["helm@4.3.1"])
    assert [one.level for one in findings if one.rule == rule] == ["error"]
    assert "error Job/migrate" in told(findings, "WB101")
    [later] = [one for one in findings if one.objects == ("Job/migrate",) and one.rule == "WB101"]
    assert later.trace is not None
    assert [(row.move.partition(":")[0], row.works) for row in later.trace.rows] == [
        ("given", None),
        ("install", True),
        ("upgrade, new image", False),
    ]
    assert later.trace.moves == ()  # a rehearsal of them would end at the install


def test_the_version_before_may_be_the_one_that_cannot_be_installed(engine: Engine) -> None:
    changed = JOB.replace("app:1", "app:2")
    assert told(found(engine, changed, REFUSED + JOB, tools=["helm@4.3.1"]), "WB101") == ["error Job/migrate"]


def test_evidence_of_the_chart_as_it_is_comes_first(engine: Engine) -> None:
    [finding] = [one for one in found(engine, REFUSED + JOB) if one.rule == "WB101"]
    assert set(finding.tools) == {"helm@4.3.1", "helm@3.19.0"}
    assert finding.trace is not None
    assert finding.trace.tool == "helm@3.19.0"  # which drops the unknown field, and installs the rest


def test_an_object_that_others_need_is_not_taken_away(engine: Engine) -> None:
    needed = REFUSED.replace("settings", "Not_A_Name").replace("datas", "data")
    user = JOB.replace("containers:", "volumes: [{name: v, configMap: {name: Not_A_Name}}], containers:")
    findings = found(engine, needed + user, tools=["helm@4.3.1"])
    assert {one.rule for one in findings if one.level == "error"} == {"WB109"}


def test_a_refused_object_whose_name_differs_in_each_version_is_reported_once(
    engine: Engine, tmp_path: Path
) -> None:
    name = "work-{{ .Release.Name | trunc 40 }}-{{ .Chart.Version | sha256sum | trunc 8 }}"
    refused = JOB.replace("name: migrate", f'name: "{name}"').replace("Never", "Always")
    findings = found_in_chart(engine, {"templates/job.yaml": refused}, tmp_path)
    assert [one.level for one in findings if one.rule == "WB109"] == ["error"]
    assert told(findings, "WB104") == []
