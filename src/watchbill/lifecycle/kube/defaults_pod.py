"""What the API server adds to the specification of a pod.

All functions here change what they are given: a canonical copy that belongs to the caller.
"""

import re
from typing import Any

from watchbill.patterns import regex

Object = dict[str, Any]

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")
# Volumes whose files have a mode, and what the server writes into the rarer kinds.
_MODES = {"secret": 420, "configMap": 420, "downwardAPI": 420, "projected": 420}
_VOLUME_DEFAULTS: dict[str, Object] = {
    "hostPath": {"type": ""},
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azureDisk": {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}

# distribution/reference, as far as it decides which tag a name has.
_DOMAIN_PART = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN = rf"(?:{_DOMAIN_PART}(?:\.{_DOMAIN_PART})*|\[(?:[a-fA-F0-9:]+)\])(?::[0-9]+)?"
_PATH_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_NAME = rf"(?:{_DOMAIN}/)?{_PATH_PART}(?:/{_PATH_PART})*"
_TAG = r"[\w][\w.-]{0,127}"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_REFERENCE = regex(rf"{_NAME}(?::(?P<tag>{_TAG}))?(?:@(?P<digest>{_DIGEST}))?", re.ASCII)


def pull_policy(image: str) -> str:
    """By the tag, which is `latest` where there is neither a tag nor a digest."""
    last = image.rpartition("/")[2]
    if (":" in last or "@" in last) and ":latest" not in last:
        return "IfNotPresent"  # it has another tag or a digest, or is no reference: most are told here
    match = _REFERENCE.fullmatch(image)
    if match is None or re.fullmatch(r"[a-f0-9]{64}", image):
        return "IfNotPresent"
    latest = match["tag"] == "latest" or (match["tag"] is None and match["digest"] is None)
    return "Always" if latest else "IfNotPresent"


def pod_spec(spec: Object) -> None:
    """The part that pods and pod templates share."""
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("securityContext", {})
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("schedulerName", "default-scheduler")
    for volume in spec.get("volumes") or ():
        _volume(volume)
    for group in _CONTAINERS:
        for container in spec.get(group) or ():
            _container(container)


def pod(spec: Object) -> None:
    """What only a Pod itself gets, not a template."""
    grace = spec.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0:
        spec["terminationGracePeriodSeconds"] = 1
    for group in ("containers", "initContainers"):
        for container in spec.get(group) or ():
            resources = container["resources"]
            if limits := resources.get("limits"):
                resources["requests"] = {**limits, **resources.get("requests", {})}
            if spec.get("hostNetwork"):
                for port in container.get("ports") or ():
                    port.setdefault("hostPort", port["containerPort"])
    spec.setdefault("enableServiceLinks", True)


def claim_spec(spec: Object) -> None:
    spec.setdefault("volumeMode", "Filesystem")


def rare_volume(volume: Object) -> None:
    """Kinds of volumes that a pod and a PersistentVolume have in common."""
    for kind, values in _VOLUME_DEFAULTS.items():
        if (source := volume.get(kind)) is not None:
            for key, value in values.items():
                source.setdefault(key, value)


def _volume(volume: Object) -> None:
    if len(volume) == 1:
        volume["emptyDir"] = {}
        return
    for kind, mode in _MODES.items():
        if (source := volume.get(kind)) is not None:
            source.setdefault("defaultMode", mode)
    if image := volume.get("image"):
        image.setdefault("pullPolicy", pull_policy(image.get("reference", "")))
    rare_volume(volume)
    _downward(volume.get("downwardAPI"))
    for source in (volume.get("projected") or {}).get("sources") or ():
        _downward(source.get("downwardAPI"))
        if (token := source.get("serviceAccountToken")) is not None:
            token.setdefault("expirationSeconds", 3600)
    if (template := (volume.get("ephemeral") or {}).get("volumeClaimTemplate")) is not None:
        claim_spec(template["spec"])


def _downward(source: Object | None) -> None:
    for item in (source or {}).get("items") or ():
        if (reference := item.get("fieldRef")) is not None:
            reference.setdefault("apiVersion", "v1")


def _container(container: Object) -> None:
    container.setdefault("imagePullPolicy", pull_policy(container.get("image", "")))
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
    for variable in container.get("env") or ():
        source = variable.get("valueFrom") or {}
        if (reference := source.get("fieldRef")) is not None:
            reference.setdefault("apiVersion", "v1")
        if (reference := source.get("fileKeyRef")) is not None:
            reference.setdefault("optional", False)
    for kind in _PROBES:
        if (probe := container.get(kind)) is not None:
            _probe(probe)
    lifecycle = container.get("lifecycle") or {}
    for event in ("postStart", "preStop"):
        _http(lifecycle.get(event))


def _probe(probe: Object) -> None:
    probe.setdefault("timeoutSeconds", 1)
    probe.setdefault("periodSeconds", 10)
    probe.setdefault("successThreshold", 1)
    probe.setdefault("failureThreshold", 3)
    _http(probe)
    if (grpc := probe.get("grpc")) is not None and grpc.get("service") is None:
        grpc["service"] = ""


def _http(handler: Object | None) -> None:
    if handler and (action := handler.get("httpGet")) is not None:
        action.setdefault("path", "/")
        action.setdefault("scheme", "HTTP")
