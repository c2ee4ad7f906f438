"""Charts with a file over 5 MiB: which versions of Helm refuse them, and in which words."""

import subprocess
from pathlib import Path

import pytest

from dev.binaries import HELMS, helm
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.charts.render import Failure, render

LIMIT = 5 << 20


@pytest.mark.parametrize("size", [LIMIT, LIMIT + 1])
def test_a_large_file_is_refused_as_helm_does(engine: Engine, tmp_path: Path, size: int) -> None:
    folder = tmp_path / "big"
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: big\nversion: 1.0.0\n")
    (folder / "templates" / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    (folder / "big.txt").write_bytes(b"a" * size)
    looks = render(
        engine, load(engine, str(folder)), [Context(helm_version=f"v{version}") for version in HELMS]
    )
    for version, look in zip(HELMS, looks, strict=True):
        done = subprocess.run(
            [helm(version), "template", "r", str(folder)], capture_output=True, text=True, check=False
        )
        said = f"Error: {look.error.message}\n" if isinstance(look, Failure) else ""
        assert done.stderr == said, version
