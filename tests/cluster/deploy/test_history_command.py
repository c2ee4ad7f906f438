"""`watchbill history`: what a person finds out about the last deploys."""

import re
from pathlib import Path

import pytest

from dev.cluster.client import Namespace
from dev.image.recipes import WATCHBILL
from tests.support.products import CONFIG, FAILING, Product

pytestmark = pytest.mark.cluster

LOUD = f"""apiVersion: batch/v1
kind: Job
metadata: {{name: {{{{ .Release.Name }}}}-migrate, annotations: {{helm.sh/hook: pre-install}}}}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: {WATCHBILL}
          command: [sh, -c, "echo the column name exists already; exit 3"]
"""


def test_what_is_remembered(namespace: Namespace, tmp_path: Path) -> None:
    product = Product(namespace, tmp_path / "product")
    product.job("web", "pre", "look", "for at in range(300):\n    ctx.log.info('line %s', at)")
    product.job("global", "post", "tell", "raise Manual('nobody can tell', 'tell it yourself')")
    product.bill("web", "shop")
    nothing = product.run(command="history")
    assert nothing.code == 0
    assert f"no deploy of shop is recorded in namespace {namespace.name}" in nothing.out
    assert product.run(command="history show").code == 2

    assert product.deploy().code == 1
    product.no_jobs()
    product.chart("web", CONFIG, version="1.0.1")
    product.bill("web", "shop")
    product.deployed()

    table = product.run(command="history").out.splitlines()
    assert re.match(r"2 .* nothing +1\.0\.0 +done", table[1]), table
    assert re.match(r"1 .* nothing +1\.0\.0 +manual .*nobody can tell", table[2]), table
    last = product.run(command="history show").out
    assert last.startswith("deploy 2 of shop: nothing → 1.0.0")
    assert "revision 2" in last
    first = product.run("1", "--logs", command="history show").out
    assert "nobody can tell" in first
    assert "what global/tell left to you:\n  tell it yourself" in first
    assert "line 299" in first
    assert "line 100\n" in first, "the last 200"
    assert "line 99\n" not in first
    shown = product.shown(1)
    [look] = [job for job in shown["jobs"] if job["identity"] == "web/look"]
    assert len(look["log"]) == 200
    assert [job["guide"] for job in shown["jobs"] if job["identity"] == "global/tell"] == ["tell it yourself"]
    missing = product.run("99", command="history show")
    assert missing.code == 2
    assert "99" in missing.err


def test_a_deploy_that_was_killed_is_said_to_be(namespace: Namespace, tmp_path: Path) -> None:
    product = Product(namespace, tmp_path / "product")
    product.job("web", "pre", "slow", "await asyncio.sleep(0 if (HERE / 'go').exists() else 60)")
    product.bill("web")
    process = product.start("bill.yaml")
    product.wait_for("web/slow begins")
    assert [one["status"] for one in product.history()] == ["running"]
    process.kill()
    process.communicate()
    assert [one["status"] for one in product.history()] == ["killed"], "before anybody has written that down"
    assert product.shown()["status"] == "killed"
    (product.folder / "go").touch()
    product.deployed()
    assert [one["status"] for one in product.history()] == ["done", "killed"]


def test_how_the_jobs_of_a_failed_chart_ended_is_shown_and_remembered(
    namespace: Namespace, tmp_path: Path
) -> None:
    product = Product(namespace, tmp_path / "product")
    product.chart("web", CONFIG, FAILING)
    product.bill("web")
    ran = product.run("bill.yaml", "--accept", "WB101")
    assert ran.code == 1
    failed = "Job web-migrate failed: BackoffLimitExceeded"
    assert f"    | {failed}" in ran.out
    assert failed in product.run("--logs", command="history show").out
    [web] = product.shown()["components"]
    assert any(line.startswith(failed) for line in web["log"])


@pytest.mark.usefixtures("node", "ours")
def test_the_last_lines_of_a_failed_container_are_shown_and_remembered(
    namespace: Namespace, tmp_path: Path
) -> None:
    product = Product(namespace, tmp_path / "product")
    product.chart("web", CONFIG, LOUD)
    product.bill("web")
    ran = product.run("bill.yaml")
    assert ran.code == 1
    for said in (ran.out, product.run("--logs", command="history show").out):
        assert "main ended with exit code 3 (Error)" in said
        assert "the column name exists already" in said
