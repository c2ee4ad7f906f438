"""Pages that are played on a real cluster: fenced blocks `shellsession` with commands and what they print, `…` as in other
pages (dev/examples.py)."""

import os
import re
import subprocess
from pathlib import Path

from dev import binaries
from dev.examples import parts, pattern

BLOCK = re.compile(r"^```shellsession\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples(page: Path) -> list[tuple[str, str]]:
    """Commands with their outputs, in order."""
    return [example for block in BLOCK.findall(page.read_text()) for example in parts(block)]


def environment(place: Path, kubeconfig: Path) -> dict[str, str]:
    """What the reader has: the programs by name, and a cluster."""
    programs = place / "programs"
    programs.mkdir()
    (programs / "helm").symlink_to(binaries.helm("4.3.1"))
    (programs / "kubectl").symlink_to(binaries.kubectl())
    return {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "KUBECONFIG": str(kubeconfig),
        "HELM_CACHE_HOME": str(place / "cache"),
    }


def printed(command: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-c", command],
        check=False,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=660,
    )
    return done.stdout


def says(output: str, printed_now: str) -> bool:
    """Whether the page tells the truth; blanks at the end of a line are nobody's truth."""
    now = re.sub(r" +$", "", printed_now, flags=re.MULTILINE)
    return re.fullmatch(pattern(output), now) is not None
