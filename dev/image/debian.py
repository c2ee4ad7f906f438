"""Debian packages, downloaded and unpacked into the cache. Nothing is installed on the machine.

`apt-get` gets an empty list of installed packages and package lists of its own: so it resolves every
dependency, whatever the machine has, and needs no root.
"""

import hashlib
import platform
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from dev.cluster import lock, processes
from dev.cluster.errors import ClusterError
from dev.cluster.layout import cache_dir
from dev.cluster.progress import say

# Needed to install packages, not to run what is in them.
NEVER = ("debconf", "dpkg", "gcc-12-base", "libdb5.3", "mawk", "perl-base", "tar")
NO_USE = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/lintian")


def unpacked(name: str, packages: Sequence[str], finish: Callable[[Path], None] | None = None) -> Path:
    """A directory with the packages and all they depend on; `finish` completes it once."""
    recipe = [Path(__file__).read_bytes(), " ".join(packages).encode()]
    if finish is not None:
        recipe.append(Path(finish.__code__.co_filename).read_bytes())
    digest = hashlib.sha256(b"\0".join(recipe)).hexdigest()
    root = cache_dir() / "debian" / f"{name}-{digest[:16]}"
    with lock.held(root.with_name(root.name + ".lock")):
        if not root.exists():
            _make(root, packages, finish)
    return root


def program(root: Path, path: str) -> list[str]:
    """The command that runs a program of a root on this machine, with the root's libraries."""
    libraries = [root / prefix / f"{platform.machine()}-linux-gnu" for prefix in ("lib", "usr/lib")]
    loader = next((root / "lib64").glob("ld-linux*"))
    return [str(loader), "--library-path", ":".join(map(str, libraries)), str(root / path)]


def _make(root: Path, packages: Sequence[str], finish: Callable[[Path], None] | None) -> None:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise ClusterError(
            f"Debian packages are needed ({', '.join(packages)}) and this machine has no apt-get and dpkg-deb",
            "use Debian 12, or set WATCHBILL_KUBECONFIG to use an existing cluster",
        )
    say(f"downloading and unpacking Debian packages: {', '.join(packages)}")
    work = root.with_name(root.name + ".work")
    shutil.rmtree(work, ignore_errors=True)
    archives = _download(work, packages)
    draft = work / "root"
    draft.mkdir()
    for archive in archives:
        if archive.name.split("_")[0] not in NEVER:
            processes.quick(["dpkg-deb", "--extract", str(archive), str(draft)])
    for path in NO_USE:
        shutil.rmtree(draft / path, ignore_errors=True)
    if finish is not None:
        finish(draft)
    draft.replace(root)
    shutil.rmtree(work)
    say(f"unpacked {len(archives)} packages into {root}")


def _download(work: Path, packages: Sequence[str]) -> list[Path]:
    for directory in ("lists/partial", "cache/archives/partial", "logs"):
        (work / directory).mkdir(parents=True)
    (work / "status").touch()
    options = {
        "Dir::State::lists": work / "lists",
        "Dir::State::status": work / "status",
        "Dir::Cache": work / "cache",
        "Dir::Log": work / "logs",
        "Debug::NoLocking": 1,
        "APT::Install-Recommends": "false",
        # As an ordinary user apt cannot change to its own unprivileged one.
        "APT::Sandbox::User": "root",
    }
    apt = ["apt-get", "-q", "-y", *(f"-o{key}={value}" for key, value in options.items())]
    # A foreign source that does not answer must not stop us: the download below tells what is missing.
    updated = subprocess.run(
        [*apt, "update"], check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    try:
        processes.patient("downloading packages", [*apt, "--download-only", "install", *packages])
    except ClusterError as error:
        raise ClusterError(f"{error.what}\n{updated.stderr.strip()}", error.do) from None
    return sorted((work / "cache" / "archives").glob("*.deb"))
