"""Objects that documents name."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml  # type: ignore[import-untyped]

from dev.cluster import fates
from dev.tapes.charts import documents


class Ref(NamedTuple):
    """An object as its document names it; what the document leaves open is empty."""

    api_version: str
    kind: str
    namespace: str
    name: str


def named_in(text: str) -> Iterator[Ref]:
    for thing in _objects_in(text):
        metadata = thing.get("metadata")
        if isinstance(metadata, dict) and metadata.get("name"):
            namespace = str(metadata.get("namespace") or "")
            yield Ref(str(thing.get("apiVersion", "")), thing["kind"], namespace, str(metadata["name"]))


def needed_in(text: str) -> Iterator[Ref]:
    """What pods of these documents do not start without."""
    for thing in _objects_in(text):
        namespace = str((thing.get("metadata") or {}).get("namespace") or "")
        for pod in _pods(thing.get("spec")):
            account = pod.get("serviceAccountName") or pod.get("serviceAccount")
            if account:
                yield Ref("v1", "ServiceAccount", namespace, account)
            for resource, name in fates.needs({"spec": pod}):
                yield Ref("v1", _KINDS[resource], namespace, name)


_KINDS = {"configmaps": "ConfigMap", "secrets": "Secret", "persistentvolumeclaims": "PersistentVolumeClaim"}


def _objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Items of a List one by one. A document that is no YAML holds none: no tool gets as far as creating it."""
    for document in documents(text):
        try:
            yield from _items(yaml.load(document, yaml.CSafeLoader))
        except yaml.YAMLError:
            continue


def _items(thing: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(thing, dict) or not isinstance(kind := thing.get("kind"), str):
        return
    if kind.endswith("List") and isinstance(items := thing.get("items"), list):
        for item in items:
            yield from _items(item)
    else:
        yield thing


def _pods(spec: Any) -> Iterator[dict[str, Any]]:
    """The pod that is described by a spec, or by the template in it, or in the template of a template."""
    if not isinstance(spec, dict):
        return
    if isinstance(spec.get("containers"), list):
        yield spec
    for template in (spec.get("template"), spec.get("jobTemplate")):
        if isinstance(template, dict):
            yield from _pods(template.get("spec"))
