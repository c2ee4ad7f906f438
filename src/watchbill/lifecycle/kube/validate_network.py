"""Ingresses, their classes, and network policies (networking's validation)."""

import ipaddress
from typing import Any

from watchbill.lifecycle.kube import names
from watchbill.lifecycle.kube.causes import (
    Cause,
    forbidden,
    immutable,
    invalid,
    not_supported,
    required,
    too_long,
)
from watchbill.lifecycle.kube.validate_meta import each, metadata, selector
from watchbill.lifecycle.kube.validate_service import cidr

Object = dict[str, Any]
Causes = list[Cause]

_PATH_TYPES = ("Exact", "ImplementationSpecific", "Prefix")
_BAD_SEQUENCES = ("//", "/./", "/../", "%2f", "%2F")
_BAD_ENDS = ("/..", "/.")
_CLASS_ANNOTATION = "kubernetes.io/ingress.class"


def ingress(whole: Object) -> Causes:
    found = ingress_update(whole)
    annotation = (whole["metadata"].get("annotations") or {}).get(_CLASS_ANNOTATION)
    named = whole["spec"].get("ingressClassName")
    if annotation is not None and named is not None and annotation != named:
        words = "must match `ingressClassName` when both are specified"
        found.append(invalid(f"annotations.{_CLASS_ANNOTATION}", annotation, words))
    return found


def ingress_update(whole: Object) -> Causes:
    found = metadata(whole, names.dns_subdomain)
    spec = whole["spec"]
    rules = spec.get("rules") or []
    if not rules and "defaultBackend" not in spec:
        words = "either `defaultBackend` or `rules` must be specified"
        found.append(invalid("spec", None, words))
    if (backend := spec.get("defaultBackend")) is not None:
        found += _backend(backend, "spec.defaultBackend")
    for index, rule in enumerate(rules):
        found += _rule(rule, f"spec.rules[{index}]")
    for index, tls in enumerate(spec.get("tls") or ()):
        for position, host in enumerate(tls.get("hosts") or ()):
            found += _host(host, f"spec.tls[{index}].hosts[{position}]")
        if name := tls.get("secretName"):
            found += each(f"spec.tls[{index}].secretName", name, names.dns_subdomain(name))
    if (name := spec.get("ingressClassName")) is not None:
        found += each("spec.ingressClassName", name, names.dns_subdomain(name))
    return found


def _host(host: str, path: str) -> Causes:
    rule = names.wildcard_subdomain if "*" in host else names.dns_subdomain
    return each(path, host, rule(host))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _rule(rule: Object, path: str) -> Causes:
    found: Causes = []
    if host := rule.get("host"):
        if _is_address(host):
            words = "must be a DNS name, not an IP address"
            found.append(invalid(f"{path}.host", host, words))
        found += _host(host, f"{path}.host")
    if (http := rule.get("http")) is not None:
        paths = http.get("paths") or []
        if not paths:
            found.append(required(f"{path}.http.paths"))
        for index, one in enumerate(paths):
            found += _path(one, f"{path}.http.paths[{index}]")
    return found


def _path(given: Object, path: str) -> Causes:
    kind, target = given.get("pathType"), given.get("path", "")
    if kind is None:
        return [required(f"{path}.pathType", "pathType must be specified")]
    found: Causes = []
    if kind in ("Exact", "Prefix"):
        if not target.startswith("/"):
            found.append(invalid(f"{path}.path", target, "must be an absolute path"))
        for sequence in _BAD_SEQUENCES:
            if sequence in target:
                found.append(invalid(f"{path}.path", target, f"must not contain '{sequence}'"))
        for end in _BAD_ENDS:
            if target.endswith(end):
                found.append(invalid(f"{path}.path", target, f"cannot end with '{end}'"))
    elif kind == "ImplementationSpecific":
        if target and not target.startswith("/"):
            found.append(invalid(f"{path}.path", target, "must be an absolute path"))
    else:
        found.append(not_supported(f"{path}.pathType", kind, _PATH_TYPES))
    return found + _backend(given["backend"], f"{path}.backend")


def _backend(backend: Object, path: str) -> Causes:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        return [invalid(path, "", "cannot set both resource and service backends")]
    if resource is not None:
        return _reference(resource, f"{path}.resource")
    if service is None:
        return [invalid(path, "", "resource or service backend is required")]
    found: Causes = []
    if not service["name"]:
        found.append(required(f"{path}.service.name"))
    else:
        found += each(f"{path}.service.name", service["name"], names.dns_label(service["name"]))
    name, number = service["port"].get("name"), service["port"].get("number")
    if name and number:
        found.append(invalid(path, "", "cannot set both port name & port number"))
    elif name:
        found += each(f"{path}.service.port.name", name, names.port_name(name))
    elif number:
        found += each(f"{path}.service.port.number", number, names.port_number(number))
    else:
        found.append(required(path, "port name or number is required"))
    return found


def _reference(reference: Object, path: str) -> Causes:
    found: Causes = []
    if (group := reference.get("apiGroup")) is not None:
        found += each(f"{path}.apiGroup", group, names.dns_subdomain(group))
    for key in ("kind", "name"):
        if not reference.get(key):
            found.append(required(f"{path}.{key}"))
        else:
            found += each(f"{path}.{key}", reference[key], names.path_segment(reference[key]))
    return found


def ingress_class(whole: Object) -> Causes:
    found = metadata(whole, names.dns_subdomain)
    controller = whole["spec"].get("controller", "")
    if len(controller.encode()) > 250:
        found.append(too_long("spec.controller", 250))
    domain, slash, rest = controller.partition("/")
    if not controller:
        found.append(required("spec.controller"))
    elif not (slash and domain and rest):
        words = 'must be a domain-prefixed path (such as "acme.io/foo")'
        found.append(invalid("spec.controller", controller, words))
    else:
        found += each("spec.controller", domain, names.dns_subdomain(domain))
        if not names.is_http_path(rest):
            found.append(invalid("spec.controller", rest, names.http_path_words()))
    return found


def ingress_class_update(new: Object, old: Object) -> Causes:
    found: Causes = []
    controller = new["spec"].get("controller", "")
    if controller != old["spec"].get("controller", ""):
        found.append(immutable("spec.controller", controller))
    return found + ingress_class(new)


def network_policy(whole: Object) -> Causes:
    return metadata(whole, names.dns_subdomain) + network_policy_spec(whole)


def network_policy_spec(whole: Object) -> Causes:
    spec = whole["spec"]
    missing: Causes = []
    found = selector(spec["podSelector"], "spec.podSelector")
    for direction, side in (("ingress", "from"), ("egress", "to")):
        for index, rule in enumerate(spec.get(direction) or ()):
            path = f"spec.{direction}[{index}]"
            for position, port in enumerate(rule.get("ports") or ()):
                found += _policy_port(port, f"{path}.ports[{position}]")
            for position, peer in enumerate(rule.get(side) or ()):
                found += _peer(peer, f"{path}.{side}[{position}]")
                if not peer.get("ipBlock", {"cidr": "any"})["cidr"]:
                    missing.append(required(f"{path}.{side}[{position}].ipBlock.cidr"))
    kinds = spec["policyTypes"]
    if len(kinds) > 2:
        words = "may not specify more than two policyTypes"
        return [*found, invalid("spec.policyTypes", kinds, words), *missing]
    for index, kind in enumerate(kinds):
        if kind not in ("Ingress", "Egress"):
            found.append(not_supported(f"spec.policyTypes[{index}]", kind, ("Ingress", "Egress")))
    return found + missing


def _policy_port(given: Object, path: str) -> Causes:
    found: Causes = []
    protocols = ("TCP", "UDP", "SCTP")
    if given["protocol"] not in protocols:
        found.append(not_supported(f"{path}.protocol", given["protocol"], protocols))
    port, end = given.get("port"), given.get("endPort")
    if port is None:
        if end is not None:
            words = "may not be specified when `port` is not specified"
            found.append(invalid(f"{path}.endPort", end, words))
    elif isinstance(port, str):
        if end is not None:
            words = "may not be specified when `port` is non-numeric"
            found.append(invalid(f"{path}.endPort", end, words))
        found += each(f"{path}.port", port, names.port_name(port))
    else:
        found += each(f"{path}.port", port, names.port_number(port))
        if end is not None:
            if end < port:
                words = "must be greater than or equal to `port`"
                found.append(invalid(f"{path}.endPort", end, words))
            found += each(f"{path}.endPort", end, names.port_number(end))
    return found


def _peer(peer: Object, path: str) -> Causes:
    found = selector(peer.get("podSelector"), f"{path}.podSelector")
    found += selector(peer.get("namespaceSelector"), f"{path}.namespaceSelector")
    if (block := peer.get("ipBlock")) is not None:
        found += _block(block, f"{path}.ipBlock")
        if len(peer) > 1:
            found.append(forbidden(path, "may not specify both ipBlock and another peer"))
    if not peer:
        found.append(required(path, "must specify a peer"))
    return found


def _block(block: Object, path: str) -> Causes:
    if not block["cidr"]:
        return []
    if found := cidr(block["cidr"], f"{path}.cidr"):
        return found
    whole = ipaddress.ip_network(block["cidr"], strict=False)
    for index, value in enumerate(block.get("except") or ()):
        if bad := cidr(value, f"{path}.except[{index}]"):
            found += bad
            continue
        part = ipaddress.ip_network(value, strict=False)
        if part.version != whole.version or part == whole or not part.subnet_of(whole):  # type: ignore[arg-type]
            words = "must be a strict subset of `cidr`"
            found.append(invalid(f"{path}.except[{index}]", value, words))
    return found
