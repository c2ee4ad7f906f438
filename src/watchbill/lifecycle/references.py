"""What a pod needs before it can start: an absent one keeps it waiting for as long as it is absent."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from watchbill.lifecycle.objects import Body, Key, at

TEMPLATES = {"Pod": (), "CronJob": ("spec", "jobTemplate", "spec", "template")}


def pod_spec(body: Body) -> dict[str, Any] | None:
    """The pod that an object makes, or is."""
    spec = at(body.object, *TEMPLATES.get(body.kind, ("spec", "template")), "spec")
    return spec if isinstance(spec, dict) and "containers" in spec else None


@lru_cache(1 << 14)
def needs(body: Body, namespace: str) -> tuple[Key, ...]:
    """ServiceAccount, ConfigMaps, Secrets, claims and CSI classes without which its pod does not start.

    Not imagePullSecrets: the kubelet goes on without a missing one.
    """
    spec = pod_spec(body)
    if spec is None:
        return ()
    found = dict.fromkeys(_needs(spec))
    return tuple(Key(group, kind, namespace, name) for group, kind, name in found)


def _needs(spec: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account and account != "default":
        yield "", "ServiceAccount", account
    for container in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]:
        for variable in container.get("env") or ():
            yield from _chosen(variable.get("valueFrom") or {}, "configMapKeyRef", "secretKeyRef")
        for source in container.get("envFrom") or ():
            yield from _chosen(source, "configMapRef", "secretRef")
    for volume in spec.get("volumes") or ():
        yield from _volume(volume)


def _chosen(source: dict[str, Any], config_map: str, secret: str) -> Iterator[tuple[str, str, str]]:
    for field, kind in ((config_map, "ConfigMap"), (secret, "Secret")):
        reference = source.get(field)
        if reference and reference.get("name") and not reference.get("optional"):
            yield "", kind, reference["name"]


def _volume(volume: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    if (config_map := volume.get("configMap")) and not config_map.get("optional"):
        yield "", "ConfigMap", config_map.get("name", "")
    if (secret := volume.get("secret")) and not secret.get("optional"):
        yield "", "Secret", secret.get("secretName", "")
    if claim := at(volume, "persistentVolumeClaim", "claimName"):
        yield "", "PersistentVolumeClaim", claim
    for source in at(volume, "projected", "sources") or ():
        yield from _chosen(source, "configMap", "secret")
    if provider := at(volume, "csi", "volumeAttributes", "secretProviderClass"):
        yield "secrets-store.csi.x-k8s.io", "SecretProviderClass", provider
