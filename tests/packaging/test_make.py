"""What `make` needs: a Python that is new enough, and a place for Go to write."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dev.go import go
from hatch_build import compile_engine, writable_caches

# Runs the `-c` program of its command line as Python 3.10 would.
OLD_PYTHON = """#!/bin/sh
exec {python} -c 'import sys; sys.version_info = (3, 10, 1); exec(sys.argv[2])' "$@"
"""

# A Go that is new enough and compiles nothing.
FAILING_GO = """#!/bin/sh
[ "$1" = build ] || { echo go9.0.0; exit; }
echo 'go: no route to host' >&2
exit 1
"""


@pytest.mark.parametrize("target", ["demo", "env"])
def test_an_old_python_is_refused_at_once(root: Path, tmp_path: Path, target: str) -> None:
    old = tmp_path / "python3"
    old.write_text(OLD_PYTHON.format(python=sys.executable))
    old.chmod(0o755)
    environment, demo = tmp_path / "env", tmp_path / "demo"
    done = subprocess.run(
        ["make", target, f"PYTHON={old}", f"VENV={environment}", f"DEMO={demo}"],
        capture_output=True,
        text=True,
        cwd=root,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        check=False,
    )
    assert done.returncode == 2
    first = done.stderr.splitlines()[0]
    assert first.startswith(f"error: Watchbill needs Python 3.11 or newer, and {old} is 3.10; ")
    assert first.endswith(f"make PYTHON=python3.11 {target}")
    assert not environment.exists()
    assert not demo.exists()


def test_go_writes_elsewhere_if_home_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOENV"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert writable_caches(str(go()), tmp_path / "build") == {}
    (tmp_path / "file").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "file/home"))  # which not even root can make
    assert writable_caches(str(go()), tmp_path / "build") == {
        "GOCACHE": str(tmp_path / "build/gocache"),
        "GOMODCACHE": str(tmp_path / "build/gomodcache"),
    }


def test_a_build_that_fails_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], root: Path
) -> None:
    failing = tmp_path / "go"
    failing.write_text(FAILING_GO)
    failing.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(SystemExit, match=r"^watchbill: the engine could not be compiled; .* set GOPROXY$"):
        compile_engine(root / "engine", tmp_path / "out/engine", "digest", "linux/amd64")
    assert "no route to host" in capfd.readouterr().err
    assert not (tmp_path / "out/engine").exists()
