"""docs/library-tutorial.md: its commands are run in order, in a namespace, and print what the page says they print."""

import json
from pathlib import Path

import pytest

from dev.cluster.client import Namespace
from dev.examples import ROOT
from tests.support.tutorials import environment, examples, printed, says

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("node", "membership_images")]

PAGE = ROOT / "docs/library-tutorial.md"
CHART = ROOT / "examples/charts/membership"
# On a machine that does much else, a new database may take minutes: an attempt that waits for it must not end before.
PATIENCE = {"config": {job: {"attemptSeconds": 280} for job in ("migration", "wizard")}}


def test_the_page_is_true(namespace: Namespace, tmp_path: Path) -> None:
    around = environment(tmp_path, own_namespace(namespace, tmp_path / "kubeconfig"))
    (tmp_path / "patience.json").write_text(json.dumps(PATIENCE))
    patient = f"acme . --values {tmp_path}/patience.json --timeout 10m "
    told = examples(PAGE)
    assert len(told) > 20

    for command, output in told:
        now = printed(command.replace("acme . ", patient), CHART, around)
        assert says(output, now), f"$ {command}\n{now}"


def own_namespace(namespace: Namespace, kubeconfig: Path) -> Path:
    """The reader's context has a namespace."""
    config = json.loads(namespace.cluster.kubeconfig.read_text())
    for context in config["contexts"]:
        context["context"]["namespace"] = namespace.name
    kubeconfig.write_text(json.dumps(config))
    return kubeconfig
