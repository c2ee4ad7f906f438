"""docs/jobs.md is true: its modules load and pass `mypy --strict`, its test passes, and its commands print what it says.

A path in backquotes and a colon names the file that the block below it holds. A block `text` holds commands after `$ `,
run in the folder of those files. `…` stands for any text in a line.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from mypy import api

from dev.examples import parts, pattern

PAGE = Path(__file__).parents[2] / "docs/jobs.md"
FILE = re.compile(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the page shows, in files, and the charts that its bills name."""
    for name, text in FILE.findall(PAGE.read_text()):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for folder in (tmp_path, tmp_path / "wrong"):
        chart = folder / "charts/logging"
        chart.mkdir(parents=True)
        (chart / "Chart.yaml").write_text("apiVersion: v2\nname: logging\nversion: 1.0.0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands() -> list[tuple[str, str]]:
    return [part for block in COMMANDS.findall(PAGE.read_text()) for part in parts(block)]


def test_its_commands_print_what_it_says(project: Path) -> None:
    assert len(commands()) == 3
    for command, output in commands():
        words = command.split()
        assert words[0] == "watchbill"
        done = subprocess.run(
            [sys.executable, "-m", *words], capture_output=True, text=True, check=False, cwd=project
        )
        now = "".join(f"{line.rstrip()}\n" for line in (done.stdout + done.stderr).splitlines())
        assert re.fullmatch(pattern(output), now), now


def test_its_test_passes(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        capture_output=True,
        text=True,
        check=False,
        cwd=project,
    )

    assert "3 passed" in done.stdout, done.stdout + done.stderr


def test_its_modules_pass_the_strict_type_checker(project: Path) -> None:
    (project / "jobs/__init__.py").touch()

    said, problems, code = api.run(
        ["--strict", f"--cache-dir={project / 'cache'}", "jobs", "tests/test_volumes.py"]
    )

    assert (said.splitlines()[-1], problems, code) == ("Success: no issues found in 5 source files", "", 0)
