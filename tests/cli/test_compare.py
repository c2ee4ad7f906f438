"""What `watchbill compare` takes, prints and ends with; what it finds is held elsewhere."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Watchbill

ORDERS, NEXT, BILLING = (f"examples/charts/{name}" for name in ("orders", "orders-1.5.0", "billing"))
EXISTS = "examples/tutorial/5-tidy"
TOOLS = ("helm@3.19", "helm@4")
JOB = """apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: "%s"}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "app:1"}]
"""
FINE, IN_THE_WAY = JOB % "before-hook-creation", JOB % "hook-failed"


def chart(folder: Path, template: str, kind: str = "application", version: str = "1.0.0") -> Path:
    (folder / "templates").mkdir(parents=True, exist_ok=True)
    (folder / "Chart.yaml").write_text(
        f"apiVersion: v2\nname: {folder.name}\nversion: {version}\ntype: {kind}\n"
    )
    (folder / "templates" / "job.yaml").write_text(template)
    return folder


def report(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_the_same_is_one_line_and_exit_0(watchbill: Watchbill) -> None:
    done = watchbill("compare", *TOOLS, ORDERS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("orders 1.4.0    the same under helm 3.19 and helm 4.3: ")
    assert not done.stderr


def test_a_difference_is_told_with_both_tools_and_exit_1(watchbill: Watchbill) -> None:
    done = watchbill("compare", *TOOLS, EXISTS)
    assert done.returncode == 1, done.stderr
    title = 'the retry fails under helm 3.19 at Job "shop-migrate", works under helm 4.3 without running it'
    assert title in done.stdout
    assert "\n        helm 3.19  fails  pre-upgrade hooks failed" in done.stdout
    assert "\n        helm 4.3   works  Job/shop-migrate is there already" in done.stdout


def test_the_path_it_tells_is_one_that_rehearse_can_play(watchbill: Watchbill) -> None:
    [found] = report(watchbill("compare", *TOOLS, EXISTS, "-o", "json"))["charts"]
    [difference] = found["differences"]
    for tool, moves, side in zip(TOOLS, difference["moves"], difference["sides"], strict=True):
        done = watchbill("rehearse", EXISTS, *moves, "--tool", tool, "--release", "shop", "-o", "json")
        last = json.loads(done.stdout)["moves"][-1]
        assert (last["ok"], last["error"]) == (side["works"], side["error"])


def test_either_order_of_the_tools(watchbill: Watchbill) -> None:
    said = [
        report(watchbill("compare", *tools, EXISTS, "-o", "json"))["charts"][0]["differences"][0]
        for tools in (TOOLS, TOOLS[::-1])
    ]
    assert said[0]["title"] == said[1]["title"]
    assert said[0]["sides"] == said[1]["sides"][::-1]


def test_this_very_upgrade(watchbill: Watchbill, tmp_path: Path) -> None:
    old, new = chart(tmp_path / "a/shop", IN_THE_WAY), chart(tmp_path / "b/shop", FINE, version="1.1.0")
    same = report(watchbill("compare", *TOOLS, str(new), "--from", str(old), "-o", "json"))["charts"][0]
    assert (same["fromVersion"], same["version"]) == ("1.0.0", "1.1.0")
    # What the old one does with itself is not asked; going back to it from the new one is.
    assert [one["title"] for one in same["differences"]] == [
        'the retry leaves Job "migrate" under helm 3.19, not under helm 4.3'
    ]
    back = report(watchbill("compare", *TOOLS, str(old), "--from", str(new), "-o", "json"))["charts"][0]
    assert [one["objects"] for one in back["differences"]] == [["Job/migrate"]] * len(back["differences"])
    assert back["differences"]


def test_charts_that_changed(watchbill: Watchbill, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", "-C", str(tmp_path), *who, *arguments], check=True, capture_output=True)

    chart(tmp_path / "one", FINE)
    chart(tmp_path / "two", FINE)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    chart(tmp_path / "two", IN_THE_WAY)
    done = watchbill("compare", *TOOLS, str(tmp_path), "--since", "HEAD", "-o", "json")
    assert [found["name"] for found in report(done)["charts"]] == ["two"]
    assert done.returncode == 1


def test_manifests(watchbill: Watchbill, tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(IN_THE_WAY)
    done = watchbill("compare", *TOOLS, "-m", str(file))
    assert done.returncode == 1
    title = 'every upgrade fails under helm 3.19 at Job "migrate", works under helm 4.3 without running it'
    assert title in done.stdout


def test_values_decide(watchbill: Watchbill, tmp_path: Path) -> None:
    template = (JOB % "{{ .Values.policy }}").replace("%", "")
    path = str(chart(tmp_path / "shop", template))
    codes = [
        watchbill("compare", *TOOLS, path, "--set", f"policy={policy}").returncode
        for policy in ("before-hook-creation", "hook-failed")
    ]
    assert codes == [0, 1]


def test_values_of_ci_are_compared_too_and_named(watchbill: Watchbill, tmp_path: Path) -> None:
    path = chart(tmp_path / "shop", JOB % "{{ .Values.policy }}")
    (path / "values.yaml").write_text("policy: before-hook-creation\n")
    (path / "ci").mkdir()
    (path / "ci" / "odd-values.yaml").write_text("policy: hook-failed\n")
    done = watchbill("compare", *TOOLS, str(path))
    assert done.returncode == 1
    assert "only with" in done.stdout
    assert "odd-values.yaml" in done.stdout


def test_settings_say_how_a_chart_is_installed(watchbill: Watchbill, tmp_path: Path) -> None:
    chart(tmp_path / "shop", FINE)
    (tmp_path / ".watchbill.yaml").write_text("releases:\n- {chart: shop, name: blue, namespace: prod}\n")
    done = watchbill("compare", *TOOLS, str(tmp_path / "shop"), "-o", "json")
    assert report(done)["charts"][0]["assumed"][0] == 'release "blue" in namespace "prod"'


def test_helm_and_kubectl(watchbill: Watchbill, tmp_path: Path) -> None:
    path = chart(tmp_path / "shop", FINE.replace("pre-install,pre-upgrade", "pre-delete"))
    done = watchbill("compare", "helm@4", "kubectl", str(path))
    assert done.returncode == 1, done.stderr
    assert 'the install runs Job "migrate" under kubectl 1.37, not under helm 4.3' in done.stdout


def test_many_charts_one_of_them_broken(watchbill: Watchbill, tmp_path: Path) -> None:
    chart(tmp_path / "bad", '{{ fail "no" }}')
    chart(tmp_path / "fine", FINE)
    chart(tmp_path / "lib", "", kind="library")
    chart(tmp_path / "way", IN_THE_WAY)
    done = watchbill("compare", *TOOLS, str(tmp_path))
    assert done.returncode == 2  # it beats 1
    assert "not compared" in done.stdout
    assert "skipped: a library chart" in done.stdout
    assert "in 1 of 2 charts; 1 chart not compared; 1 skipped" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_equal_input_gives_equal_bytes(watchbill: Watchbill, form: str) -> None:
    outputs = [
        watchbill("compare", *TOOLS, "examples", "-o", form, env={"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0]


BAD = {
    "no tool": ([], "compare needs two tools\n  write: watchbill compare helm@3.19 helm@4 ./chart"),
    "one tool": (["helm@4"], "compare needs two tools"),
    "charts first": ([ORDERS, "helm@4"], f"watchbill compare helm@3.19 helm@4 {ORDERS}"),
    "no such tool": (["helm@4", "helmet", ORDERS], "unknown tool 'helmet'"),
    "no such version": (["helm@4", "helm@2", ORDERS], "older than any version the model knows"),
    "the same twice": (["helm@4", "helm@4.3", ORDERS], "helm@4 and helm@4.3 are both helm 4.3.1"),
    "the only kubectl twice": (["kubectl", "kubectl", ORDERS], "kubectl and kubectl are both kubectl"),
    "no such form": ([*TOOLS, ORDERS, "-o", "xml"], "'xml' is not one of"),
    "no name of a release": ([*TOOLS, ORDERS, "--release", "A_b"], "'A_b' is not a valid release name"),
    "values for manifests": (
        [*TOOLS, "-m", "x.yaml", "--set", "a=b"],
        "values cannot be combined with rendered manifests",
    ),
    "stdin twice": ([*TOOLS, "-m", "-", "--from", "-"], "stdin can be read only once"),
    "charts and manifests": ([*TOOLS, ORDERS, "-m", "x.yaml"], "charts and -m cannot be mixed"),
}


@pytest.mark.parametrize(("arguments", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_error(watchbill: Watchbill, arguments: list[str], says: str) -> None:
    done = watchbill("compare", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert says in done.stderr
    assert not done.stdout
