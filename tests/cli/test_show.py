"""What `watchbill show` says of a chart."""

import json
from pathlib import Path

import pytest

from tests.conftest import Watchbill

ODD = """
apiVersion: batch/v1
kind: Job
metadata: {name: kept, annotations: {helm.sh/resource-policy: keep}}
---
apiVersion: batch/v1
kind: Job
metadata: {generateName: made-up-, annotations: {helm.sh/hook: "post-upgrade,pre-install", helm.sh/hook-weight: "-3"}}
spec: {ttlSecondsAfterFinished: 90}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: asleep}
spec: {schedule: "0 3 * * *", suspend: true}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: types, annotations: {helm.sh/hook: crd-install}}
---
apiVersion: v1
kind: Pod
metadata: {name: "evil\\e[31mred\\nline", annotations: {helm.sh/hook: test}}
"""


@pytest.fixture
def odd(tmp_path: Path) -> str:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: odd\nversion: 1.0.0\n")
    (tmp_path / "templates" / "all.yaml").write_text(ODD)
    return str(tmp_path)


def test_each_object_says_when_it_runs_and_what_deletes_it(watchbill: Watchbill, odd: str) -> None:
    rows = [line.split("  ") for line in watchbill("show", odd).stdout.splitlines()[3:7]]
    assert [[cell.strip() for cell in row if cell.strip()] for row in rows] == [
        [
            "Job/made-up-*",
            "post-upgrade, pre-install",
            "-3",
            "before-hook-creation (default), 90s after finishing",
            "templates/all.yaml:6",
        ],
        ["Job/kept", "with the release", "never (resource-policy: keep)", "templates/all.yaml:2"],
        ["CronJob/asleep", "by schedule 0 3 * * *, suspended", "with the release", "templates/all.yaml:11"],
        [
            r"Pod/evil\x1b[31mred\nline",
            "test",
            "0",
            "before-hook-creation (default)",
            "templates/all.yaml:20",
        ],
    ]


def test_an_event_of_helm_2_is_named_as_such(watchbill: Watchbill, odd: str) -> None:
    assert "it was Helm 2's: put the CRD into crds/" in watchbill("show", odd).stdout


def test_json_holds_the_same_as_it_is(watchbill: Watchbill, odd: str) -> None:
    seen = json.loads(watchbill("show", odd, "-o", "json").stdout)
    assert [item["name"] for item in seen["items"]] == [
        "made-up-*",
        "kept",
        "asleep",
        "evil\x1b[31mred\nline",
    ]
    assert seen["dropped"][0]["unknownEvent"] == "crd-install"


def test_a_chart_without_any_says_so(watchbill: Watchbill, tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: none\nversion: 1.0.0\n")
    assert "no Jobs, CronJobs or hooks among 0 objects" in watchbill("show", str(tmp_path)).stdout


def test_a_path_may_have_spaces_and_be_an_archive(watchbill: Watchbill, odd: str, tmp_path: Path) -> None:
    import tarfile

    archive = tmp_path / "my chart.tgz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(f"{odd}/Chart.yaml", "odd/Chart.yaml")
        tar.add(f"{odd}/templates", "odd/templates")
    assert watchbill("show", str(archive)).stdout == watchbill("show", odd).stdout
