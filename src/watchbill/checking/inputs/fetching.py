"""What the user's own helm fetches for us: with their repositories, their registry login, their proxy."""

import os
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from watchbill.checking.inputs.programs import Done, run
from watchbill.checking.inputs.workspace import Workspace, cached, keep
from watchbill.errors import UserError
from watchbill.patterns import regex

_SECONDS = 300.0
_EXACT = regex(r"v?\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?")
_DIGEST = regex(r"@sha256:[0-9a-f]{64}$")
_LOGIN = regex(r"(?<=://)[^/\s@]+@")
_MOST_LINES = 8


class KnownRepository(Struct, frozen=True):
    """As `helm repo list` says it."""

    name: str
    url: str


class Helm:
    """The binary `--helm` names, else $HELM, else the one on PATH."""

    def __init__(self, named: str | None = None) -> None:
        self.binary = named or os.environ.get("HELM") or "helm"

    def run(self, *arguments: str, need: str) -> Done:
        """`need` says what for, where there is no helm at all."""
        return run(
            [self.binary, *arguments],
            seconds=_SECONDS,
            then=f"helm is needed {need}\ninstall it, or name the binary with --helm or $HELM",
        )

    def repositories(self, *, need: str) -> list[KnownRepository]:
        said = self.run("repo", "list", "--output", "json", need=need)
        try:
            return msgspec.json.decode(said.out, type=list[KnownRepository]) if said.code == 0 else []
        except msgspec.DecodeError:
            return []


class Package(Struct, frozen=True):
    """A packaged chart somewhere else."""

    chart: str  # oci://host/chart, alias/chart or a URL
    version: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether it is the same tomorrow: a range or no version at all means the newest, and a URL any."""
        if self.chart.startswith(("http://", "https://")):
            return False
        return is_exact(self.version) or bool(_DIGEST.search(self.chart))

    def __str__(self) -> str:
        return without_login(f"{self.chart}@{self.version}" if self.version else self.chart)


def is_exact(version: str) -> bool:
    """One version, and no range of them."""
    return bool(_EXACT.fullmatch(version))


def pull(package: Package, helm: Helm, workspace: Workspace) -> str:
    """The path of its archive: in the cache if it was fetched before."""
    place = ""
    if package.is_fixed:
        place = cached("charts", package.chart, package.version, _address(package, helm))
        if archives := _archives(place):
            return archives[0]
    folder = workspace.folder()
    version = ("--version", package.version) if package.version else ()
    need = f"to fetch {package}"
    done = helm.run("pull", package.chart, *version, "--destination", folder, need=need)
    if done.code:
        raise UserError(f"{package}: helm cannot fetch it", where=words(done), then=_next(package, done.err))
    if place:
        folder = keep(folder, place)
    archives = _archives(folder)
    if len(archives) != 1:
        raise UserError(f"{package}: helm reported success, but left {len(archives)} packages instead of one")
    return archives[0]


def words(done: Done) -> str:
    """Helm's own, the last of them, without what logs in."""
    lines = [line for line in done.err.strip().splitlines() if line.strip()]
    said = "\n".join(lines[-_MOST_LINES:]) or f"exit code {done.code}, no message"
    return without_login(said)


def without_login(text: str) -> str:
    return _LOGIN.sub("…@", text)


def _archives(folder: str) -> list[str]:
    try:
        names: Sequence[str] = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".tgz")]


def _address(package: Package, helm: Helm) -> str:
    """What an alias stands for now: another repository may have its name tomorrow."""
    if "://" in package.chart:
        return ""
    alias = package.chart.partition("/")[0]
    known = helm.repositories(need=f"to fetch {package}")
    for repository in known:
        if repository.name == alias:
            return repository.url
    names = ", ".join(sorted(repository.name for repository in known))
    raise UserError(
        f"{package}: helm knows no repository {alias!r}",
        where=f"it knows: {names}" if names else None,
        then=f"add it: helm repo add {alias} URL",
    )


def _next(package: Package, said: str) -> str:
    if "try 'helm repo update'" in said:
        return "is the version right? then: helm repo update"
    then = f"look whether helm itself can: helm pull {without_login(package.chart)}"
    if package.chart.startswith("oci://"):
        host = package.chart.removeprefix("oci://").partition("/")[0]
        then += f"\nlog in with: helm registry login {host.rpartition('@')[2]}"
    return then
