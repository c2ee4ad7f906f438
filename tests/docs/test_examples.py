"""Every example in the documentation is run, and must print what the page says it prints.

A fenced block `console` holds commands after `$ ` and their output. `…` stands for any text in a line; alone
on a line, for any lines.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def examples() -> list[tuple[str, str, str]]:
    found = []
    for page in PAGES:
        for block in re.findall(r"^```console\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((str(page.relative_to(ROOT)), command, output))
    return found


def test_the_pages_have_examples() -> None:
    assert {"README.md", "docs/commands/show.md", "docs/commands/completion.md"} <= {
        page for page, _, _ in examples()
    }


@pytest.mark.parametrize(("page", "command", "output"), examples())
def test_an_example_prints_what_the_page_says(page: str, command: str, output: str) -> None:
    assert command.startswith("watchbill "), f"{page}: an example is a watchbill command"
    runnable = command.replace("watchbill ", f"{sys.executable} -m watchbill ", 1)
    done = subprocess.run(["bash", "-c", runnable], capture_output=True, text=True, cwd=ROOT, check=False)
    pattern = re.sub(r"^…\\\n", r"(?:.*\\n)*", re.escape(output), flags=re.MULTILINE).replace("…", ".*")
    assert re.fullmatch(pattern, done.stdout + done.stderr), (
        f"{page}: $ {command}\n{done.stdout}{done.stderr}"
    )
