"""Claims, volumes and classes of storage."""

from typing import Any

from watchbill.lifecycle.kube import gotypes, names, quantity
from watchbill.lifecycle.kube.causes import (
    ELIDED,
    NOT_POSITIVE,
    Cause,
    forbidden,
    immutable,
    invalid,
    not_supported,
    required,
    too_long,
)
from watchbill.lifecycle.kube.validate_meta import each, metadata, selector

Object = dict[str, Any]
Causes = list[Cause]

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
_BETA_CLASS = "volume.beta.kubernetes.io/storage-class"


def claim(whole: Object) -> Causes:
    return metadata(whole, names.dns_subdomain) + claim_spec(whole["spec"], "spec")


def access_modes(modes: list[str], path: str) -> Causes:
    found = [not_supported(path, mode, _ACCESS_MODES) for mode in modes if mode not in _ACCESS_MODES]
    if "ReadWriteOncePod" in modes and any(
        mode in _ACCESS_MODES and mode != "ReadWriteOncePod" for mode in modes
    ):
        found.append(forbidden(path, "may not use ReadWriteOncePod with other access modes"))
    return found


def claim_spec(spec: Object, path: str) -> Causes:
    found: Causes = []
    modes = spec.get("accessModes") or []
    if not modes:
        found.append(required(f"{path}.accessModes", "at least 1 access mode is required"))
    found += selector(spec.get("selector"), f"{path}.selector")
    found += access_modes(modes, f"{path}.accessModes")
    storage = (spec["resources"].get("requests") or {}).get("storage")
    if storage is None:
        found.append(required(f"{path}.resources[storage]"))
    elif quantity.nanos(storage) <= 0:
        found.append(invalid(f"{path}.resources[storage]", storage, NOT_POSITIVE))
    if name := spec.get("storageClassName"):
        found += each(f"{path}.storageClassName", name, names.dns_subdomain(name))
    if (mode := spec.get("volumeMode")) not in VOLUME_MODES:
        found.append(not_supported(f"{path}.volumeMode", mode, VOLUME_MODES))
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    for key, value in (("dataSource", source), ("dataSourceRef", reference)):
        if value is not None:
            found += _data_source(value, f"{path}.{key}")
    if source is not None and reference is not None:
        if reference.get("namespace"):
            words = "may not be specified when dataSourceRef.namespace is specified"
            found.append(Cause(path, f"Invalid value: {ELIDED}: {words}"))
        elif any(source.get(key) != reference.get(key) for key in ("apiGroup", "kind", "name")):
            found.append(Cause(path, f"Invalid value: {ELIDED}: must match dataSourceRef"))
    if name := spec.get("volumeAttributesClassName"):
        found += each(f"{path}.volumeAttributesClassName", name, names.dns_subdomain(name))
    return found


def _data_source(source: Object, path: str) -> Causes:
    found = [required(f"{path}.{key}") for key in ("name", "kind") if not source.get(key)]
    group = source.get("apiGroup") or ""
    if not group and source.get("kind") != "PersistentVolumeClaim":
        words = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        found.append(invalid(path, source.get("kind", ""), words))
    if group:
        found += each(f"{path}.apiGroup", group, names.dns_subdomain(group))
    return found


def claim_update(new: Object, old: Object) -> Causes:
    found = claim(new)
    spec, before = dict(new["spec"]), dict(old["spec"])
    if not before.get("volumeName") and "volumeName" in spec:
        before["volumeName"] = spec["volumeName"]
    annotations, earlier = (one["metadata"].get("annotations") or {} for one in (new, old))
    storage_class, previous = spec.get("storageClassName"), before.get("storageClassName")
    annotated = earlier.get(_BETA_CLASS)
    if (
        annotated is not None
        and previous is None
        and storage_class == annotated
        and annotations.get(_BETA_CLASS, annotated) == annotated
    ):
        spec.pop("storageClassName")
    else:
        if annotations.get(_BETA_CLASS, "") != earlier.get(_BETA_CLASS, ""):
            found.append(immutable(f"metadata.annotations.{_BETA_CLASS}", annotations.get(_BETA_CLASS, "")))
        if storage_class is not None and previous is None and annotated in (None, storage_class):
            spec.pop("storageClassName")
    bound = (new.get("status") or {}).get("phase") == "Bound"
    size, previous_size = _storage(spec), _storage(before)
    if bound:
        if spec["resources"].get("requests") is not None:
            requests = {**spec["resources"]["requests"], "storage": previous_size or "0"}
            spec["resources"] = {**spec["resources"], "requests": requests}
        spec.pop("volumeAttributesClassName", None)
        if "volumeAttributesClassName" in before:
            spec["volumeAttributesClassName"] = before["volumeAttributesClassName"]
    if not gotypes.same("core/v1.PersistentVolumeClaimSpec", spec, before):
        words = (
            "spec is immutable after creation except resources.requests and volumeAttributesClassName "
            f"for bound claims\n{ELIDED}"
        )
        found.append(forbidden("spec", words))
    capacity = ((old.get("status") or {}).get("capacity") or {}).get("storage", "0")
    asked = quantity.nanos(size or "0")
    if asked < quantity.nanos(previous_size or "0") and asked <= quantity.nanos(capacity):
        words = "field can not be less than status.capacity"
        found.append(forbidden("spec.resources.requests.storage", words))
    if new["spec"].get("volumeMode") != old["spec"].get("volumeMode"):
        found.append(immutable("volumeMode", new["spec"].get("volumeMode")))
    return found


def _storage(spec: Object) -> str | None:
    found: str | None = (spec["resources"].get("requests") or {}).get("storage")
    return found


def storage_class(whole: Object) -> Causes:
    found = metadata(whole, names.dns_subdomain)
    if provisioner := whole["provisioner"]:
        found += each("provisioner", provisioner.lower(), names.label_key(provisioner.lower()))
    found += _parameters(whole.get("parameters") or {})
    policy = whole.get("reclaimPolicy")
    if policy and policy not in ("Delete", "Retain"):
        found.append(not_supported("reclaimPolicy", policy, ("Delete", "Retain")))
    mode, modes = whole.get("volumeBindingMode"), ("Immediate", "WaitForFirstConsumer")
    if mode not in modes:
        found.append(not_supported("volumeBindingMode", mode, modes))
    if not provisioner:
        found.append(required("provisioner"))
    return found


# What no update of a StorageClass may change.
CLASS_FROZEN = ("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode")


def storage_class_update(new: Object, old: Object) -> Causes:
    found = storage_class(new)
    for key in CLASS_FROZEN:
        if (new.get(key) or None) != (old.get(key) or None):
            # The server does not say which.
            found.append(immutable(key, None))
    return found


def _parameters(parameters: dict[str, str]) -> Causes:
    if len(parameters) > 512:
        return [too_long("parameters", 512)]
    found = [invalid("parameters", key, "field can not be empty.") for key in parameters if not key]
    if sum(len(key.encode()) + len(value.encode()) for key, value in parameters.items()) > 256 * 1024:
        found.append(too_long("parameters", 256 * 1024))
    return found
