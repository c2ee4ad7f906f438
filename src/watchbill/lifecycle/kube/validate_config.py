"""ConfigMaps, Secrets and Namespaces."""

import base64
from typing import Any

from watchbill.lifecycle.kube import names
from watchbill.lifecycle.kube.causes import Cause, forbidden, immutable, invalid, required, too_long
from watchbill.lifecycle.kube.validate_meta import each, metadata, qualified_finalizer

Object = dict[str, Any]
Causes = list[Cause]

_LIMIT = 1024 * 1024
_FROZEN = "field is immutable when `immutable` is set"
_ACCOUNT = "kubernetes.io/service-account.name"
# Keys that a Secret of a type must have.
_REQUIRED = {
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
_DOCKER = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}


def config_map(whole: Object) -> Causes:
    found = metadata(whole, names.dns_subdomain)
    data, binary = whole.get("data") or {}, whole.get("binaryData") or {}
    for key in data:
        found += each(f"data[{key}]", key, names.config_key(key))
        if key in binary:
            found.append(invalid(f"data[{key}]", key, "duplicate of key present in binaryData"))
    for key in binary:
        found += each(f"binaryData[{key}]", key, names.config_key(key))
    size = sum(len(value.encode()) for value in data.values())
    size += sum(_decoded_size(value) for value in binary.values())
    if size > _LIMIT:
        found.append(too_long("", _LIMIT))
    return found


def config_map_update(new: Object, old: Object) -> Causes:
    return _frozen(new, old, ("data", "binaryData")) + config_map(new)


def _frozen(new: Object, old: Object, keys: tuple[str, ...]) -> Causes:
    if not old.get("immutable"):
        return []
    found = [] if new.get("immutable") else [forbidden("immutable", _FROZEN)]
    return found + [forbidden(key, _FROZEN) for key in keys if (new.get(key) or {}) != (old.get(key) or {})]


def _decoded_size(value: str | None) -> int:
    value = value or ""
    return len(value) // 4 * 3 - value[-2:].count("=")


def secret(whole: Object) -> Causes:
    found = metadata(whole, names.dns_subdomain)
    data, kind = whole.get("data") or {}, whole["type"]
    for key in data:
        found += each(f"data[{key}]", key, names.config_key(key))
    if sum(_decoded_size(value) for value in data.values()) > _LIMIT:
        found.append(too_long("data", _LIMIT))
    if kind == "kubernetes.io/service-account-token":
        if not (whole["metadata"].get("annotations") or {}).get(_ACCOUNT):
            found.append(required(f"metadata.annotations[{_ACCOUNT}]"))
    elif kind == "kubernetes.io/basic-auth":
        if "username" not in data and "password" not in data:
            found += [required("data[username]"), required("data[password]")]
    elif kind in _DOCKER:
        found += _docker(data, _DOCKER[kind])
    else:
        for key in _REQUIRED.get(kind, ()):
            if key not in data or (kind == "kubernetes.io/ssh-auth" and not data[key]):
                found.append(required(f"data[{key}]"))
    return found


def _docker(data: dict[str, str], key: str) -> Causes:
    if key not in data:
        return [required(f"data[{key}]")]
    text = base64.b64decode(data[key] or "")
    if not text.strip():
        words = "unexpected end of JSON input"
        return [invalid(f"data[{key}]", "<secret contents redacted>", words)]
    import json  # says where it stumbled; few Secrets are for registries

    try:
        content = json.loads(text)
    except ValueError as error:
        # Go names the character it stumbled over; where it is the first, the words are known.
        letter = text.decode(errors="replace").lstrip()[:1]
        words = f"invalid character '{letter}' looking for beginning of value"
        if isinstance(error, json.JSONDecodeError) and error.pos != len(text) - len(text.lstrip()):
            words = "…"
        return [invalid(f"data[{key}]", "<secret contents redacted>", words)]
    if content is not None and not isinstance(content, dict):
        kinds = {str: "string", list: "array", bool: "bool"}
        found = kinds.get(type(content), "number")
        words = f"json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
        return [invalid(f"data[{key}]", "<secret contents redacted>", words)]
    return []


def secret_update(new: Object, old: Object) -> Causes:
    found = [immutable("type", new["type"])] if new["type"] != old["type"] else []
    return found + _frozen(new, old, ("data",)) + secret(new)


def namespace(whole: Object) -> Causes:
    found = metadata(whole, names.dns_label)
    for finalizer in whole["spec"].get("finalizers") or ():
        found += each("spec.finalizers", finalizer, names.label_key(finalizer))
        found += qualified_finalizer(finalizer, "spec.finalizers")
    return found
