"""The specification of a pod, in the order in which the API server looks at it (core's ValidatePodSpec)."""

import re
from typing import Any

from watchbill.lifecycle.kube import names
from watchbill.lifecycle.kube.causes import (
    Cause,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from watchbill.lifecycle.kube.validate_containers import (
    Inside,
    all_containers,
    choice,
    identities,
    init_containers,
    seccomp,
)
from watchbill.lifecycle.kube.validate_meta import annotations, each, labels
from watchbill.lifecycle.kube.validate_scheduling import pod_affinity, scheduling_gates, spread, tolerations
from watchbill.lifecycle.kube.validate_volumes import volumes
from watchbill.patterns import regex

Object = dict[str, Any]
Causes = list[Cause]

_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_SYSCTL = regex(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")


def pod_template(template: Object, path: str) -> Causes:
    meta, spec = template["metadata"], template["spec"]
    # The server leaves `metadata` out of these two paths.
    found = labels(meta.get("labels"), f"{path}.labels")
    found += annotations(meta.get("annotations"), f"{path}.annotations")
    found += pod_annotations(meta.get("annotations"), f"{path}.annotations")
    found += pod_spec(spec, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        words = "ephemeral containers not allowed in pod template"
        found.append(forbidden(f"{path}.spec.ephemeralContainers", words))
    return found


def pod_annotations(given: dict[str, str] | None, path: str) -> Causes:
    key = "controller.kubernetes.io/pod-deletion-cost"
    cost = (given or {}).get(key)
    if cost is not None and not (re.fullmatch(r"-?[1-9][0-9]*|0", cost) and -(2**31) <= int(cost) < 2**31):
        return [invalid(f"{path}[{key}]", cost, "must be a 32bit integer")]
    return []


def pod_spec(spec: Object, path: str, *, is_pod: bool = False, pod_name: str = "") -> Causes:
    grace = spec["terminationGracePeriodSeconds"]
    known_volumes, found = volumes(spec.get("volumes"), f"{path}.volumes", pod_name)
    claims = [claim["name"] for claim in spec.get("resourceClaims") or ()]
    inside = Inside(spec, known_volumes, claims, grace)
    found += all_containers(spec, f"{path}.containers", inside)
    found += init_containers(spec, f"{path}.initContainers", inside)
    if spec.get("hostNetwork"):
        found += _host_network(spec, f"{path}.containers", is_pod)
    found += choice(spec["restartPolicy"], _RESTART_POLICIES, f"{path}.restartPolicy")
    found += choice(spec["dnsPolicy"], _DNS_POLICIES, f"{path}.dnsPolicy")
    found += labels(spec.get("nodeSelector"), f"{path}.nodeSelector")
    found += _pod_security(spec["securityContext"], spec, f"{path}.securityContext")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        words = "ShareProcessNamespace and HostPID cannot both be enabled"
        found.append(invalid(f"{path}.shareProcessNamespace", True, words))
    if affinity := spec.get("affinity"):
        found += pod_affinity(affinity, f"{path}.affinity")
    found += _dns_config(spec.get("dnsConfig"), spec["dnsPolicy"], f"{path}.dnsConfig")
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        name = gate["conditionType"]
        found += each(f"{path}.readinessGates[{index}].conditionType", name, names.label_key(name))
    found += scheduling_gates(spec.get("schedulingGates"), f"{path}.schedulingGates")
    found += spread(spec.get("topologySpreadConstraints"), f"{path}.topologySpreadConstraints")
    found += _names(spec, path)
    if "activeDeadlineSeconds" in spec:
        deadline = spec["activeDeadlineSeconds"]
        found += each(f"{path}.activeDeadlineSeconds", deadline, names.in_range(deadline, 1, 2**31 - 1))
    for key in ("hostname", "subdomain"):
        if name := spec.get(key):
            found += each(f"{path}.{key}", name, names.dns_label(name))
    found += tolerations(spec.get("tolerations"), f"{path}.tolerations")
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        here = f"{path}.hostAliases[{index}]"
        found += ip_address(alias.get("ip", ""), f"{here}.ip")
        for position, host in enumerate(alias.get("hostnames") or ()):
            found += each(f"{here}.hostnames[{position}]", host, names.dns_subdomain(host))
    if name := spec.get("priorityClassName"):
        found += each(f"{path}.priorityClassName", name, names.dns_subdomain(name))
    if (name := spec.get("runtimeClassName")) is not None:
        found += each(f"{path}.runtimeClassName", name, names.dns_subdomain(name))
    if policy := spec.get("preemptionPolicy"):
        found += choice(policy, ("PreemptLowerPriority", "Never"), f"{path}.preemptionPolicy")
    return found


def _host_network(spec: Object, path: str, is_pod: bool) -> Causes:
    found: Causes = []
    for index, container in enumerate(spec.get("containers") or ()):
        for position, port in enumerate(container.get("ports") or ()):
            host = port.get("hostPort", 0)
            if (is_pod or host) and host != port["containerPort"]:
                words = "must match `containerPort` when `hostNetwork` is true"
                found.append(invalid(f"{path}[{index}].ports[{position}].hostPort", host, words))
    return found


def _pod_security(context: Object, spec: Object, path: str) -> Causes:
    found = identities(context, path, "fsGroup", "runAsUser", "runAsGroup")
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        found += each(f"{path}.supplementalGroups[{index}]", group, names.identity(group))
    found += _sysctls(context.get("sysctls"), spec, f"{path}.sysctls")
    policies = ("Always", "OnRootMismatch")
    if (policy := context.get("fsGroupChangePolicy")) is not None and policy not in policies:
        found.append(not_supported(f"{path}.fsGroupChangePolicy", policy, policies))
    return found + seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")


def _sysctls(sysctls: list[Object] | None, spec: Object, path: str) -> Causes:
    found: Causes = []
    seen: set[str] = set()
    for index, sysctl in enumerate(sysctls or ()):
        name, here = sysctl["name"], f"{path}[{index}].name"
        if not name:
            found.append(required(here))
        elif len(name) > 253 or not _SYSCTL.fullmatch(name):
            words = f"must have at most 253 characters and match regex ^{_SYSCTL.pattern}$"
            found.append(invalid(here, name, words))
        elif name in seen:
            found.append(duplicate(here, name))
        dotted = name.replace("/", ".")
        if spec.get("hostNetwork") and dotted.startswith("net."):
            found.append(invalid(here, name, "may not be specified when 'hostNetwork' is true"))
        elif spec.get("hostIPC") and dotted.startswith(
            ("kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue.")
        ):
            found.append(invalid(here, name, "may not be specified when 'hostIPC' is true"))
        seen.add(name)
    return found


def ip_address(value: str, path: str) -> Causes:
    import ipaddress  # takes long, and few pods have addresses

    try:
        # Leading zeroes are tolerated in fields that always tolerated them.
        ipaddress.ip_address(re.sub(r"(^|\.)0+(?=\d)", r"\1", value) if ":" not in value else value)
    except ValueError:
        return [invalid(path, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")]
    return []


def _dns_config(config: Object | None, policy: str, path: str) -> Causes:
    if policy == "None":
        if config is None:
            return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
        if not config.get("nameservers"):
            words = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            return [required(f"{path}.nameservers", words)]
    found: Causes = []
    if config is None:
        return found
    servers, searches = config.get("nameservers") or [], config.get("searches") or []
    if len(servers) > 3:
        found.append(invalid(f"{path}.nameservers", servers, "must not have more than 3 nameservers"))
    for index, server in enumerate(servers):
        found += ip_address(server, f"{path}.nameservers[{index}]")
    if len(searches) > 32:
        found.append(invalid(f"{path}.searches", searches, "must not have more than 32 search paths"))
    for index, search in enumerate(searches):
        if search != "." and not re.fullmatch(
            r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*", search.removesuffix(".")
        ):
            words = (
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or "
                "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
                "validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')"
            )
            found.append(invalid(f"{path}.searches[{index}]", search.removesuffix("."), words))
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            found.append(required(f"{path}.options[{index}]", "must not be empty"))
    return found


def _names(spec: Object, path: str) -> Causes:
    found: Causes = []
    for key in ("serviceAccountName", "nodeName"):
        if name := spec.get(key):
            found += each(f"{path}.{key}", name, names.dns_subdomain(name))
    return found
