"""What the API server makes of a Service: addresses and ports are its to give, and to keep."""

from typing import Any

Object = dict[str, Any]

ALLOCATED = "allocated"
_FIRST_PORT = 30000
_FAMILY = "IPv4"


def default_service(service: Object) -> None:
    spec = service["spec"]
    spec.setdefault("sessionAffinity", "None")
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if "timeoutSeconds" not in client:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": 10800}}
    kind = spec.setdefault("type", "ClusterIP")
    for port in spec.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if port["targetPort"] in (0, ""):
            port["targetPort"] = port["port"]
    if externally_accessible(spec):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if kind in ("NodePort", "LoadBalancer", "ClusterIP"):
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if kind == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)


def created_service(service: Object, _: Object) -> None:
    spec = service["spec"]
    if spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]]
    _families(spec, None)
    _addresses(spec)
    if spec["type"] in ("NodePort", "LoadBalancer"):
        _first_node_ports(spec)
    if needs_health_port(spec):
        spec.setdefault("healthCheckNodePort", _free_port(spec))


def updated_service(service: Object, old: Object) -> None:
    spec, before = service["spec"], old["spec"]
    _keep_allocated(spec, before)
    _align_addresses(spec, before)
    _families(spec, before)
    if before["type"] == "ExternalName" and spec["type"] != "ExternalName":
        _addresses(spec)
    if spec["type"] in ("NodePort", "LoadBalancer"):
        for port in spec.get("ports") or ():
            if "nodePort" not in port and _allocates_node_ports(spec):
                port["nodePort"] = _free_port(spec, before)
    if not needs_health_port(before) and needs_health_port(spec):
        spec.setdefault("healthCheckNodePort", _free_port(spec, before))
    _drop_what_the_type_leaves(spec, before)


def externally_accessible(spec: Object) -> bool:
    return spec["type"] in ("LoadBalancer", "NodePort") or (
        spec["type"] == "ClusterIP" and bool(spec.get("externalIPs"))
    )


def needs_health_port(spec: Object) -> bool:
    return bool(spec["type"] == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local")


def _allocates_node_ports(spec: Object) -> bool:
    return bool(
        spec["type"] == "NodePort"
        or (spec["type"] == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts", True))
    )


def _free_port(*specs: Object) -> int:
    used = {port.get("nodePort") for spec in specs for port in spec.get("ports") or ()}
    used |= {spec.get("healthCheckNodePort") for spec in specs}
    port = _FIRST_PORT
    while port in used:
        port += 1
    return port


def _first_node_ports(spec: Object) -> None:
    """Ports of one number (TCP and UDP) share the node port."""
    given: dict[int, int] = {}
    ports = spec.get("ports") or []
    for port in ports:
        if "nodePort" not in port and not _allocates_node_ports(spec):
            continue
        number = port["port"]
        if number not in given:
            asked = next((p["nodePort"] for p in ports if p["port"] == number and "nodePort" in p), None)
            given[number] = port["nodePort"] = asked if asked is not None else _free_port(spec)
        elif "nodePort" not in port:
            port["nodePort"] = given[number]


def _families(spec: Object, before: Object | None) -> None:
    """On a cluster with one family, which is what a bare server is."""
    if spec["type"] == "ExternalName":
        return
    headless = spec.get("clusterIP") == "None"
    free = headless and not spec.get("selector")
    if "ipFamilyPolicy" not in spec:
        if before is not None and "ipFamilyPolicy" in before:
            spec["ipFamilyPolicy"] = before["ipFamilyPolicy"]
        else:
            spec["ipFamilyPolicy"] = "RequireDualStack" if free else "SingleStack"
    single = spec["ipFamilyPolicy"] == "SingleStack"
    families = list(spec.get("ipFamilies") or ())
    if before is not None and single and len(families) > 1 and families == before.get("ipFamilies"):
        families = families[:1]
    families = families or [_FAMILY]
    if free and len(families) == 1 and not single:
        families.append("IPv6" if families[0] == "IPv4" else "IPv4")
    spec["ipFamilies"] = families


def _addresses(spec: Object) -> None:
    if spec["type"] == "ExternalName" or (spec.get("clusterIPs") or [""])[0] == "None":
        return
    spec["clusterIPs"] = [address or ALLOCATED for address in spec.get("clusterIPs") or [""]]
    spec["clusterIP"] = spec["clusterIPs"][0]


def _keep_allocated(spec: Object, before: Object) -> None:
    """Who sends the same manifest again keeps what the server gave."""
    if before["type"] != "ExternalName" and spec["type"] != "ExternalName":
        for key in ("clusterIP", "clusterIPs"):
            if not spec.get(key) and before.get(key):
                spec[key] = before[key]
    if _allocates_node_ports(before) and _allocates_node_ports(spec):
        shared = _node_ports(spec) & _node_ports(before)
        by_name = {port.get("name", ""): port.get("nodePort") for port in before.get("ports") or ()}
        for port in spec.get("ports") or ():
            if "nodePort" not in port:
                known = by_name.get(port.get("name", ""))
                if known is not None and known not in shared:
                    port["nodePort"] = known
    if needs_health_port(before) and needs_health_port(spec) and "healthCheckNodePort" in before:
        spec.setdefault("healthCheckNodePort", before["healthCheckNodePort"])


def _align_addresses(spec: Object, before: Object) -> None:
    same = before.get("clusterIP") == spec.get("clusterIP")
    if same and before.get("clusterIPs") and not spec.get("clusterIPs"):
        spec["clusterIPs"] = before["clusterIPs"]
    if not same and before.get("clusterIPs") == spec.get("clusterIPs"):
        if spec.get("clusterIP"):
            spec["clusterIPs"] = [spec["clusterIP"]]
        else:
            spec.pop("clusterIPs", None)


def _drop_what_the_type_leaves(spec: Object, before: Object) -> None:
    """Values that the server gave and that the new type has no use for; what the client changed stays."""
    if before["type"] != "ExternalName" and spec["type"] == "ExternalName":
        _drop_together(spec, before, "clusterIP", "clusterIPs")
        _drop_together(spec, before, "ipFamilies")
        _drop_together(spec, before, "ipFamilyPolicy")
    exposed = ("NodePort", "LoadBalancer")
    if before["type"] in exposed and spec["type"] not in exposed and _node_ports(spec) <= _node_ports(before):
        for port in spec.get("ports") or ():
            port.pop("nodePort", None)
    if needs_health_port(before) and not needs_health_port(spec):
        _drop_together(spec, before, "healthCheckNodePort")
    if before["type"] == "LoadBalancer" and spec["type"] != "LoadBalancer":
        _drop_together(spec, before, "allocateLoadBalancerNodePorts")
        _drop_together(spec, before, "loadBalancerClass")
    if externally_accessible(before) and not externally_accessible(spec):
        _drop_together(spec, before, "externalTrafficPolicy")


def _drop_together(spec: Object, before: Object, *keys: str) -> None:
    if all(spec.get(key) == before.get(key) for key in keys):
        for key in keys:
            spec.pop(key, None)


def _node_ports(spec: Object) -> set[int]:
    return {port["nodePort"] for port in spec.get("ports") or () if "nodePort" in port}
