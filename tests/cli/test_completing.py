"""Completion, as bash asks for it: the script is loaded into a real shell, and each test is a line with the cursor at
its end."""

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

# What readline does before it calls the function: it splits the line at word breaks, `@` and `=` among them.
ASK = r"""
eval "$2"
compopt() { echo "compopt $1 $2"; }
COMP_LINE=$1 COMP_POINT=${#1}
part=${COMP_LINE##*[[:space:]@=]}
_watchbill_completion watchbill "$part"
printf '%s\n' "${COMPREPLY[@]}"
"""
PATHS, FOLDERS = "compopt -o default", "compopt -o dirnames"
BILL = """\
product: shop
version: 1.0.0
defaultNamespace: shop
components:
  - {name: web, chart: web}
  - {name: worker, chart: worker}
profiles:
  production:
  staging:
environments:
  customer-a:
  customer-b:
"""


@functools.cache
def script() -> str:
    return subprocess.run(
        [sys.executable, "-m", "watchbill", "completion", "bash"], capture_output=True, text=True, check=True
    ).stdout


def offered(folder: Path, line: str) -> list[str]:
    program = folder / "watchbill"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m watchbill "$@"\n')
    program.chmod(0o755)
    (folder / "bill.yaml").write_text(BILL)
    done = subprocess.run(
        ["bash", "-c", ASK, "bash", line, script()],
        capture_output=True,
        text=True,
        cwd=folder,
        check=True,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
    )
    assert done.stderr == ""
    return [word for word in done.stdout.splitlines() if word]


@pytest.mark.parametrize(
    "line",
    [
        "check exam",
        "check ",
        "check one -f ",
        "check one --from ",
        "check one --baseline ba",
        "check --config=",
        "matrix exam",
        "rehearse exam",
        "rehearse ",
        "compare helm@4 helm@3.19 exam",
        "show exam",
        "deploy bi",
        "jobs list --bill ",
        "history --kubeconfig ",
    ],
)
def test_paths_are_left_to_the_shell(tmp_path: Path, line: str) -> None:
    assert offered(tmp_path, f"watchbill {line}") == [PATHS]


@pytest.mark.parametrize("line", ["deploy --through ", "init "])
def test_folders(tmp_path: Path, line: str) -> None:
    assert offered(tmp_path, f"watchbill {line}") == [FOLDERS]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("explain WB10", {"WB101", "WB102"}),
        ("explain wb10", {"WB101"}),
        ("explain hook-already", {"hook-already-exists"}),
        ("check one --select WB3", {"WB301"}),
        ("check one --select WB101,WB3", {"WB101,WB301"}),
        ("deploy --accept WB4", {"WB401"}),
        ("check one --tool ku", {"kubectl@1.37.1"}),
        ("check one --tool he", {"helm@4.3.1", "helm@3.19.0"}),
        ("check one --tool helm@3", {"3.19.0", "3.18.0"}),  # bash has `helm@` already
        ("check one --tool=helm@", {"4.3.1", "3.19.0"}),
        ("compare he", {"helm@4.3.1"}),
        ("compare helm@4.3.1 he", {"helm@3.19.0"}),
        ("deploy --profile ", {"production", "staging"}),
        ("deploy -e cust", {"customer-a", "customer-b"}),
        ("deploy --only w", {"web", "worker"}),
        ("jobs list --profile st", {"staging"}),
    ],
)
def test_words(tmp_path: Path, line: str, words: set[str]) -> None:
    found = offered(tmp_path, f"watchbill {line}")
    assert words <= set(found)
    assert not {PATHS, FOLDERS} & set(found)


@pytest.mark.parametrize(
    ("line", "moves"),
    [
        ("rehearse one in", ["install"]),
        ("rehearse one install u", ["upgrade", "uninstall"]),
        ("rehearse one --tool kubectl ap", ["apply"]),
    ],
)
def test_moves_come_before_paths(tmp_path: Path, line: str, moves: list[str]) -> None:
    """The shell takes paths only where no word is offered."""
    assert offered(tmp_path, f"watchbill {line}") == [PATHS, *moves]


def test_a_bill_that_cannot_be_read_offers_nothing(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("components: [")
    assert offered(tmp_path, "watchbill deploy broken.yaml --profile ") == []
