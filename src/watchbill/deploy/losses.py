"""What goes, and what stays behind, when a release is uninstalled: said before it is done."""

from collections.abc import Iterator
from typing import Any

import yaml  # type: ignore[import-untyped]
from lightkube import LoadResourceError
from lightkube.core.resource import NamespacedResource
from lightkube.core.resource_registry import resource_registry
from lightkube.resources.core_v1 import PersistentVolumeClaim

from watchbill.deploy import listing
from watchbill.deploy.patience import patiently
from watchbill.deploy.releases import Content, Release, content
from watchbill.kube.client import Kube
from watchbill.kube.errors import KubeError

_POLICY = "helm.sh/resource-policy"

Manifest = dict[str, Any]


async def losses(kube: Kube, release: Release) -> list[str]:
    """A line for each volume claim and each hook that is there now, and what becomes of it."""
    held = await content(kube, release, release.last)
    return [*await _volumes(kube, release, held), *await _hooks(kube, release, held)]


async def _volumes(kube: Kube, release: Release, held: Content) -> list[str]:
    fates = list(_fates(held, release.namespace))
    there = {
        (namespace, about.name)
        for namespace in {release.namespace, *(namespace for namespace, _, _ in fates)}
        for about in await listing.metadata(kube, PersistentVolumeClaim, namespace)
    }
    lines = []
    for namespace, name in sorted(there):
        fate = next((said for place, known, said in fates if place == namespace and _fits(known, name)), None)
        if fate:
            lines.append(f"volume claim {namespace}/{name} {fate}")
    return lines or ["it has no volume claims"]


def _fates(held: Content, default: str) -> Iterator[tuple[str, str, str]]:
    """Namespace, name and what becomes of it; a name that ends in `-*` stands for all numbers."""
    for manifest in _manifests(held.manifest):
        about = manifest.get("metadata") or {}
        namespace, name = about.get("namespace") or default, str(about.get("name", ""))
        kept = str((about.get("annotations") or {}).get(_POLICY, "")).strip().lower() == "keep"
        if manifest.get("kind") == "PersistentVolumeClaim":
            yield (
                namespace,
                name,
                "stays: the chart keeps it"
                if kept
                else "is deleted, and its data where the volume is not retained",
            )
        elif manifest.get("kind") == "StatefulSet":
            spec = manifest.get("spec") or {}
            policy = (spec.get("persistentVolumeClaimRetentionPolicy") or {}).get("whenDeleted")
            goes = policy == "Delete" and not kept
            for template in spec.get("volumeClaimTemplates") or []:
                claim = (template.get("metadata") or {}).get("name", "")
                said = (
                    "is deleted with its StatefulSet, which wants it so"
                    if goes
                    else f"stays: it was made by StatefulSet {name}"
                )
                yield namespace, f"{claim}-{name}-*", said


def _fits(known: str, name: str) -> bool:
    if not known.endswith("-*"):
        return known == name
    return name.startswith(known[:-1]) and name[len(known) - 1 :].isdecimal()


async def _hooks(kube: Kube, release: Release, held: Content) -> list[str]:
    lines = []
    for text in held.hooks:
        for manifest in _manifests(text):
            about = manifest.get("metadata") or {}
            namespace, name = about.get("namespace") or release.namespace, str(about.get("name", ""))
            kind = str(manifest.get("kind", ""))
            match await _is_there(kube, str(manifest.get("apiVersion", "")), kind, namespace, name):
                case True:
                    lines.append(f"hook {kind} {namespace}/{name} stays: helm does not take hooks away")
                case None:
                    lines.append(
                        f"hook {kind} {namespace}/{name} stays if it is there: helm does not take hooks away"
                    )
    return lines or ["no hook of it is there"]


async def _is_there(kube: Kube, version: str, kind: str, namespace: str, name: str) -> bool | None:
    """None: not known, since the kind is not one of Kubernetes' own, or may not be looked at."""
    try:
        resource = resource_registry.load(version, kind)
    except (LoadResourceError, ValueError):
        return None
    place = {"namespace": namespace} if issubclass(resource, NamespacedResource) else {}
    try:
        await patiently(lambda: kube.get(resource, name, **place))
    except KubeError as error:
        if error.is_missing:
            return False
        if error.is_forbidden:
            return None
        raise
    return True


def _manifests(text: str) -> Iterator[Manifest]:
    """As helm stored them: it has read every one of them itself."""
    for document in yaml.load_all(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(document, dict):
            yield document
