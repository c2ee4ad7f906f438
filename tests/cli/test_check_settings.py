"""`.watchbill.yaml`, comments and baselines as users of `watchbill check` meet them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.trees import write

# A plain Job that cannot be changed (an error), and that stays behind nowhere; its chart says no more.
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: shop:{{ .Chart.Version }}
          args: [{{ .Values.mode | quote }}]
"""
CHART = {
    "shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    "shop/values.yaml": "mode: all\n",
    "shop/templates/job.yaml": JOB,
}

Check = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path, CHART | {".git/HEAD": ""})


@pytest.fixture
def watchbill(folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "watchbill", "check", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env=dict(os.environ), check=False
        )

    return run


@pytest.fixture
def check(watchbill: Callable[..., subprocess.CompletedProcess[str]]) -> Check:
    """The exit code, and the report."""

    def run(*arguments: str) -> tuple[int, dict[str, Any]]:
        done = watchbill("shop", "--output", "json", *arguments)
        assert done.stderr == "" or done.stderr.startswith("wrote "), done.stderr
        return done.returncode, json.loads(done.stdout)

    return run


def levels(report: dict[str, Any]) -> dict[str, str]:
    return {finding["rule"]: finding["level"] for finding in report["findings"]}


def test_without_settings_the_job_is_an_error(check: Check) -> None:
    code, report = check()
    assert code == 1
    assert levels(report)["WB101"] == "error"


def test_severities_and_fail_on(check: Check, folder: Path) -> None:
    write(folder, {".watchbill.yaml": "severities: {immutable-job: warning, WB303: off}\n"})
    code, report = check()
    assert (code, levels(report)["WB101"]) == (0, "warning")
    assert "WB303" not in levels(report)
    write(folder, {".watchbill.yaml": "severities: {WB101: warning}\nfailOn: warning\n"})
    assert check()[0] == 1
    assert check("--fail-on", "error")[0] == 0, "the command line has the last word"


def test_an_ignore_goes_with_its_reason_and_one_without_use_is_told(check: Check, folder: Path) -> None:
    text = """\
ignores:
  - {rule: WB101, resource: Job/*-migrate, reason: renamed by the pipeline}
  - {rule: WB101, dependency: redis, reason: not ours}
"""
    write(folder, {".watchbill.yaml": text})
    code, report = check()
    assert code == 0
    assert [
        (ignored["finding"]["rule"], ignored["reason"]) for ignored in report["charts"][0]["ignored"]
    ] == [("WB101", "renamed by the pipeline")]
    assert report["unknownIgnores"] == [".watchbill.yaml:3: WB101 in redis"]


def test_a_comment_in_the_template(check: Check, folder: Path) -> None:
    write(folder, {"shop/templates/job.yaml": f"# watchbill: ignore WB101 renamed by the pipeline\n{JOB}"})
    code, report = check()
    assert code == 0
    assert [ignored["reason"] for ignored in report["charts"][0]["ignored"]] == ["renamed by the pipeline"]


def test_a_comment_without_a_reason_is_an_error_of_its_chart(check: Check, folder: Path) -> None:
    write(folder, {"shop/templates/job.yaml": f"{JOB}# watchbill: ignore WB101\n"})
    code, report = check()
    assert code == 2
    problem = report["charts"][0]["problem"]
    assert problem["what"] == "shop/templates/job.yaml:13: the comment gives no reason to ignore WB101"


def test_a_baseline_hides_what_was_there_and_nothing_new(check: Check, folder: Path) -> None:
    file = folder / "baseline.json"
    write(folder, {".watchbill.yaml": "baseline: baseline.json\n"})
    check("--write-baseline", "baseline.json")
    written = file.read_bytes()
    assert b'"WB101"' in written
    assert check("--fail-on", "note")[0] == 0
    check("--write-baseline", "baseline.json")
    assert file.read_bytes() == written, "what the old baseline knows is in the new one, too"
    write(folder, {"shop/templates/job.yaml": f"# A line more.\n{JOB}"})
    assert check("--fail-on", "note")[0] == 0, "lines do not matter"
    write(folder, {"shop/Chart.yaml": CHART["shop/Chart.yaml"].replace("1.0.0", "2.0.0")})
    assert check("--fail-on", "note")[0] == 0, "nor do versions"
    write(folder, {"shop/templates/second.yaml": JOB.replace("-migrate", "-second")})
    code, report = check()
    assert code == 1
    assert {finding["location"]["file"] for finding in report["findings"]} == {"shop/templates/second.yaml"}
    (folder / "shop/templates/job.yaml").unlink()
    assert any(line.startswith("baseline.json: WB101") for line in check()[1]["unknownIgnores"])


def test_a_release_is_checked_as_it_is_installed(check: Check, folder: Path) -> None:
    text = """\
releases:
  - {chart: shop, name: membership, namespace: prod, values: [prod.yaml], tools: [helm@3.19]}
"""
    write(
        folder,
        {
            ".watchbill.yaml": text,
            "prod.yaml": "mode: none\n",
            "shop/templates/job.yaml": f'{{{{ if ne .Values.mode "none" }}}}\n{JOB}{{{{ end }}}}\n',
        },
    )
    code, report = check()
    assert code == 0, "with these values there is no Job"
    [chart] = report["charts"]
    assert chart["tools"] == ["helm@3.19.0"]
    assert chart["assumed"][0] == 'release "membership" in namespace "prod"'


def test_a_contract_is_judged(check: Check, folder: Path) -> None:
    text = 'contracts: [{job: "*-migrate", runs: each-upgrade}]\nignores: [{rule: WB101, reason: known}]\n'
    assert check()[1]["unknownIgnores"] == []
    write(folder, {".watchbill.yaml": text})
    assert levels(check()[1]).get("WB601") == "error"


def test_a_scenario_of_ones_own_is_walked(check: Check, folder: Path) -> None:
    before = check()[1]["charts"][0]["scenarios"]
    text = "scenarios: [{name: again and again, moves: [install, upgrade, upgrade next]}]\n"
    write(folder, {".watchbill.yaml": text})
    _, report = check()
    assert report["charts"][0]["scenarios"] == before + 1
    [finding] = [finding for finding in report["findings"] if finding["rule"] == "WB101"]
    assert "again and again" in finding["scenarios"]


def test_flags_in_use_make_warnings_of_notes(check: Check, folder: Path) -> None:
    assert levels(check()[1])["WB102"] == "note"
    write(folder, {".watchbill.yaml": "flags: [--force]\n"})
    assert levels(check()[1])["WB102"] == "warning"


@pytest.mark.parametrize("arguments", [(), ("--config", "mine.yaml")])
def test_a_mistake_in_the_settings_is_exit_code_2(
    watchbill: Callable[..., subprocess.CompletedProcess[str]], folder: Path, arguments: tuple[str, ...]
) -> None:
    name = arguments[-1] if arguments else ".watchbill.yaml"
    write(folder, {name: "tools: [helm@4]\nserverities: {}\n"})
    done = watchbill("shop", *arguments)
    assert done.returncode == 2
    assert f"{name}:2: unknown key 'serverities'\n" in done.stdout + done.stderr
    assert "did you mean 'severities'?" in done.stdout + done.stderr


def test_a_file_of_settings_that_is_not_there(
    watchbill: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = watchbill("shop", "--config", "none.yaml")
    assert (done.returncode, done.stderr) == (
        2,
        "error: none.yaml: no such file\n  name the file with your settings\n",
    )


def test_broken_settings_of_one_chart_do_not_keep_others_from_being_checked(
    watchbill: Callable[..., subprocess.CompletedProcess[str]], folder: Path
) -> None:
    write(folder, {f"all/{path}": text for path, text in CHART.items()})
    write(folder, {f"all/other/{path.partition('/')[2]}": text for path, text in CHART.items()})
    write(folder, {"all/other/.watchbill.yaml": "tool: 1\n"})
    done = watchbill("all", "--output", "json")
    assert done.returncode == 2
    charts = {chart["path"]: chart for chart in json.loads(done.stdout)["charts"]}
    assert charts["all/other"]["problem"]["what"] == "all/other/.watchbill.yaml:1: unknown key 'tool'"
    assert charts["all/shop"]["found"]["error"] == 1
