"""The engine's own tests, run where all others are."""

import subprocess
from pathlib import Path

from dev.go import ENGINE, environment, go


def test_the_engine_passes_its_own_tests() -> None:
    done = subprocess.run(
        [str(go()), "test", "./..."],
        cwd=ENGINE,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_helm_library_is_the_one_the_tests_compare_with(root: Path) -> None:
    from watchbill.charts.engine import Engine
    from watchbill.charts.render import parse

    with Engine() as engine:
        parse(engine, "x", "")
        assert f"helm.sh/helm/v4 v{engine.helm_version}" in (root / "engine/go.mod").read_text()
