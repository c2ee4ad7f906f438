"""Runs every example in the documentation and writes down what it prints now; read the diff before you commit it.

    python -m dev.examples [PAGE ...]

An example with `…` in it says what may be left out: it is only told whether it still holds.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROGRESS = re.compile(r"^\w+ \d+ of \d+ charts\n", re.MULTILINE)  # only a busy machine prints it
BLOCK = re.compile(r"^(```console\n)(.*?)(^```)", re.MULTILINE | re.DOTALL)


def pattern(output: str) -> str:
    """What an example's output must match: `…` stands for any text in a line; alone on a line, for any lines."""
    return re.sub(r"^…\\\n", r"(?:.*\\n)*", re.escape(output), flags=re.MULTILINE).replace("…", ".*")


def printed(command: str) -> str:
    assert command.startswith("watchbill "), f"an example is a watchbill command: {command}"
    runnable = command.replace("watchbill ", f"{sys.executable} -m watchbill ", 1)
    done = subprocess.run(["bash", "-c", runnable], capture_output=True, text=True, cwd=ROOT, check=False)
    return done.stdout + PROGRESS.sub("", done.stderr)


def parts(block: str) -> list[tuple[str, str]]:
    """Commands with their outputs."""
    found = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (part.partition("\n") for part in found)]


def renewed(page: Path) -> str:
    def block(match: re.Match[str]) -> str:
        return match[1] + "".join(_renewed(page, *part) for part in parts(match[2])) + match[3]

    return BLOCK.sub(block, page.read_text())


def _renewed(page: Path, command: str, output: str) -> str:
    now = printed(command)
    if "\n…\n" in f"\n{output}":
        if not re.fullmatch(pattern(output), now):
            print(f"{page.relative_to(ROOT)}: $ {command}\n{now}")
        now = output
    return f"$ {command}\n{now}"


def main() -> None:
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        page.write_text(renewed(page))


if __name__ == "__main__":
    main()
