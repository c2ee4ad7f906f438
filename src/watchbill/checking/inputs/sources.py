"""What `--from` can name, and how it comes onto this disk."""

import os

from msgspec import Struct

from watchbill.checking.inputs.discovery import ARCHIVES
from watchbill.checking.inputs.fetching import Helm, Package, pull
from watchbill.checking.inputs.gitsource import Repository, Snapshot
from watchbill.checking.inputs.workspace import Workspace
from watchbill.errors import UserError
from watchbill.patterns import regex

FORMS = "a directory, a .tgz, git:REF, git:REF:PATH, oci://HOST/CHART:VERSION or REPO/CHART@VERSION"
_GIT, _OCI = "git:", "oci://"
_URLS = ("http://", "https://")
_IN_REPOSITORY = regex(r"([\w.-]+/[\w.-]+)@([^\s@/]+)")
_OCI_TAG = regex(r"(oci://.+/[^/:@]+)[:@]([^/:@]+)")


class Local(Struct, frozen=True):
    path: str


class AtRef(Struct, frozen=True):
    ref: str
    path: str = ""  # empty: where it is now


Reference = Local | AtRef | Package


def read(text: str) -> Reference:
    """What is there wins: a directory may have any name."""
    if text.startswith(_GIT) and not os.path.lexists(text):
        ref, _, path = text.removeprefix(_GIT).partition(":")
        if not ref:
            raise UserError(
                f"{text!r} names no git ref", then="write it like git:v1.2.0 or git:v1.2.0:charts/app"
            )
        return AtRef(ref, path)
    if text.startswith(_OCI):
        tagged = _OCI_TAG.fullmatch(text)
        return Package(tagged[1], tagged[2]) if tagged else Package(text)
    if text.startswith(_URLS):
        return Package(text)
    if os.path.lexists(text):
        return Local(text)
    if found := _IN_REPOSITORY.fullmatch(text):
        return Package(found[1], found[2])
    then = f"--from takes {FORMS}"
    if text.count("/") == 1 and not text.endswith(ARCHIVES):
        then = f"a chart of a helm repository is written with its version: {text}@VERSION\n{then}"
    raise UserError(f"{text}: no such file or directory", then=then)


class Sources:
    """Where versions come from in one run: each is fetched or checked out once."""

    def __init__(self, workspace: Workspace, helm: Helm) -> None:
        self._workspace = workspace
        self._helm = helm
        self._pulled: dict[Package, str] = {}
        self._snapshots: dict[tuple[str, str], Snapshot] = {}

    def pulled(self, package: Package) -> str:
        if package not in self._pulled:
            self._pulled[package] = pull(package, self._helm, self._workspace)
        return self._pulled[package]

    def snapshot(self, repository: Repository, commit: str) -> Snapshot:
        key = repository.top, commit
        if key not in self._snapshots:
            self._snapshots[key] = Snapshot(repository, commit, self._workspace)
        return self._snapshots[key]
