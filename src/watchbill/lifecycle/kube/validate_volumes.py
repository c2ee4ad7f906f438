"""Volumes of a pod (core's ValidateVolumes)."""

from typing import Any

from watchbill.lifecycle.kube import names, quantity
from watchbill.lifecycle.kube.causes import (
    Cause,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from watchbill.lifecycle.kube.validate_env import field_selector, resource_selector
from watchbill.lifecycle.kube.validate_meta import annotations, each, labels
from watchbill.lifecycle.kube.validate_paths import local_path, no_backsteps
from watchbill.lifecycle.kube.validate_storage import claim_spec

Object = dict[str, Any]
Causes = list[Cause]

_MODE_WORDS = "must be a number between 0 and 0777 (octal), both inclusive"
# In the server's order; a second one is refused under the name on the right.
_KINDS = (
    ("emptyDir", "emptyDir"),
    ("hostPath", "hostPath"),
    ("gitRepo", "gitRepo"),
    ("gcePersistentDisk", "gcePersistentDisk"),
    ("awsElasticBlockStore", "awsElasticBlockStore"),
    ("secret", "secret"),
    ("nfs", "nfs"),
    ("iscsi", "iscsi"),
    ("glusterfs", "glusterfs"),
    ("flocker", "flocker"),
    ("persistentVolumeClaim", "persistentVolumeClaim"),
    ("rbd", "rbd"),
    ("cinder", "cinder"),
    ("cephfs", "cephFS"),
    ("quobyte", "quobyte"),
    ("downwardAPI", "downwarAPI"),
    ("fc", "fc"),
    ("flexVolume", "flexVolume"),
    ("configMap", "configMap"),
    ("azureFile", "azureFile"),
    ("vsphereVolume", "vsphereVolume"),
    ("photonPersistentDisk", "photonPersistentDisk"),
    ("portworxVolume", "portworxVolume"),
    ("azureDisk", "azureDisk"),
    ("storageos", "storageos"),
    ("projected", "projected"),
    ("scaleIO", "scaleIO"),
    ("csi", "csi"),
    ("ephemeral", "ephemeral"),
    ("image", "image"),
)
# Members that the rarer kinds must have.
_REQUIRED = {
    "nfs": ("server", "path"),
    "persistentVolumeClaim": ("claimName",),
    "glusterfs": ("endpoints", "path"),
    "azureFile": ("secretName", "shareName"),
    "csi": ("driver",),
    "flexVolume": ("driver",),
    "cinder": ("volumeID",),
    "awsElasticBlockStore": ("volumeID",),
    "gitRepo": ("repository",),
    "vsphereVolume": ("volumePath",),
}
_HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_FILE_FIELDS = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)


def volumes(given: list[Object] | None, path: str, pod_name: str = "") -> tuple[dict[str, Object], Causes]:
    """The good ones by name, and what is wrong with the others."""
    found: Causes = []
    good: dict[str, Object] = {}
    for index, volume in enumerate(given or ()):
        here = f"{path}[{index}]"
        name = volume["name"]
        own = _source(volume, here, pod_name)
        if not name:
            own.append(required(f"{here}.name"))
        else:
            own += each(f"{here}.name", name, names.dns_label(name))
        if name in good:
            own.append(duplicate(f"{here}.name", name))
        if own:
            found += own
        else:
            good[name] = volume
    return good, found


def _source(volume: Object, path: str, pod_name: str) -> Causes:
    found: Causes = []
    seen = False
    for kind, refused_as in _KINDS:
        source = volume.get(kind)
        if source is None:
            continue
        if seen:
            found.append(forbidden(f"{path}.{refused_as}", "may not specify more than 1 volume type"))
            continue
        seen = True
        found += _one(kind, source, f"{path}.{kind}")
        if kind == "ephemeral" and pod_name and volume["name"]:
            claim = f"{pod_name}-{volume['name']}"
            for message in names.dns_subdomain(claim):
                found.append(invalid(f"{path}.name", volume["name"], f'PVC name "{claim}": {message}'))
    if not seen:
        found.append(required(path, "must specify a volume type"))
    return found


def _one(kind: str, source: Object, path: str) -> Causes:
    if kind == "emptyDir":
        if "sizeLimit" in source and quantity.nanos(source["sizeLimit"]) < 0:
            words = "SizeLimit field must be a valid resource quantity"
            return [forbidden(f"{path}.sizeLimit", words)]
        return []
    if kind == "hostPath":
        return host_path(source, path)
    if kind == "secret":
        return _files(source, path, "secretName")
    if kind == "configMap":
        return _files(source, path, "name")
    if kind == "downwardAPI":
        found = _mode(source, path)
        for item in source.get("items") or ():
            found += _downward_file(item, path)
        return found
    if kind == "projected":
        return _mode(source, path) + _projections(source, path)
    if kind == "ephemeral":
        if source.get("volumeClaimTemplate") is None:
            return [required(f"{path}.volumeClaimTemplate")]
        return _claim_template(source["volumeClaimTemplate"], f"{path}.volumeClaimTemplate")
    return rare_source(kind, source, path)


def rare_source(kind: str, source: Object, path: str) -> Causes:
    """Volumes of which only the members that must be there are looked at."""
    found = [required(f"{path}.{key}") for key in _REQUIRED.get(kind, ()) if not source.get(key)]
    if kind == "nfs" and not source.get("path", "").startswith("/"):
        found.append(invalid(f"{path}.path", source.get("path", ""), "must be an absolute path"))
    return found


def _claim_template(template: Object, path: str) -> Causes:
    meta = template["metadata"]
    found = annotations(meta.get("annotations"), f"{path}.metadata.annotations")
    found += labels(meta.get("labels"), f"{path}.metadata.labels")
    found += [
        forbidden(f"{path}.metadata.{key}", "cannot be set")
        for key in ("name", "generateName", "namespace", "ownerReferences", "finalizers")
        if meta.get(key)
    ]
    return found + claim_spec(template["spec"], f"{path}.spec")


def host_path(source: Object, path: str) -> Causes:
    if not source["path"]:
        return [required(f"{path}.path")]
    found = no_backsteps(source["path"], f"{path}.path")
    if source.get("type", "") not in _HOST_PATH_TYPES:
        found.append(not_supported(f"{path}.type", source["type"], _HOST_PATH_TYPES))
    return found


def _mode(source: Object, path: str, key: str = "defaultMode") -> Causes:
    mode = source.get(key)
    if mode is not None and not 0 <= mode <= 0o777:
        return [invalid(f"{path}.{key}", mode, _MODE_WORDS)]
    return []


def _files(source: Object, path: str, name: str) -> Causes:
    found = [] if source.get(name) else [required(f"{path}.{name}")]
    found += _mode(source, path)
    for index, item in enumerate(source.get("items") or ()):
        found += _key_to_path(item, f"{path}.items[{index}]")
    return found


def _key_to_path(item: Object, path: str) -> Causes:
    found = [required(f"{path}.{key}") for key in ("key", "path") if not item.get(key)]
    found += local_path(item.get("path", ""), f"{path}.path")
    return found + _mode(item, path, "mode")


def _downward_file(item: Object, path: str) -> Causes:
    found = [] if item.get("path") else [required(f"{path}.path")]
    found += local_path(item.get("path", ""), f"{path}.path")
    if (reference := item.get("fieldRef")) is not None:
        found += field_selector(reference, _FILE_FIELDS, f"{path}.fieldRef")
        if "resourceFieldRef" in item:
            words = "fieldRef and resourceFieldRef can not be specified simultaneously"
            found.append(invalid(path, "resource", words))
    elif (reference := item.get("resourceFieldRef")) is not None:
        found += resource_selector(reference, f"{path}.resourceFieldRef", volume=True)
    else:
        found.append(required(path, "one of fieldRef and resourceFieldRef is required"))
    return found + _mode(item, path, "mode")


def _projections(source: Object, path: str) -> Causes:
    found: Causes = []
    paths: set[str] = set()

    def unique(one: str, shown: str) -> None:
        if one in paths:
            found.append(invalid(path, shown, "conflicting duplicate paths"))
        elif one:
            paths.add(one)

    for index, projection in enumerate(source.get("sources") or ()):
        here = f"{path}.sources[{index}]"
        count = 0
        for kind in ("secret", "configMap"):
            if (part := projection.get(kind)) is not None:
                count += 1
                if not part.get("name"):
                    found.append(required(f"{here}.{kind}.name"))
                for position, item in enumerate(part.get("items") or ()):
                    found += _key_to_path(item, f"{here}.{kind}.items[{position}]")
                    unique(item.get("path", ""), part.get("name", ""))
        if (part := projection.get("downwardAPI")) is not None:
            count += 1
            for item in part.get("items") or ():
                found += _downward_file(item, f"{here}.downwardAPI")
                unique(item.get("path", ""), item.get("path", ""))
        if (part := projection.get("serviceAccountToken")) is not None:
            count += 1
            found += _token(part, f"{here}.serviceAccountToken", path)
            unique(part.get("path", ""), part.get("path", ""))
        count += sum(projection.get(kind) is not None for kind in ("clusterTrustBundle", "podCertificate"))
        if count > 1:
            found.append(forbidden(here, "may not specify more than 1 volume type per source"))
    return found


def _token(token: Object, path: str, volume: str) -> Causes:
    found: Causes = []
    seconds = token["expirationSeconds"]
    if seconds < 600:
        words = "may not specify a duration less than 10 minutes"
        found.append(invalid(f"{path}.expirationSeconds", seconds, words))
    if seconds > 1 << 32:
        words = "may not specify a duration larger than 2^32 seconds"
        found.append(invalid(f"{path}.expirationSeconds", seconds, words))
    if not token.get("path"):
        found.append(required(f"{volume}.path"))
    else:
        found += local_path(token["path"], f"{volume}.path")
    return found
