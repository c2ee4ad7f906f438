"""docs/deploy-tutorial.md: its commands are run in order and print what the page says they print."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.cluster.client import Cluster
from dev.examples import ROOT
from tests.support.tutorials import environment, examples, printed, says

pytestmark = pytest.mark.cluster

PAGE = ROOT / "docs/deploy-tutorial.md"
HARBOUR = ROOT / "examples/bills/harbour"


@pytest.fixture
def empty(node: Cluster) -> Iterator[Cluster]:
    """Without a harbour, before and after: its bill names the namespace."""
    _clear(node)
    yield node
    _clear(node)


def test_the_page_is_true(empty: Cluster, tmp_path: Path) -> None:
    around = environment(tmp_path, empty.kubeconfig)
    watchbill = tmp_path / "programs/watchbill"
    watchbill.write_text(f'#!/bin/sh\nexec {sys.executable} -m watchbill "$@"\n')
    watchbill.chmod(0o755)
    told = examples(PAGE)
    assert len(told) >= 10

    for command, output in told:
        now = printed(command, HARBOUR, around)
        assert says(output, now), f"$ {command}\n{now}"


def _clear(cluster: Cluster) -> None:
    for what in ("namespace/harbour", "pv/harbour-logs", "storageclass/harbour"):
        cluster.kubectl("delete", what, "--ignore-not-found", "--timeout=120s")
