"""Webhooks, aggregated APIs and CSI drivers: what extends a cluster."""

import base64
from typing import Any

from watchbill.lifecycle.kube import names
from watchbill.lifecycle.kube.causes import Cause, duplicate, immutable, invalid, not_supported, required
from watchbill.lifecycle.kube.validate_meta import each, metadata, selector

Object = dict[str, Any]
Causes = list[Cause]

_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES = ("*", "Cluster", "Namespaced")
_REVIEWS = ("v1", "v1beta1")


def webhooks(whole: Object) -> Causes:
    found = metadata(whole, names.dns_subdomain, is_core=False)
    seen: set[str] = set()
    for index, webhook in enumerate(whole.get("webhooks") or ()):
        path = f"webhooks[{index}]"
        name = webhook["name"]
        found += _webhook(webhook, path)
        found += _reviews(webhook.get("admissionReviewVersions") or [], f"{path}.admissionReviewVersions")
        if name in seen:
            found.append(duplicate(f"{path}.name", name))
        elif name:
            seen.add(name)
    return found


def _qualified(name: str, path: str) -> Causes:
    if not name:
        return [required(path)]
    if messages := names.dns_subdomain(name):
        return [invalid(path, name, ",".join(messages))]
    if len(name.split(".")) < 3:
        words = "should be a domain with at least three segments separated by dots"
        return [invalid(path, name, words)]
    return []


def _webhook(webhook: Object, path: str) -> Causes:
    found = _qualified(webhook["name"], f"{path}.name")
    for index, rule in enumerate(webhook.get("rules") or ()):
        found += _rule(rule, f"{path}.rules[{index}]")
    for key, allowed in (("failurePolicy", ("Fail", "Ignore")), ("matchPolicy", ("Equivalent", "Exact"))):
        if webhook[key] not in allowed:
            found.append(not_supported(f"{path}.{key}", webhook[key], allowed))
    effects, allowed = webhook.get("sideEffects"), ("None", "NoneOnDryRun")
    if effects is None:
        found.append(required(f"{path}.sideEffects", "must specify one of None, NoneOnDryRun"))
    elif effects not in allowed:
        found.append(not_supported(f"{path}.sideEffects", effects, allowed))
    if not 1 <= webhook["timeoutSeconds"] <= 30:
        words = "the timeout value must be between 1 and 30 seconds"
        found.append(invalid(f"{path}.timeoutSeconds", webhook["timeoutSeconds"], words))
    for key in ("namespaceSelector", "objectSelector"):
        found += selector(webhook[key], f"{path}.{key}")
    policies = ("IfNeeded", "Never")
    if (policy := webhook.get("reinvocationPolicy")) is not None and policy not in policies:
        found.append(not_supported(f"{path}.reinvocationPolicy", policy, policies))
    return found + _client(webhook["clientConfig"], f"{path}.clientConfig")


def _rule(rule: Object, path: str) -> Causes:
    found: Causes = []
    operations = rule.get("operations") or []
    if not operations:
        found.append(required(f"{path}.operations"))
    if len(operations) > 1 and "*" in operations:
        words = "if '*' is present, must not specify other operations"
        found.append(invalid(f"{path}.operations", operations, words))
    for index, operation in enumerate(operations):
        if operation not in _OPERATIONS:
            found.append(not_supported(f"{path}.operations[{index}]", operation, _OPERATIONS))
    for key, words in (("apiGroups", "API groups"), ("apiVersions", "API versions")):
        values = rule.get(key) or []
        if not values:
            found.append(required(f"{path}.{key}"))
        if len(values) > 1 and "*" in values:
            found.append(
                invalid(f"{path}.{key}", values, f"if '*' is present, must not specify other {words}")
            )
    for index, version in enumerate(rule.get("apiVersions") or ()):
        if not version:
            found.append(required(f"{path}.apiVersions[{index}]"))
    found += _resources(rule.get("resources") or [], f"{path}.resources")
    if rule["scope"] not in _SCOPES:
        found.append(not_supported(f"{path}.scope", rule["scope"], _SCOPES))
    return found


def _resources(resources: list[str], path: str) -> Causes:
    found: Causes = [] if resources else [required(path)]
    any_part: set[str] = set()
    any_resource: set[str] = set()
    is_plain = False
    for index, resource in enumerate(resources):
        if not resource:
            found.append(required(f"{path}[{index}]"))
            continue
        name, slash, part = resource.partition("/")
        if not slash:
            is_plain = resource != "*"
            continue
        if name in any_part:
            words = f"if '{name}/*' is present, must not specify {resource}"
            found.append(invalid(f"{path}[{index}]", resource, words))
        if part in any_resource:
            words = f"if '*/{part}' is present, must not specify {resource}"
            found.append(invalid(f"{path}[{index}]", resource, words))
        if part == "*":
            any_part.add(name)
        if name == "*":
            any_resource.add(part)
    if len(resources) > 1 and "*/*" in resources:
        words = "if '*/*' is present, must not specify other resources"
        found.append(invalid(path, resources, words))
    if "*" in resources and is_plain:
        words = "if '*' is present, must not specify other resources without subresources"
        found.append(invalid(path, resources, words))
    return found


def _reviews(versions: list[str], path: str) -> Causes:
    if not versions:
        return [required(path, "must specify one of v1, v1beta1")]
    found: Causes = []
    seen: set[str] = set()
    for index, version in enumerate(versions):
        if version in seen:
            found.append(invalid(f"{path}[{index}]", version, "duplicate version"))
            continue
        seen.add(version)
        found += each(f"{path}[{index}]", version, names.dns_1035_label(version))
    if not seen & set(_REVIEWS):
        found.append(invalid(path, versions, "must include at least one of v1, v1beta1"))
    return found


def _client(config: Object, path: str) -> Causes:
    url, service = config.get("url"), config.get("service")
    if (url is None) == (service is None):
        return [required(path, "exactly one of url or service is required")]
    if service is None:
        return _url(url or "", f"{path}.url")
    found: Causes = []
    # The server mixes the two up.
    if not service["namespace"]:
        found.append(required(f"{path}.service.name"))
    if not service["name"]:
        found.append(required(f"{path}.service.namespace"))
    return found + _port(service["port"], f"{path}.service.port") + _path(service, f"{path}.service.path")


def _url(url: str, path: str) -> Causes:
    found: Causes = []
    scheme, separator, rest = url.partition("://")
    form = "; desired format: https://host[/path]"
    if scheme != "https" or not separator:
        shown = scheme if separator else ""
        found.append(invalid(path, shown, f"'https' is the only allowed URL scheme{form}"))
    if not rest.partition("/")[0]:
        found.append(invalid(path, "", f"host must be specified{form}"))
    return found


def _port(port: int, path: str) -> Causes:
    messages = names.port_number(port)
    return [invalid(path, port, f"port is not valid: {', '.join(messages)}")] if messages else []


def _path(service: Object, path: str) -> Causes:
    target = service.get("path") or ""
    if target in ("", "/"):
        return []
    if target == "//":
        return [invalid(path, target, "segment[0] may not be empty")]
    found = [] if target.startswith("/") else [invalid(path, target, "must start with a '/'")]
    for index, step in enumerate(target[1:].removesuffix("/").split("/")):
        if not step:
            found.append(invalid(path, target, f"segment[{index}] may not be empty"))
            continue
        found += [
            invalid(path, target, f"segment[{index}]: {message}") for message in names.dns_subdomain(step)
        ]
    return found


def api_service(whole: Object) -> Causes:
    spec = whole["spec"]
    group, version = spec.get("group", ""), spec.get("version", "")
    needed = f"{version}.{group}"

    def rule(name: str) -> names.Messages:
        if messages := names.path_segment(name):
            return messages
        return () if name == needed else (f'must be `spec.version+"."+spec.group`: "{needed}"',)

    found = metadata(whole, rule, is_core=False)
    if not group and version != "v1":
        words = "only v1 may have an empty group and it better be legacy kube"
        found.append(required("spec.group", words))
    if group:
        found += each("spec.group", group, names.dns_subdomain(group))
    found += each("spec.version", version, names.dns_1035_label(version))
    for key, limit in (("groupPriorityMinimum", 20000), ("versionPriority", 1000)):
        if not 0 < spec[key] <= limit:
            found.append(invalid(f"spec.{key}", spec[key], f"must be positive and less than {limit}"))
    service = spec.get("service")
    if service is None:
        if bundle := spec.get("caBundle"):
            size = f"{len(base64.b64decode(bundle))} bytes"
            found.append(invalid("spec.caBundle", size, "local APIServices may not have a caBundle"))
        if spec.get("insecureSkipTLSVerify"):
            words = "local APIServices may not have insecureSkipTLSVerify"
            found.append(invalid("spec.insecureSkipTLSVerify", True, words))
        return found
    found += [required(f"spec.service.{key}") for key in ("namespace", "name") if not service.get(key)]
    found += _port(service["port"], "spec.service.port")
    if spec.get("insecureSkipTLSVerify") and spec.get("caBundle"):
        words = "may not be true if caBundle is present"
        found.append(invalid("spec.insecureSkipTLSVerify", True, words))
    return found


def csi_driver(whole: Object) -> Causes:
    return metadata(whole, names.dns_subdomain) + _csi_spec(whole["spec"])


def _csi_spec(spec: Object) -> Causes:
    found: Causes = []
    policies = ("File", "None", "ReadWriteOnceWithFSType")
    if spec["fsGroupPolicy"] not in policies:
        found.append(not_supported("spec.fsGroupPolicy", spec["fsGroupPolicy"], policies))
    modes = ("Persistent", "Ephemeral")
    for mode in spec["volumeLifecycleModes"]:
        if mode not in modes:
            found.append(not_supported("spec.volumeLifecycleModes", mode, modes))
    return found


def csi_driver_update(new: Object, old: Object) -> Causes:
    spec, before = new["spec"], old["spec"]
    found = _csi_spec(spec)
    if spec.get("attachRequired") != before.get("attachRequired"):
        # The path is the server's.
        found.append(immutable("spec.attachedRequired", spec.get("attachRequired")))
    if spec.get("volumeLifecycleModes") != before.get("volumeLifecycleModes"):
        found.append(immutable("spec.volumeLifecycleModes", spec.get("volumeLifecycleModes")))
    return found
