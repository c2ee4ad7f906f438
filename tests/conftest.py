"""What every suite uses: the repository, an engine, and `watchbill` as a user runs it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from watchbill.charts.engine import Engine

ROOT = Path(__file__).resolve().parent.parent

# How long an example takes depends on what else this machine does.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

Watchbill = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.fixture
def watchbill(tmp_path: Path) -> Watchbill:
    """The command in a process of its own, at the repository's root, with a state folder of its own."""

    def run(
        *arguments: str, env: dict[str, str] | None = None, given: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "watchbill", *arguments],
            capture_output=True,
            text=True,
            input=given,
            cwd=ROOT,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), **(env or {})},
            check=False,
        )

    return run
