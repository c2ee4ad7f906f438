"""Environment variables and the downward API (core's ValidateEnv and ValidateEnvFrom)."""

import re
from collections.abc import Collection
from typing import Any

from watchbill.lifecycle.kube import names, quantity
from watchbill.lifecycle.kube.causes import Cause, invalid, not_supported, required
from watchbill.lifecycle.kube.validate_meta import as_prefix, each
from watchbill.lifecycle.kube.validate_paths import no_backsteps
from watchbill.patterns import regex

Object = dict[str, Any]
Causes = list[Cause]

_ENV_FIELDS = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
# Labels that the server can translate; anything else it does not know at all.
_KNOWN_FIELDS = frozenset(
    {*_ENV_FIELDS, "metadata.annotations", "metadata.labels", "spec.restartPolicy", "spec.schedulerName"}
    | {"status.phase"}
)
_SUBSCRIPTED = regex(r"(.*)\['(.+)'\]", re.DOTALL)
_RESOURCES = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_DIVISORS = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei"


def variables(given: list[Object] | None, path: str) -> Causes:
    found: Causes = []
    for index, variable in enumerate(given or ()):
        name = variable["name"]
        if not name:
            found.append(required(f"{path}[{index}].name"))
        elif messages := names.environment_name(name):
            found += each(f"{path}[{index}].name", name, messages)
        if (source := variable.get("valueFrom")) is not None:
            found += _value_from(source, variable.get("value", ""), f"{path}[{index}].valueFrom")
    return found


def _value_from(source: Object, value: str, path: str) -> Causes:
    found: Causes = []
    if (reference := source.get("fieldRef")) is not None:
        found += field_selector(reference, _ENV_FIELDS, f"{path}.fieldRef")
    if (reference := source.get("resourceFieldRef")) is not None:
        found += resource_selector(reference, f"{path}.resourceFieldRef", volume=False)
    for kind in ("configMapKeyRef", "secretKeyRef"):
        if (reference := source.get(kind)) is not None:
            found += _key_selector(reference, f"{path}.{kind}")
    if (reference := source.get("fileKeyRef")) is not None:
        found += _file_selector(reference, f"{path}.fileKeyRef")
    if not source:
        words = (
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` "
            "or `fileKeyRef`"
        )
        found.append(invalid(path, "", words))
    elif value:
        found.append(invalid(path, "", "may not be specified when `value` is not empty"))
    elif len(source) > 1:
        found.append(invalid(path, "", "may not have more than one field specified at a time"))
    return found


def _key_selector(reference: Object, path: str) -> Causes:
    name, key = reference.get("name", ""), reference.get("key", "")
    found = each(f"{path}.name", name, names.dns_subdomain(name))
    if not key:
        found.append(required(f"{path}.key"))
    else:
        found += each(f"{path}.key", key, names.config_key(key))
    return found


def _file_selector(reference: Object, path: str) -> Causes:
    found: Causes = []
    if not (key := reference.get("key")):
        found.append(required(f"{path}.key"))
    else:
        found += each(f"{path}.key", key, names.environment_name(key))
    if not (name := reference.get("volumeName")):
        found.append(required(f"{path}.volumeName"))
    else:
        found += each(f"{path}.volumeName", name, names.dns_label(name))
    if not (target := reference.get("path")):
        found.append(required(f"{path}.path"))
    else:
        found += no_backsteps(target, f"{path}.path")
    return found


def field_selector(reference: Object, allowed: Collection[str], path: str) -> Causes:
    version, wanted = reference["apiVersion"], reference.get("fieldPath", "")
    if not version:
        return [required(f"{path}.apiVersion")]
    if not wanted:
        return [required(f"{path}.fieldPath")]
    if version != "v1":
        words = f"error converting fieldPath: unsupported pod version: {version}"
        return [invalid(f"{path}.fieldPath", wanted, words)]
    match = _SUBSCRIPTED.fullmatch(wanted)
    name = match[1] if match else wanted
    if match and name not in ("metadata.annotations", "metadata.labels"):
        words = f"error converting fieldPath: field label does not support subscript: {wanted}"
        return [invalid(f"{path}.fieldPath", wanted, words)]
    if name == "spec.host":
        name = "spec.nodeName"
    if name not in _KNOWN_FIELDS:
        words = f"error converting fieldPath: field label not supported: {wanted}"
        return [invalid(f"{path}.fieldPath", wanted, words)]
    if match:
        subscript = match[2].lower() if name == "metadata.annotations" else match[2]
        return each(path, subscript, names.label_key(subscript))
    if name not in allowed:
        return [not_supported(f"{path}.fieldPath", name, sorted(allowed))]
    return []


def resource_selector(reference: Object, path: str, *, volume: bool) -> Causes:
    found: Causes = []
    resource = reference.get("resource", "")
    huge = resource.startswith(("limits.hugepages-", "requests.hugepages-"))
    if volume and not reference.get("containerName"):
        found.append(required(f"{path}.containerName"))
    elif not resource:
        found.append(required(f"{path}.resource"))
    elif resource not in _RESOURCES and not huge:
        found.append(not_supported(f"{path}.resource", resource, _RESOURCES))
    divisor = reference.get("divisor", "0")
    if quantity.nanos(divisor):
        kind = resource.partition(".")[2]
        written = quantity.write(quantity.parse(divisor))
        if kind == "cpu":
            if written not in ("1m", "1"):
                words = "only divisor's values 1m and 1 are supported with the cpu resource"
                found.append(invalid(f"{path}.divisor", resource, words))
        elif written not in _DIVISORS.split(", ") and (huge or kind in ("memory", "ephemeral-storage")):
            named = "hugepages" if huge else kind.replace("ephemeral-storage", "local ephemeral storage")
            words = f"only divisor's values {_DIVISORS} are supported with the {named} resource"
            found.append(invalid(f"{path}.divisor", resource, words))
    return found


def sources(given: list[Object] | None, path: str) -> Causes:
    found: Causes = []
    for index, source in enumerate(given or ()):
        if prefix := source.get("prefix"):
            found += each(f"{path}[{index}].prefix", prefix, names.environment_name(prefix))
        count = 0
        for kind in ("configMapRef", "secretRef"):
            if (reference := source.get(kind)) is not None:
                count += 1
                name = reference.get("name", "")
                if not name:
                    found.append(required(f"{path}[{index}].{kind}.name"))
                else:
                    messages = names.dns_subdomain(as_prefix(name))
                    found += each(f"{path}[{index}].{kind}.name", name, messages)
        if not count:
            found.append(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif count > 1:
            found.append(invalid(path, "", "may not have more than one field specified at a time"))
    return found
