"""What the model foretells of a chart stops a deploy before it begins; and it is what helm says if it is begun nevertheless."""

import re
from pathlib import Path

import pytest

from dev.cluster.client import Namespace
from tests.support.products import BROKEN, CONFIG, HELM_3, HELM_4, Product

pytestmark = pytest.mark.cluster

# A plain Job under a fixed name: its template can never be changed.
PLAIN = """
apiVersion: batch/v1
kind: Job
metadata: {name: {{ .Release.Name }}-migrate}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "example.org/console:{{ .Chart.Version }}"}]
"""


@pytest.mark.parametrize("helm", [HELM_4, HELM_3])
def test_from_what_is_installed_to_what_is_deployed(helm: str, namespace: Namespace, tmp_path: Path) -> None:
    product = Product(namespace, tmp_path / "product")
    product.chart("console", PLAIN)
    product.chart("web", CONFIG)
    product.bill("console", "web")
    product.deployed(helm=helm)
    product.chart("console", PLAIN, version="1.1.0")
    product.chart("web", CONFIG, version="1.1.0")
    product.job("console", "pre", "before")
    product.bill("console", "web", version="1.1.0", upgradesFrom="1.0.0")

    namespace.wait_for_job("console-migrate", "Complete")
    before = product.snapshot()
    plan = product.run("bill.yaml", "--plan", helm=helm)
    assert plan.code == 1, plan.said
    assert "console: " in plan.out
    assert "immutable" in plan.out
    stopped = product.deploy(helm=helm)
    assert (stopped.code, stopped.out) == (1, "")
    assert "nothing was begun" in stopped.err
    rules = set(re.findall(r"--accept (WB\d+)", stopped.err))
    assert rules
    assert product.snapshot() == before
    assert product.journal == []

    begun = product.deploy(*(f"--accept={rule}" for rule in rules), helm=helm)
    assert begun.code == 1
    assert begun.ended["console chart"] == "failed", "as it was foretold"
    assert "immutable" in begun.err
    assert begun.ended["web"] == "done"


def test_what_is_not_deployed_is_not_looked_at(namespace: Namespace, tmp_path: Path) -> None:
    product = Product(namespace, tmp_path / "product")
    product.chart("bad", BROKEN)
    product.bill("bad", "web")
    assert product.deploy().code == 1
    product.deployed("--only=web")
    unknown = product.deploy("--accept=WB999")
    assert unknown.code == 2
    assert "WB999" in unknown.err
