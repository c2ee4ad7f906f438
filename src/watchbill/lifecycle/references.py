"""What a pod needs before it can start: an absent one keeps it waiting for as long as it is absent."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from watchbill.lifecycle.kube.decode import decode_error
from watchbill.lifecycle.objects import Body, Key, at

TEMPLATES = {"Pod": (), "CronJob": ("spec", "jobTemplate", "spec", "template")}

Path = tuple[str | int, ...]


class _Reference(Struct, frozen=True):
    """One field of a pod that names another object."""

    group: str
    kind: str
    name: str
    path: Path  # from the pod's spec on


def pod_path(kind: str) -> tuple[str, ...]:
    """Where the pod stands that an object of a kind makes, or is."""
    return TEMPLATES.get(kind, ("spec", "template"))


@lru_cache(1 << 14)
def pod_spec(body: Body) -> dict[str, Any] | None:
    """The pod that an object makes, or is. One that the server could not read, or that has nothing where something should
    be, names nothing either."""
    spec = at(body.object, *pod_path(body.kind), "spec")
    if not isinstance(spec, dict) or "containers" not in spec:
        return None
    unreadable = decode_error({"apiVersion": "v1", "kind": "Pod", "spec": spec}) or _has_gaps(spec)
    return None if unreadable else spec


def _has_gaps(thing: Any) -> bool:
    """An empty item of a list is what a template leaves of one that was not to be."""
    if isinstance(thing, list):
        return None in thing or any(map(_has_gaps, thing))
    return isinstance(thing, dict) and any(map(_has_gaps, thing.values()))


@lru_cache(1 << 14)
def needs(body: Body, namespace: str) -> tuple[Key, ...]:
    """ServiceAccount, ConfigMaps, Secrets, claims and CSI classes without which its pod does not start.

    Not imagePullSecrets: the kubelet goes on without a missing one.
    """
    return tuple(places(body, namespace))


def places(body: Body, namespace: str) -> Mapping[Key, Path]:
    """The same, each with the field that names it first."""
    spec = pod_spec(body)
    found = dict[Key, Path]()
    if spec is not None:
        start = (*pod_path(body.kind), "spec")
        for one in _references(spec):
            found.setdefault(Key(one.group, one.kind, namespace, one.name), (*start, *one.path))
    return found


def containers(spec: Mapping[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Those of a pod, in the order in which they start."""
    for field in ("initContainers", "containers"):
        for place, container in enumerate(spec.get(field) or ()):
            yield (field, place), container


def _references(spec: dict[str, Any]) -> Iterator[_Reference]:
    for field in ("serviceAccountName", "serviceAccount"):
        if account := spec.get(field):
            if account != "default":
                yield _Reference("", "ServiceAccount", account, (field,))
            break
    for path, container in containers(spec):
        for place, variable in enumerate(container.get("env") or ()):
            source = (*path, "env", place, "valueFrom")
            yield from _chosen(variable.get("valueFrom") or {}, "configMapKeyRef", "secretKeyRef", source)
        for place, source in enumerate(container.get("envFrom") or ()):
            yield from _chosen(source, "configMapRef", "secretRef", (*path, "envFrom", place))
    for place, volume in enumerate(spec.get("volumes") or ()):
        yield from _volume(volume, ("volumes", place))


def _chosen(source: dict[str, Any], config_map: str, secret: str, path: Path) -> Iterator[_Reference]:
    for field, kind in ((config_map, "ConfigMap"), (secret, "Secret")):
        reference = source.get(field)
        if reference and reference.get("name") and not reference.get("optional"):
            yield _Reference("", kind, reference["name"], (*path, field, "name"))


def _volume(volume: dict[str, Any], path: Path) -> Iterator[_Reference]:
    if (config_map := volume.get("configMap")) and not config_map.get("optional"):
        yield _Reference("", "ConfigMap", config_map.get("name", ""), (*path, "configMap", "name"))
    if (secret := volume.get("secret")) and not secret.get("optional"):
        yield _Reference("", "Secret", secret.get("secretName", ""), (*path, "secret", "secretName"))
    if claim := at(volume, "persistentVolumeClaim", "claimName"):
        place = (*path, "persistentVolumeClaim", "claimName")
        yield _Reference("", "PersistentVolumeClaim", claim, place)
    for number, source in enumerate(at(volume, "projected", "sources") or ()):
        yield from _chosen(source, "configMap", "secret", (*path, "projected", "sources", number))
    if provider := at(volume, "csi", "volumeAttributes", "secretProviderClass"):
        place = (*path, "csi", "volumeAttributes", "secretProviderClass")
        yield _Reference("secrets-store.csi.x-k8s.io", "SecretProviderClass", provider, place)
