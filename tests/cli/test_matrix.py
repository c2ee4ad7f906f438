"""What `watchbill matrix` takes and prints; what its tables say is held elsewhere."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Watchbill

ORDERS, NEXT, BILLING = (f"examples/charts/{name}" for name in ("orders", "orders-1.5.0", "billing"))
JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "app:%s"}]
"""


def cells(said: str, scenario: str) -> dict[str, str]:
    """What each tool does to the first Job of the first chart."""
    report: dict[str, Any] = json.loads(said)
    rows = {row["scenario"]: row for row in report["charts"][0]["jobs"][0]["rows"]}
    return {cell["tool"]: cell["says"] for cell in rows[scenario]["cells"]}


def chart(folder: Path, template: str, kind: str = "application") -> Path:
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text(f"apiVersion: v2\nname: {folder.name}\nversion: 1.0.0\ntype: {kind}\n")
    (folder / "templates" / "job.yaml").write_text(template)
    return folder


def test_tools_are_columns(watchbill: Watchbill) -> None:
    done = watchbill("matrix", ORDERS)
    assert done.returncode == 0
    assert not done.stderr
    heads = [line.split() for line in done.stdout.split("\n") if line.startswith("    ")]
    assert "helm 4.3 helm 3.19 kubectl apply".split() in heads


def test_other_tools_in_the_order_given_and_each_once(watchbill: Watchbill) -> None:
    tools = ("--tool", "helm@3.16", "--tool", "helm@4.1", "--tool", "helm@3.16.4")
    done = watchbill("matrix", ORDERS, *tools, "-o", "json")
    assert json.loads(done.stdout)["charts"][0]["tools"] == ["helm@3.16.4", "helm@4.1.4"]


def test_the_release_is_named_after_the_chart_unless_it_has_a_name(watchbill: Watchbill) -> None:
    one, other = (
        json.loads(watchbill("matrix", ORDERS, *named, "-o", "json").stdout)["charts"][0]
        for named in ((), ("--release", "shop", "-n", "prod"))
    )
    assert (one["release"], one["namespace"], one["jobs"][0]["name"]) == (
        "orders",
        "default",
        "orders-migrate",
    )
    assert (other["release"], other["namespace"], other["jobs"][0]["name"]) == (
        "shop",
        "prod",
        "shop-migrate",
    )


def test_values_count(watchbill: Watchbill, tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text("database: {host: elsewhere}\n")
    done = watchbill("matrix", ORDERS, "-f", str(tmp_path / "values.yaml"), "-o", "json")
    assert cells(done.stdout, "value upgrade")["helm@4.3.1"] == "FAILS immutable"


def test_this_very_upgrade(watchbill: Watchbill) -> None:
    done = watchbill("matrix", NEXT, "--from", ORDERS, "-o", "json")
    report = json.loads(done.stdout)["charts"][0]
    assert (report["fromVersion"], report["version"]) == ("1.4.0", "1.5.0")
    assert cells(done.stdout, "version upgrade")["helm@3.19.0"] == "FAILS immutable"
    assert not {"image upgrade", "value upgrade"} & {row["scenario"] for row in report["jobs"][0]["rows"]}


def test_manifests(watchbill: Watchbill, tmp_path: Path) -> None:
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(JOB % 1)
    new.write_text(JOB % 2)
    alone = watchbill("matrix", "-m", str(new), "-o", "json")
    assert cells(alone.stdout, "rollback")["helm@4.3.1"] == "does not run"
    pair = watchbill("matrix", "-m", str(new), "--from", str(old), "-o", "json")
    assert cells(pair.stdout, "version upgrade")["kubectl@1.37.1"] == "FAILS immutable"
    [job] = json.loads(pair.stdout)["charts"][0]["jobs"]
    assert (job["location"]["file"], job["location"]["line"]) == (str(new), 1)


def test_equal_input_gives_equal_bytes(watchbill: Watchbill) -> None:
    outputs = [
        watchbill("matrix", BILLING, ORDERS, env={"PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]


def test_several_charts_and_one_that_is_broken(watchbill: Watchbill, tmp_path: Path) -> None:
    chart(tmp_path / "bad", '{{ fail "no" }}')
    chart(tmp_path / "good", JOB % 1)
    chart(tmp_path / "lib", "", kind="library")
    done = watchbill("matrix", str(tmp_path), "--tool", "helm@4")
    assert done.returncode == 2
    assert "good 1.0.0, release" in done.stdout
    assert "skipped: a library chart" in done.stdout
    assert "bad" in done.stderr
    assert "Traceback" not in done.stderr


def test_values_of_ci_serve_where_the_charts_own_do_not(watchbill: Watchbill, tmp_path: Path) -> None:
    picky = chart(tmp_path / "picky", (JOB % 1).replace("main", '{{ required "a name" .Values.name }}'))
    (picky / "ci").mkdir()
    (picky / "ci" / "test-values.yaml").write_text("name: main\n")
    done = watchbill("matrix", str(picky), "--tool", "helm@4")
    assert done.returncode == 0, done.stderr
    assert "test-values.yaml: the chart's own are not enough" in " ".join(done.stdout.split())


def test_nothing_to_run(watchbill: Watchbill, tmp_path: Path) -> None:
    quiet = chart(tmp_path / "quiet", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n")
    done = watchbill("matrix", str(quiet))
    assert done.stdout == "quiet 1.0.0: no Job and no hook Pod, so there is nothing to run\n"


BAD = {
    "no such chart": (["nope"], "nope: no such file or directory"),
    "no such tool": ([ORDERS, "--tool", "helmet"], "unknown tool 'helmet'"),
    "no such version": ([ORDERS, "--tool", "helm@2"], "older than any version the model knows"),
    "no such form": ([ORDERS, "-o", "xml"], "'xml' is not one of"),
    "no name of a release": ([ORDERS, "--release", "A_b"], "'A_b' is not a valid release name"),
    "charts and manifests": ([ORDERS, "-m", "x.yaml"], "charts and -m cannot be mixed"),
    "values for manifests": (
        ["-m", "x.yaml", "--set", "a=b"],
        "values cannot be combined with rendered manifests",
    ),
    "no such file": (["-m", "nope.yaml"], "the manifests cannot be read"),
    "stdin twice": (["-m", "-", "--from", "-"], "stdin can be read only once"),
    "no version before": ([ORDERS, "--from", "nope"], "nope"),
}


@pytest.mark.parametrize(("arguments", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_error(watchbill: Watchbill, arguments: list[str], says: str) -> None:
    done = watchbill("matrix", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert says in done.stderr
    assert not done.stdout
