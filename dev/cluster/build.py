"""The cluster's binaries, built once from Go modules and kept in the cache by version and digest."""

import hashlib
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from dev.cluster import lock, processes
from dev.cluster.errors import ClusterError
from dev.cluster.layout import COMPONENTS, cache_dir
from dev.cluster.progress import say

# The module whose version names the binary; `pause` is all ours.
MODULES = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube": "k8s.io/kubernetes",
    "coredns": "github.com/coredns/coredns",
    "pause": None,
}
CONTROL = ("etcd", "kube")
NODE = ("etcd", "kube", "coredns", "pause")

# Nothing of the building machine may reach the binary: two builds are equal byte for byte.
SETTINGS = {"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local", "GOWORK": "off"}


def binaries(names: Sequence[str]) -> dict[str, Path]:
    """A path for each name: from WATCHBILL_CLUSTER_BIN, from the cache, or built now."""
    prebuilt = os.environ.get("WATCHBILL_CLUSTER_BIN")
    if prebuilt:
        return {name: _prebuilt(Path(prebuilt).resolve(), name) for name in names}
    return {name: _cached(name) for name in names}


def _prebuilt(directory: Path, name: str) -> Path:
    path = directory / name
    if not os.access(path, os.X_OK):
        raise ClusterError(
            f"WATCHBILL_CLUSTER_BIN names {directory}, which has no program {name}",
            f"put {', '.join(MODULES)} there, or unset the variable to have them built",
        )
    return path


def _cached(name: str) -> Path:
    home = cache_dir() / "cluster" / "bin" / f"{name}-{version(name)}-{source_digest(name)[:16]}"
    binary = home / name
    with lock.held(home.with_name(home.name + ".lock")):
        if binary.exists() and _checksum(binary) != _recorded(home):
            say(f"{binary} is not what was built: building it again")
            shutil.rmtree(home)
        if not binary.exists():
            _build(name, home)
    return binary


def version(name: str) -> str:
    """The version in go.mod, without the v."""
    module = MODULES[name]
    if module is None:
        return "1"
    match = re.search(rf"^\s*(?:require )?{re.escape(module)} v(\S+)$", _go_mod(name), re.MULTILINE)
    if match is None:
        raise ClusterError(f"components/{name}/go.mod does not require {module}", "restore the file")
    return match[1]


def source_digest(name: str) -> str:
    """Of everything the binary is made from, except the compiler."""
    digest = hashlib.sha256(repr(_command(name, Path("out"))).encode())
    for file in sorted((COMPONENTS / name).iterdir()):
        digest.update(f"\0{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _go_mod(name: str) -> str:
    return (COMPONENTS / name / "go.mod").read_text()


def _command(name: str, output: Path) -> list[str]:
    flags = "-s -w"
    if name == "kube":
        # Built from modules, Kubernetes would call itself v0.0.0 and clients would believe it.
        major, minor, _ = version(name).split(".")
        stamp = {"gitVersion": f"v{version(name)}", "gitMajor": major, "gitMinor": minor}
        flags += "".join(f" -X k8s.io/component-base/version.{k}={v}" for k, v in stamp.items())
    # -v names each package when it is compiled: the progress a person sees.
    return ["build", "-v", "-trimpath", "-ldflags", flags, "-o", str(output), "."]


def _build(name: str, home: Path) -> None:
    go = _compiler(name)
    say(f"building {name} {version(name)} with {go} (once; the result is kept in {home})")
    draft = home.with_name(home.name + ".draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    command = ["nice", "-n", "10", str(go), *_command(name, draft / name)]
    processes.patient(f"building {name}", command, cwd=COMPONENTS / name, **SETTINGS)
    (draft / "sha256").write_text(_checksum(draft / name))
    draft.replace(home)
    say(f"built {name}: sha256 {_recorded(home)[:16]}...")


def _compiler(name: str) -> Path:
    """Asked for only when something is to be built: until then the bare interpreter is enough."""
    try:
        from dev.go import go_for
    except ModuleNotFoundError as error:
        raise ClusterError(
            f"{name} must be built first, and this interpreter has no {error.name}",
            "run `make env` and use .venv/bin/python, or set WATCHBILL_CLUSTER_BIN",
        ) from error
    return go_for(COMPONENTS / name)


def _recorded(home: Path) -> str:
    record = home / "sha256"
    return record.read_text() if record.exists() else ""


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
