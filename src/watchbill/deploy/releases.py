"""Helm's releases as they are stored in the cluster: one list request a namespace, of which only labels come back.

Helm itself would take a process a release to tell as much. What a revision holds is read only when asked for.
"""

import base64
import gzip
import os
import zlib
from collections.abc import Mapping
from typing import Any

import msgspec
from lightkube.resources.core_v1 import ConfigMap, Secret
from msgspec import Struct

from watchbill.deploy import listing
from watchbill.deploy.patience import patiently
from watchbill.errors import UserError
from watchbill.kube.client import Kube
from watchbill.kube.errors import KubeError
from watchbill.patterns import regex

PRODUCT = "watchbill.dev/product"
VERSION = "watchbill.dev/version"
PROFILE = "watchbill.dev/profile"
ENVIRONMENT = "watchbill.dev/environment"
OPERATION = "watchbill.dev/operation"

_NOT_IN_LABELS = regex(r"[^A-Za-z0-9._-]")
_LONGEST_LABEL = 63
_DEPLOYED = "deployed"
_GOOD = ("deployed", "superseded")


class Revision(Struct, frozen=True):
    number: int
    status: str  # helm's word: deployed, superseded, failed, pending-install, ...
    labels: Mapping[str, str]  # also those that helm was given
    stored: str  # the name of the object that holds it


class Release(Struct, frozen=True):
    """The revisions that helm still keeps, the oldest first; there is one at least."""

    name: str
    namespace: str
    revisions: tuple[Revision, ...]
    storage: str = "secret"  # what kind of object holds each

    @property
    def last(self) -> Revision:
        return self.revisions[-1]

    @property
    def status(self) -> str:
        return self.last.status

    @property
    def deployed(self) -> Revision | None:
        """The newest that helm counts as deployed: what the next upgrade starts from."""
        return next((each for each in reversed(self.revisions) if each.status == _DEPLOYED), None)

    @property
    def good(self) -> Revision | None:
        """The newest that once worked: what a rollback goes to."""
        return self.deployed or next(
            (each for each in reversed(self.revisions) if each.status in _GOOD), None
        )

    def is_adopted(self, product: str) -> bool:
        """Whether it worked before the product's first deploy: by somebody's own helm."""
        return any(
            each.status in _GOOD and each.labels.get(PRODUCT) != label(product) for each in self.revisions
        )

    @property
    def is_interrupted(self) -> bool:
        """Helm refuses to work on it: somebody is at it, or was when it died."""
        return self.status.startswith("pending-") or self.status == "uninstalling"


class Content(Struct, frozen=True):
    """What a revision consists of."""

    manifest: str
    hooks: tuple[str, ...]  # manifests
    chart: str  # name
    chart_version: str
    app_version: str
    values: Mapping[str, Any]  # what the user gave


class _Hook(Struct):
    manifest: str = ""


class _Metadata(Struct, rename="camel"):
    name: str = ""
    version: str = ""
    app_version: str = ""


class _Chart(Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class _Stored(Struct):
    manifest: str = ""
    hooks: list[_Hook] | None = None
    chart: _Chart = msgspec.field(default_factory=_Chart)
    config: dict[str, Any] | None = None


_decoder = msgspec.json.Decoder(_Stored)


def labels(product: str, version: str, profile: str, environment: str, operation: str) -> dict[str, str]:
    """What every release of a deploy carries."""
    given = {
        PRODUCT: product,
        VERSION: version,
        PROFILE: profile,
        ENVIRONMENT: environment,
        OPERATION: operation,
    }
    return {key: label(value) for key, value in given.items()}


def label(text: str) -> str:
    """As a label may say it: 1.0.0+build is 1.0.0_build. For helm "null" is a wish to take the label away."""
    said = _NOT_IN_LABELS.sub("_", text)[:_LONGEST_LABEL].strip("._-")
    return said if said not in ("", "null") else "none"


async def releases(
    kube: Kube, namespace: str, environment: Mapping[str, str] = os.environ
) -> dict[str, Release]:
    """All of a namespace, by name."""
    kind = _kind(environment)
    found: dict[str, list[Revision]] = {}
    for about in await listing.metadata(kube, kind, namespace, {"owner": "helm"}):
        name, number = about.labels.get("name"), about.labels.get("version", "")
        if name and number.isdecimal():
            revision = Revision(int(number), about.labels.get("status", "unknown"), about.labels, about.name)
            found.setdefault(name, []).append(revision)
    return {
        name: Release(
            name, namespace, tuple(sorted(revisions, key=lambda each: each.number)), kind.__name__.lower()
        )
        for name, revisions in found.items()
    }


async def content(kube: Kube, release: Release, revision: Revision) -> Content:
    """Of one revision; its values may hold secrets."""
    kind: type[Secret] | type[ConfigMap] = Secret if release.storage == "secret" else ConfigMap
    try:
        stored = await patiently(lambda: kube.get(kind, revision.stored, namespace=release.namespace))
    except KubeError as error:
        if not error.is_missing:
            raise
        raise UserError(
            f"revision {revision.number} of release {release.namespace}/{release.name} is gone: somebody else is at work",
            then="run this again",
        ) from None
    text = (stored.data or {}).get("release", "")
    try:
        packed = base64.b64decode(base64.b64decode(text) if kind is Secret else text)
        read = _decoder.decode(gzip.decompress(packed) if packed.startswith(b"\x1f\x8b") else packed)
    except (ValueError, OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        raise UserError(
            f"{kind.__name__} {release.namespace}/{revision.stored} does not hold a release: {error}",
            then=f"look at it: helm get all {release.name} --namespace {release.namespace}",
        ) from None
    about = read.chart.metadata
    hooks = tuple(hook.manifest for hook in read.hooks or [])
    return Content(read.manifest, hooks, about.name, about.version, about.app_version, read.config or {})


def _kind(environment: Mapping[str, str]) -> type[Secret] | type[ConfigMap]:
    """Where helm keeps its releases, which its user may have moved."""
    match environment.get("HELM_DRIVER", "").lower():
        case "" | "secret" | "secrets":
            return Secret
        case "configmap" | "configmaps":
            return ConfigMap
        case other:
            raise UserError(
                f"HELM_DRIVER={other}: releases that are not stored in the cluster cannot be deployed from here",
                then="unset HELM_DRIVER, or set it to secret or configmap",
            )
