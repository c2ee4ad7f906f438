"""Packaged dependencies: made by the real helm, and compared with what they were made of.

They are committed with Chart.lock, so that a fresh clone renders without a network. Two packages of one content are
not the same bytes (they hold times), so contents are compared.
"""

import hashlib
import json
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from dev import binaries
from dev.charts_tree import Chart, ChartsError

HELM = "4.3.1"


def helm(*arguments: str) -> None:
    """Nothing of the user's: no repositories, no registry logins, no kubeconfig."""
    with tempfile.TemporaryDirectory() as home:
        folders = {f"HELM_{kind}_HOME": home for kind in ("CACHE", "CONFIG", "DATA")}
        environment = {"PATH": os.environ["PATH"], "HOME": home, "KUBECONFIG": os.devnull, **folders}
        command = [str(binaries.helm(HELM)), *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ChartsError(f"helm {' '.join(arguments)}: {done.stderr.strip()}")


def renew(chart: Chart) -> bool:
    """Packages the dependencies anew and locks them; whether there was a need."""
    if not list(stale(chart)):
        return False
    for package in packaged(chart):  # one that cannot be read would keep helm from replacing it
        package.unlink()
    helm("dependency", "update", "--skip-refresh", str(chart.folder))
    return True


def stale(chart: Chart) -> Iterator[str]:
    """What is wrong with a chart's packaged dependencies and its lock."""
    if not chart.dependencies:
        return
    sources = {dependency.name: dependency.folder for dependency in chart.dependencies}
    present = packaged(chart)
    for name, folder in sources.items():
        with _package(folder) as fresh:
            copies = [copy for copy in present if _is_of(copy, name)]
            if [copy.name for copy in copies] != [fresh.name]:
                names = ", ".join(copy.name for copy in copies) or "nothing"
                yield f"{chart.path}/charts holds {names} instead of {fresh.name}"
            elif differing := _differing(copies[0], fresh):
                yield f"{chart.path}/charts/{fresh.name} is not what {folder.name} is now: {', '.join(differing)}"
    if not _is_locked(chart):
        yield f"{chart.path}/Chart.lock is not of Chart.yaml"


def packaged(chart: Chart) -> list[Path]:
    """The packages that were made of charts of this repository."""
    names = [dependency.name for dependency in chart.dependencies]
    found = sorted((chart.folder / "charts").glob("*.tgz"))
    return [package for package in found if any(_is_of(package, name) for name in names)]


def _is_of(package: Path, name: str) -> bool:
    """`lib-compat-1.0.0.tgz` is no package of `lib`."""
    return package.name.startswith(f"{name}-") and package.name[len(name) + 1 :][:1].isdigit()


@contextmanager
def _package(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as into:
        helm("package", str(folder), "--destination", into)
        yield next(Path(into).glob("*.tgz"))


def _differing(one: Path, other: Path) -> list[str]:
    ours, theirs = _members(one), _members(other)
    return sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))


def _members(package: Path) -> dict[str, bytes]:
    try:
        with tarfile.open(package) as archive:
            contents = {member.name: archive.extractfile(member) for member in archive}
            return {name: content.read() for name, content in contents.items() if content is not None}
    except (tarfile.TarError, EOFError):
        return {}


def _is_locked(chart: Chart) -> bool:
    """Whether `helm dependency build` would take the lock for one of this Chart.yaml: by the digest in it."""
    file = chart.folder / "Chart.lock"
    if not file.exists():
        return False
    asked = yaml.safe_load((chart.folder / "Chart.yaml").read_text())
    lock = yaml.safe_load(file.read_text())
    both = [_as_helm_hashes_it(one.get("dependencies") or ()) for one in (asked, lock)]
    digest = hashlib.sha256(json.dumps(both, separators=(",", ":")).encode()).hexdigest()
    return bool(lock.get("digest") == f"sha256:{digest}")


def _as_helm_hashes_it(dependencies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    order = "name version repository condition tags enabled import-values alias".split()
    return [{key: one[key] for key in order if key in one} for one in dependencies]
