"""docs/library-tutorial.md: its commands are run in order, in a namespace, and print what the page says they print.

A fenced block `shellsession` holds commands and their output, with `…` as in other pages (dev/examples.py).
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from dev import binaries
from dev.cluster.client import Namespace
from dev.examples import ROOT, parts, pattern

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("node", "membership_images")]

PAGE = ROOT / "docs/library-tutorial.md"
CHART = ROOT / "examples/charts/membership"
# On a machine that does much else, a new database may take minutes: an attempt that waits for it must not end before.
PATIENCE = {"config": {job: {"attemptSeconds": 280} for job in ("migration", "wizard")}}
BLOCK = re.compile(r"^```shellsession\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_page_is_true(namespace: Namespace, tmp_path: Path) -> None:
    environment = prepared(namespace, tmp_path)
    (tmp_path / "patience.json").write_text(json.dumps(PATIENCE))
    patient = f"acme . --values {tmp_path}/patience.json --timeout 10m "
    examples = [example for block in BLOCK.findall(PAGE.read_text()) for example in parts(block)]
    assert len(examples) > 20

    for command, output in examples:
        now = printed(command.replace("acme . ", patient), environment)
        assert re.fullmatch(pattern(output), now), f"$ {command}\n{now}"


def prepared(namespace: Namespace, place: Path) -> dict[str, str]:
    """What the reader has: the programs by name, and a cluster with a namespace of one's own."""
    programs = place / "programs"
    programs.mkdir()
    (programs / "helm").symlink_to(binaries.helm("4.3.1"))
    (programs / "kubectl").symlink_to(binaries.kubectl())
    config = json.loads(namespace.cluster.kubeconfig.read_text())
    for context in config["contexts"]:
        context["context"]["namespace"] = namespace.name
    kubeconfig = place / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {
        **os.environ,
        "PATH": path,
        "KUBECONFIG": str(kubeconfig),
        "HELM_CACHE_HOME": str(place / "cache"),
    }


def printed(command: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        check=False,
        cwd=CHART,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=660,
    )
    return done.stdout
