"""PersistentVolumes (core's validation), as far as charts write them."""

from typing import Any

from watchbill.lifecycle.kube import names, quantity
from watchbill.lifecycle.kube.causes import (
    ELIDED,
    Cause,
    forbidden,
    immutable,
    invalid,
    not_supported,
    required,
)
from watchbill.lifecycle.kube.validate_meta import each, metadata
from watchbill.lifecycle.kube.validate_paths import no_backsteps
from watchbill.lifecycle.kube.validate_scheduling import node_selector
from watchbill.lifecycle.kube.validate_storage import VOLUME_MODES, access_modes
from watchbill.lifecycle.kube.validate_volumes import host_path, rare_source

Object = dict[str, Any]
Causes = list[Cause]

# In the server's order.
_SOURCES = (
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "hostPath",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "flexVolume",
    "cinder",
    "cephfs",
    "fc",
    "flocker",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "local",
    "storageos",
    "csi",
)


def persistent_volume(whole: Object) -> Causes:
    found = metadata(whole, names.dns_subdomain)
    spec = whole["spec"]
    modes = spec.get("accessModes") or []
    if not modes:
        found.append(required("spec.accessModes"))
    found += access_modes(modes, "spec.accessModes")
    found += _capacity(spec.get("capacity") or {})
    policy, policies = spec["persistentVolumeReclaimPolicy"], ("Delete", "Recycle", "Retain")
    if policy not in policies:
        found.append(not_supported("spec.persistentVolumeReclaimPolicy", policy, policies))
    if (affinity := spec.get("nodeAffinity")) is not None:
        if (needed := affinity.get("required")) is not None:
            found += node_selector(needed, "spec.nodeAffinity.required")
        else:
            words = "must specify required node constraints"
            found.append(required("spec.nodeAffinity.required", words))
    found += _source(spec)
    if name := spec.get("storageClassName"):
        found += each("spec.storageClassName", name, names.dns_subdomain(name))
    if spec.get("volumeMode") not in VOLUME_MODES:
        found.append(not_supported("spec.volumeMode", spec.get("volumeMode"), VOLUME_MODES))
    return found


def _capacity(capacity: dict[str, str]) -> Causes:
    found: Causes = [] if capacity else [required("spec.capacity")]
    if "storage" not in capacity or len(capacity) > 1:
        found.append(not_supported("spec.capacity", capacity, ("storage",)))
    for name, amount in capacity.items():
        path, nanos = f"spec.capacity[{name}]", quantity.nanos(amount)
        if nanos <= -quantity.NANO:
            found.append(invalid(path, nanos // quantity.NANO, "must be a valid resource quantity"))
        if nanos <= 0:
            found.append(invalid(path, amount, "must be greater than zero"))
    return found


def _source(spec: Object) -> Causes:
    found: Causes = []
    seen = False
    for kind in _SOURCES:
        source = spec.get(kind)
        if source is None:
            continue
        path = f"spec.{kind}"
        if seen:
            found.append(forbidden(path, "may not specify more than 1 volume type"))
            continue
        seen = True
        if kind == "hostPath":
            found += host_path(source, path)
        elif kind == "local":
            found += (
                no_backsteps(source["path"], f"{path}.path") if source["path"] else [required(f"{path}.path")]
            )
            if "nodeAffinity" not in spec:
                found.append(required("spec.nodeAffinity", "Local volume requires node affinity"))
        else:
            found += rare_source(kind, source, path)
    return found if seen else [*found, required("spec", "must specify a volume type")]


def persistent_volume_update(new: Object, old: Object) -> Causes:
    found = persistent_volume(new)
    spec, before = new["spec"], old["spec"]
    if any(spec.get(source) != before.get(source) for source in _SOURCES):
        words = f"spec.persistentvolumesource is immutable after creation\n{ELIDED}"
        found.append(forbidden("spec.persistentvolumesource", words))
    if spec.get("volumeMode") != before.get("volumeMode"):
        found.append(immutable("volumeMode", spec.get("volumeMode")))
    affinity = before.get("nodeAffinity")
    if affinity is not None and spec.get("nodeAffinity") != affinity:
        found.append(immutable("nodeAffinity", spec.get("nodeAffinity")))
    return found
