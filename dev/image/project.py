"""The project itself as a layer: its wheel, and what the `cluster` extra brings, where Debian's Python looks."""

import configparser
import hashlib
import importlib.util
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from dev.cluster import processes
from dev.cluster.layout import CHECKOUT, cache_dir
from dev.cluster.progress import say

PACKAGES = "usr/local/lib/python3.11/dist-packages"
SOURCES = ("pyproject.toml", "hatch_build.py", "constraints.txt", "README.md", "LICENSE", "src", "engine")
LAUNCHER = "#!/usr/bin/python3.11\nimport sys\n\nfrom {module} import {function}\n\nsys.exit({function}())\n"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


def source_files() -> Iterator[Path]:
    """Everything the wheel is made of; not what a build leaves in the checkout."""
    for name in SOURCES:
        path = CHECKOUT / name
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and not {"__pycache__", "_engine"} & set(file.parts):
                yield file


def digest() -> str:
    total = hashlib.sha256(Path(__file__).read_bytes())
    for file in source_files():
        total.update(f"\0{file.relative_to(CHECKOUT)}\0".encode() + file.read_bytes())
    return total.hexdigest()


def layer() -> Path:
    """A directory with the installed project, made anew when a source has changed. One caller at a time."""
    home = cache_dir() / "image" / f"project-{digest()[:16]}"
    if not home.exists():
        for older in home.parent.glob("project-*"):
            shutil.rmtree(older)
        _make(home)
    return home


def _make(home: Path) -> None:
    say("building the project's wheel for the image")
    draft = home.with_name("project-draft")
    wheels = draft / "wheels"
    wheels.mkdir(parents=True)
    # The environment of `make env` has the build tool, pinned; a bare interpreter lets pip fetch it.
    isolation = ["--no-build-isolation"] if importlib.util.find_spec("hatchling") else []
    build = ["wheel", "--no-deps", *isolation, "--wheel-dir", str(wheels), str(CHECKOUT)]
    processes.patient("building the wheel", [*PIP, *build])
    wheel = next(wheels.glob("*.whl"))
    root = draft / "root"
    target = root / PACKAGES
    pins = draft / "pins.txt"
    pins.write_text(_without_hashes((CHECKOUT / "constraints.txt").read_text()))
    options = [
        "--no-compile",
        "--root-user-action=ignore",
        "--target",
        str(target),
        "--constraint",
        str(pins),
    ]
    requirement = f"watchbill[cluster] @ {wheel.as_uri()}"
    processes.patient("installing the wheel", [*PIP, "install", *options, *_for_debian(), requirement])
    _launchers(root)
    shutil.rmtree(wheels)
    root.replace(home)
    shutil.rmtree(draft)


def _without_hashes(constraints: str) -> str:
    """The same versions. A wheel built here has no hash to name, and pip wants all hashes or none."""
    lines = [line.removesuffix(" \\") for line in constraints.splitlines()]
    return "\n".join(line for line in lines if not line.lstrip().startswith("--hash")) + "\n"


def _for_debian() -> list[str]:
    """Wheels for the image's Python and C library, whichever interpreter runs this."""
    machine = platform.machine()
    tags = [f"manylinux_2_{minor}_{machine}" for minor in range(36, 4, -1)]
    platforms = [word for tag in [*tags, f"manylinux2014_{machine}"] for word in ("--platform", tag)]
    return [*platforms, "--python-version", "3.11", "--implementation", "cp", "--only-binary", ":all:"]


def _launchers(root: Path) -> None:
    """Commands for the image's interpreter: pip writes the running one's path into them."""
    packages = root / PACKAGES
    shutil.rmtree(packages / "bin", ignore_errors=True)
    binaries = root / "usr/local/bin"
    binaries.mkdir(parents=True)
    entry_points = next(packages.glob("watchbill-*.dist-info")) / "entry_points.txt"
    declared = configparser.ConfigParser()
    declared.read(entry_points)
    for name, target in declared["console_scripts"].items():
        module, _, function = target.partition(":")
        launcher = binaries / name
        launcher.write_text(LAUNCHER.format(module=module, function=function))
        launcher.chmod(0o755)
