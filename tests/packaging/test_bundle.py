"""The modules of `check` in one file, as a wheel has them: used where it fits, ignored where it does not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hatch_build

ROOT = Path(__file__).resolve().parents[2]
# They are imported before the file is read.
BEFORE = {"__init__.py", "__main__.py", "bundle.py", "interrupts.py", "lean.py", "process.py"}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The package as a wheel brings it."""
    package = tmp_path / "site" / "watchbill"
    shutil.copytree(ROOT / "src/watchbill", package, ignore=shutil.ignore_patterns("__pycache__", "_engine"))
    (package / "charts/_engine").symlink_to(ROOT / "src/watchbill/charts/_engine")
    (package / "check.bundle").write_bytes(hatch_build.bundled(ROOT / "src"))
    return package


def python(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(package.parent)},
    )


def check(package: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return python(package, "-m", "watchbill", "check", "examples/charts/orders", *options)


def spoil_sources(package: Path) -> None:
    for file in package.rglob("*.py"):
        if file.name not in BEFORE:
            file.write_text("raise ImportError('nobody should import this')")


def test_all_that_a_check_imports_is_in_it(installed: Path) -> None:
    expected = check(installed)
    assert "1 error" in expected.stdout
    spoil_sources(installed)
    done = check(installed)
    assert done.stdout == expected.stdout, done.stderr


def test_what_is_not_in_it_is_imported_as_ever(installed: Path) -> None:
    done = check(installed, "-o", "sarif")
    assert '"WB101"' in done.stdout, done.stderr


def test_another_python_does_not_read_it(installed: Path) -> None:
    bundle = installed / "check.bundle"
    bundle.write_bytes(b"\0" + bundle.read_bytes()[1:])
    assert "1 error" in check(installed).stdout
    spoil_sources(installed)
    assert "nobody should import this" in check(installed).stderr


def test_tracebacks_name_file_and_line(installed: Path) -> None:
    program = """
import traceback
from watchbill import bundle
bundle.load()
from watchbill.checking.run import exit_code
try:
    exit_code(None, allow_unchecked=False)
except AttributeError as error:
    print(*traceback.format_exception(error))
"""
    said = python(installed, "-c", program).stdout
    lines = (installed / "checking/run.py").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if "if not allow_unchecked" in text)
    assert f'File "watchbill/checking/run.py", line {line}, in exit_code' in said
    assert lines[line - 1].strip() in said
