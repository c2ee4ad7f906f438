"""Services (core's validation), creation and update."""

from typing import Any

from watchbill.lifecycle.kube import names
from watchbill.lifecycle.kube.causes import Cause, duplicate, forbidden, invalid, not_supported, required
from watchbill.lifecycle.kube.defaults_service import ALLOCATED, externally_accessible, needs_health_port
from watchbill.lifecycle.kube.validate_containers import port_or_name
from watchbill.lifecycle.kube.validate_meta import each, labels, metadata
from watchbill.lifecycle.kube.validate_pod import ip_address

Object = dict[str, Any]
Causes = list[Cause]

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_CHANGED = "may not change once set"
_ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'"


def service(whole: Object) -> Causes:
    # Before anything else the server looks whether it can allocate addresses.
    if found := _allocatable(whole["spec"]):
        return found
    return metadata(whole, names.dns_label) + _service(whole)


def service_update(new: Object, old: Object) -> Causes:
    spec, before = new["spec"], old["spec"]
    found: Causes = []
    if "ExternalName" not in (spec["type"], before["type"]):
        found += _addresses_update(spec, before) + _families_update(spec, before)
    chosen, earlier = spec.get("loadBalancerClass"), before.get("loadBalancerClass")
    if spec["type"] == before["type"] == "LoadBalancer" and chosen != earlier:
        found.append(invalid("spec.loadBalancerClass", chosen, _CHANGED))
    found += _load_balancer_class(spec)
    checked = needs_health_port(before) and needs_health_port(spec)
    if checked and spec.get("healthCheckNodePort") != before.get("healthCheckNodePort"):
        found.append(forbidden("spec.healthCheckNodePort", "field is immutable"))
    return found + _service(new)


def refused_before_validation(new: Object) -> Causes:
    """What allocation refuses on its own, so that nothing else is said."""
    return _allocatable(new["spec"])


def _is_headless(spec: Object) -> bool:
    return bool((spec.get("clusterIPs") or []) == ["None"])


def _allocatable(spec: Object) -> Causes:
    if spec["type"] == "ExternalName":
        return []
    if found := _cluster_ips(spec):
        return found
    if spec.get("clusterIP") == "None" and not spec.get("selector"):
        return []
    found = []
    policy, families = spec.get("ipFamilyPolicy"), spec.get("ipFamilies") or []
    if policy == "SingleStack" and len(families) == 2:
        words = "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"
        return [invalid("spec.ipFamilyPolicy", policy, words)]
    if policy == "RequireDualStack":
        words = "this cluster is not configured for dual-stack services"
        found.append(invalid("spec.ipFamilyPolicy", policy, words))
    for index, family in enumerate(families):
        if family != "IPv4":
            found.append(invalid(f"spec.ipFamilies[{index}]", family, "not configured on this cluster"))
    return found


def _cluster_ips(spec: Object) -> Causes:
    found: Causes = []
    first, addresses = spec.get("clusterIP", ""), spec.get("clusterIPs") or []
    if first and not addresses:
        found.append(required("spec.clusterIPs"))
    elif first and addresses[0] != first:
        found.append(invalid("spec.clusterIPs", addresses, "first value must match `clusterIP`"))
    elif not first and addresses:
        words = "must be empty when `clusterIP` is not specified"
        found.append(invalid("spec.clusterIPs", addresses, words))
    seen: set[str] = set()
    for index, family in enumerate(spec.get("ipFamilies") or ()):
        if family not in ("IPv4", "IPv6"):
            found.append(not_supported(f"spec.ipFamilies[{index}]", family, ("IPv4", "IPv6")))
        if family in seen:
            found.append(duplicate(f"spec.ipFamilies[{index}]", family))
        seen.add(family)
    policies = ("PreferDualStack", "RequireDualStack", "SingleStack")
    if (policy := spec.get("ipFamilyPolicy")) is not None and policy not in policies:
        found.append(not_supported("spec.ipFamilyPolicy", policy, policies))
    for index, address in enumerate(addresses):
        if index == 0 and address == "None":
            if len(addresses) > 1:
                words = "'None' must be the first and only value"
                found.append(invalid("spec.clusterIPs", addresses, words))
        elif address != ALLOCATED:
            found += ip_address(address, f"spec.clusterIPs[{index}]")
    if len(addresses) > 2:
        found.append(invalid("spec.clusterIPs", addresses, "may only hold up to 2 values"))
    return found


def _service(whole: Object) -> Causes:
    spec = whole["spec"]
    found: Causes = []
    headless = _is_headless(spec)
    ports = spec.get("ports") or []
    if not ports and not headless and spec["type"] != "ExternalName":
        found.append(required("spec.ports"))
    found += _by_type(spec, headless)
    seen: set[str] = set()
    for index, port in enumerate(ports):
        found += _port(port, f"spec.ports[{index}]", len(ports) > 1, seen)
    found += labels(spec.get("selector"), "spec.selector")
    affinity = spec["sessionAffinity"]
    if affinity not in ("ClientIP", "None"):
        found.append(not_supported("spec.sessionAffinity", affinity, ("ClientIP", "None")))
    elif affinity == "ClientIP":
        timeout = spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"]
        if not 0 < timeout <= 86400:
            path = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
            found.append(invalid(path, timeout, "must be greater than 0 and less than 86400"))
    if spec["type"] != "ExternalName":
        found += _cluster_ips(spec)
    for index, address in enumerate(spec.get("externalIPs") or ()):
        found += ip_address(address, f"spec.externalIPs[{index}]")
    if spec["type"] not in _TYPES:
        found.append(not_supported("spec.type", spec["type"], _TYPES))
    found += _node_ports(spec, ports)
    found += _source_ranges(whole)
    if "allocateLoadBalancerNodePorts" in spec and spec["type"] != "LoadBalancer":
        found.append(forbidden("spec.allocateLoadBalancerNodePorts", _ONLY_LOAD_BALANCER))
    found += _load_balancer_class(spec)
    return found + _traffic(spec)


def _by_type(spec: Object, headless: bool) -> Causes:
    kind = spec["type"]
    if kind in ("LoadBalancer", "NodePort") and headless:
        words = f"may not be set to 'None' for {kind} services"
        return [invalid("spec.clusterIPs[0]", "None", words)]
    if kind != "ExternalName":
        return []
    found: Causes = []
    for key in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec.get(key):
            found.append(forbidden(f"spec.{key}", "may not be set for ExternalName services"))
    if name := spec.get("externalName", "").removesuffix("."):
        return found + each("spec.externalName", name, names.dns_subdomain(name))
    return [*found, required("spec.externalName")]


def _port(port: Object, path: str, needs_name: bool, seen: set[str]) -> Causes:
    found: Causes = []
    name = port.get("name", "")
    if needs_name and not name:
        found.append(required(f"{path}.name"))
    elif name:
        found += each(f"{path}.name", name, names.dns_label(name))
        if name in seen:
            found.append(duplicate(f"{path}.name", name))
        seen.add(name)
    found += each(f"{path}.port", port["port"], names.port_number(port["port"]))
    if port["protocol"] not in _PROTOCOLS:
        found.append(not_supported(f"{path}.protocol", port["protocol"], _PROTOCOLS))
    found += port_or_name(port["targetPort"], f"{path}.targetPort")
    if (protocol := port.get("appProtocol")) is not None:
        found += each(f"{path}.appProtocol", protocol, names.label_key(protocol))
    return found


def _node_ports(spec: Object, ports: list[Object]) -> Causes:
    found: Causes = []
    if spec["type"] == "ClusterIP":
        words = "may not be used when `type` is 'ClusterIP'"
        for index, port in enumerate(ports):
            if port.get("nodePort"):
                found.append(forbidden(f"spec.ports[{index}].nodePort", words))
    used: set[tuple[str, int]] = set()
    for index, port in enumerate(ports):
        if number := port.get("nodePort"):
            if (port["protocol"], number) in used:
                found.append(duplicate(f"spec.ports[{index}].nodePort", number))
            used.add((port["protocol"], number))
    served: set[tuple[str, int]] = set()
    for index, port in enumerate(ports):
        if (port["protocol"], port["port"]) in served:
            found.append(duplicate(f"spec.ports[{index}]", port))
        served.add((port["protocol"], port["port"]))
    return found


def _source_ranges(whole: Object) -> Causes:
    spec = whole["spec"]
    key = "service.beta.kubernetes.io/load-balancer-source-ranges"
    annotation = (whole["metadata"].get("annotations") or {}).get(key)
    found: Causes = []
    if ranges := spec.get("loadBalancerSourceRanges"):
        path = "spec.LoadBalancerSourceRanges"
        if spec["type"] != "LoadBalancer":
            found.append(forbidden(path, _ONLY_LOAD_BALANCER))
        for index, value in enumerate(ranges):
            found += cidr(value.strip(), f"{path}[{index}]")
    elif annotation is not None:
        path = f"metadata.annotations[{key}]"
        if spec["type"] != "LoadBalancer":
            found.append(forbidden(path, _ONLY_LOAD_BALANCER))
        for value in annotation.strip().split(",") if annotation.strip() else ():
            found += cidr(value.strip(), path)
    return found


def cidr(value: str, path: str) -> Causes:
    import ipaddress  # takes long, and few Services have addresses

    words = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
    try:
        ipaddress.ip_network(value, strict=False)
    except ValueError:
        return [invalid(path, value, words)]
    return [] if "/" in value else [invalid(path, value, words)]


def _load_balancer_class(spec: Object) -> Causes:
    name = spec.get("loadBalancerClass")
    if name is None:
        return []
    if spec["type"] != "LoadBalancer":
        return [forbidden("spec.loadBalancerClass", _ONLY_LOAD_BALANCER)]
    return each("spec.loadBalancerClass", name, names.label_key(name))


def _traffic(spec: Object) -> Causes:
    found: Causes = []
    external = spec.get("externalTrafficPolicy", "")
    policies = ("Cluster", "Local")
    if not externally_accessible(spec):
        if external:
            words = "may only be set for externally-accessible services"
            found.append(invalid("spec.externalTrafficPolicy", external, words))
    elif external not in policies:
        found.append(not_supported("spec.externalTrafficPolicy", external, policies))
    port = spec.get("healthCheckNodePort", 0)
    if needs_health_port(spec):
        found += each("spec.healthCheckNodePort", port, names.port_number(port))
    elif port:
        words = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        found.append(invalid("spec.healthCheckNodePort", port, words))
    internal = spec.get("internalTrafficPolicy")
    if internal is not None and internal not in policies:
        found.append(not_supported("spec.internalTrafficPolicy", internal, policies))
    spread = ("PreferClose", "PreferSameZone", "PreferSameNode")
    if (given := spec.get("trafficDistribution")) is not None and given not in spread:
        found.append(not_supported("spec.trafficDistribution", given, spread))
    return found


def _addresses_update(spec: Object, before: Object) -> Causes:
    if _is_headless(spec) and _is_headless(before):
        return []
    mine, theirs = spec.get("clusterIPs") or [], before.get("clusterIPs") or []
    found: Causes = []
    if len(mine) == len(theirs):
        for index, address in enumerate(theirs):
            if address != mine[index]:
                found.append(invalid(f"spec.clusterIPs[{index}]", mine, _CHANGED))
        return found
    if not mine:
        return [invalid("spec.clusterIPs[0]", None, "primary clusterIP can not be unset")]
    if theirs and mine[0] != theirs[0]:
        found.append(invalid("spec.clusterIPs[0]", mine, _CHANGED))
    if len(theirs) > len(mine) == 1 and spec.get("ipFamilyPolicy") != "SingleStack":
        words = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        found.append(invalid("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), words))
    return found


def _families_update(spec: Object, before: Object) -> Causes:
    if _is_headless(spec) or _is_headless(before):
        return []
    mine, theirs = spec.get("ipFamilies") or [], before.get("ipFamilies") or []
    if mine and theirs and mine[0] != theirs[0]:
        return [invalid("spec.ipFamilies[0]", mine, _CHANGED)]
    return []
