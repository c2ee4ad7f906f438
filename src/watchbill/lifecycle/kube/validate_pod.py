"""The specification of a pod, in the order in which the API server looks at it (core's ValidatePodSpec)."""

import ipaddress
import re
from typing import Any

from watchbill.lifecycle.kube import names, quantity, validate_env
from watchbill.lifecycle.kube.causes import (
    Cause,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from watchbill.lifecycle.kube.validate_meta import annotations, each, labels, selector
from watchbill.lifecycle.kube.validate_paths import descending_path, no_backsteps
from watchbill.lifecycle.kube.validate_volumes import volumes

Object = dict[str, Any]
Causes = list[Cause]

_NEGATIVE = "must be greater than or equal to 0"
_NOT_POSITIVE = "must be greater than zero"
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_STANDARD_RESOURCES = frozenset(
    {"cpu", "memory", "ephemeral-storage", "pods", "resourcequotas", "services", "replicationcontrollers"}
    | {"secrets", "configmaps", "persistentvolumeclaims", "storage", "requests.storage"}
    | {"services.nodeports", "services.loadbalancers"}
    | {f"{kind}.{name}" for kind in ("requests", "limits") for name in ("cpu", "memory", "ephemeral-storage")}
)
_SYSCTL = re.compile(r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?")


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
    inside = _Inside(spec, known_volumes, claims, grace)
    found += _containers(spec, f"{path}.containers", inside)
    found += _init_containers(spec, f"{path}.initContainers", inside)
    if spec.get("hostNetwork"):
        found += _host_network(spec, f"{path}.containers", is_pod)
    found += _choice(spec["restartPolicy"], _RESTART_POLICIES, f"{path}.restartPolicy")
    found += _choice(spec["dnsPolicy"], _DNS_POLICIES, f"{path}.dnsPolicy")
    found += labels(spec.get("nodeSelector"), f"{path}.nodeSelector")
    found += _pod_security(spec["securityContext"], spec, f"{path}.securityContext")
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        words = "ShareProcessNamespace and HostPID cannot both be enabled"
        found.append(invalid(f"{path}.shareProcessNamespace", True, words))
    if affinity := spec.get("affinity"):
        found += _affinity(affinity, f"{path}.affinity")
    found += _dns_config(spec.get("dnsConfig"), spec["dnsPolicy"], f"{path}.dnsConfig")
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        name = gate["conditionType"]
        found += each(f"{path}.readinessGates[{index}].conditionType", name, names.label_key(name))
    found += _scheduling_gates(spec.get("schedulingGates"), f"{path}.schedulingGates")
    found += _spread(spec.get("topologySpreadConstraints"), f"{path}.topologySpreadConstraints")
    found += _names(spec, path)
    if "activeDeadlineSeconds" in spec:
        deadline = spec["activeDeadlineSeconds"]
        found += each(f"{path}.activeDeadlineSeconds", deadline, names.in_range(deadline, 1, 2**31 - 1))
    for key in ("hostname", "subdomain"):
        if name := spec.get(key):
            found += each(f"{path}.{key}", name, names.dns_label(name))
    found += _tolerations(spec.get("tolerations"), f"{path}.tolerations")
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
        found += _choice(policy, ("PreemptLowerPriority", "Never"), f"{path}.preemptionPolicy")
    return found


class _Inside:
    """What a container needs to know of its pod."""

    def __init__(self, spec: Object, known: dict[str, Object], claims: list[str], grace: int) -> None:
        self.volumes = known
        self.claims = claims
        self.grace = grace
        self.restarts_never = spec["restartPolicy"] == "Never"
        self.host_users = spec.get("hostUsers", True)
        self.os = (spec.get("os") or {}).get("name")


def _choice(value: str, allowed: tuple[str, ...], path: str) -> Causes:
    if not value:
        return [required(path)]
    return [] if value in allowed else [not_supported(path, value, allowed)]


def _not_negative(value: int, path: str) -> Causes:
    return [invalid(path, value, _NEGATIVE)] if value < 0 else []


def _containers(spec: Object, path: str, inside: _Inside) -> Causes:
    containers = spec.get("containers") or []
    if not containers:
        return [required(path)]
    found: Causes = []
    seen: set[str] = set()
    for index, container in enumerate(containers):
        here = f"{path}[{index}]"
        found += _container(container, here, inside)
        if container["name"] in seen:
            found.append(duplicate(f"{here}.name", container["name"]))
        seen.add(container["name"])
        found += _life(container, here, inside)
        found += _restart_policy(container, here)
    ports: set[str] = set()
    for index, container in enumerate(containers):
        found += _host_ports(container, f"{path}[{index}]", ports)
    return found


def _init_containers(spec: Object, path: str, inside: _Inside) -> Causes:
    found: Causes = []
    seen = {container["name"] for container in spec.get("containers") or ()}
    for index, container in enumerate(spec.get("initContainers") or ()):
        here = f"{path}[{index}]"
        found += _container(container, here, inside)
        found += _restart_policy(container, here)
        if container["name"] in seen:
            found.append(duplicate(f"{here}.name", container["name"]))
        elif container["name"]:
            seen.add(container["name"])
        # The server looks at this one container, and calls it the first.
        found += _host_ports(container, f"{path}[0]", set())
        if container.get("restartPolicy") == "Always":
            found += _life(container, here, inside)
        else:
            words = "may not be set for init containers without restartPolicy=Always"
            for key in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"):
                if key in container:
                    found.append(forbidden(f"{here}.{key}", words))
    return found


def _restart_policy(container: Object, path: str) -> Causes:
    policy = container.get("restartPolicy")
    if policy is None:
        if container.get("restartPolicyRules"):
            words = "must specify restartPolicy when restart rules are used"
            return [required(f"{path}.restartPolicy", words)]
        return []
    allowed = ("Always", "Never", "OnFailure")
    return [] if policy in allowed else [not_supported(f"{path}.restartPolicy", policy, allowed)]


def _host_ports(container: Object, path: str, seen: set[str]) -> Causes:
    found: Causes = []
    for index, port in enumerate(container.get("ports") or ()):
        if number := port.get("hostPort"):
            one = f"{port['protocol']}/{port.get('hostIP', '')}/{number}"
            if one in seen:
                found.append(duplicate(f"{path}.ports[{index}].hostPort", one))
            seen.add(one)
    return found


def _container(container: Object, path: str, inside: _Inside) -> Causes:
    found: Causes = []
    name = container["name"]
    if not name:
        found.append(required(f"{path}.name"))
    elif messages := names.dns_label(name):
        found += each(f"{path}.name", name, messages)
    if not container.get("image"):
        found.append(required(f"{path}.image"))
    policy = container["terminationMessagePolicy"]
    found += _choice(policy, ("File", "FallbackToLogsOnError"), f"{path}.terminationMessagePolicy")
    found += _ports(container.get("ports"), f"{path}.ports")
    found += validate_env.variables(container.get("env"), f"{path}.env")
    found += validate_env.sources(container.get("envFrom"), f"{path}.envFrom")
    found += _mounts(container, f"{path}.volumeMounts", inside)
    found += _devices(container, f"{path}.volumeDevices", inside)
    found += _choice(container["imagePullPolicy"], _PULL_POLICIES, f"{path}.imagePullPolicy")
    found += resources(container["resources"], f"{path}.resources", inside.claims)
    found += _resize(container.get("resizePolicy"), f"{path}.resizePolicy", inside)
    if (context := container.get("securityContext")) is not None:
        found += _security(context, f"{path}.securityContext", inside)
    return found


def _ports(ports: list[Object] | None, path: str) -> Causes:
    found: Causes = []
    seen: set[str] = set()
    for index, port in enumerate(ports or ()):
        here = f"{path}[{index}]"
        if name := port.get("name"):
            if messages := names.port_name(name):
                found += each(f"{here}.name", name, messages)
            elif name in seen:
                found.append(duplicate(f"{here}.name", name))
            else:
                seen.add(name)
        if not (number := port["containerPort"]):
            found.append(required(f"{here}.containerPort"))
        elif messages := names.port_number(number):
            found += each(f"{here}.containerPort", number, messages)
        if number := port.get("hostPort"):
            found += each(f"{here}.hostPort", number, names.port_number(number))
        if port["protocol"] not in _PROTOCOLS:
            found.append(not_supported(f"{here}.protocol", port["protocol"], _PROTOCOLS))
    return found


def _mounts(container: Object, path: str, inside: _Inside) -> Causes:
    found: Causes = []
    devices = {device["name"]: device["devicePath"] for device in container.get("volumeDevices") or ()}
    seen: set[str] = set()
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        here = f"{path}[{index}]"
        name, target = mount["name"], mount["mountPath"]
        if not name:
            found.append(required(f"{here}.name"))
        if name not in inside.volumes:
            found.append(not_found(f"{here}.name", name))
        if not target:
            found.append(required(f"{here}.mountPath"))
        if target in seen:
            found.append(invalid(f"{here}.mountPath", target, "must be unique"))
        seen.add(target)
        if name in devices:
            found.append(invalid(f"{here}.name", name, "must not already exist in volumeDevices"))
        if target in devices.values():
            words = "must not already exist as a path in volumeDevices"
            found.append(invalid(f"{here}.mountPath", target, words))
        if sub := mount.get("subPath"):
            found += descending_path(sub, f"{path}.subPath")
        if expression := mount.get("subPathExpr"):
            if sub:
                words = "subPathExpr and subPath are mutually exclusive"
                found.append(invalid(f"{here}.subPathExpr", expression, words))
            found += descending_path(expression, f"{path}.subPathExpr")
        found += _propagation(mount, container, path)
    return found


def _propagation(mount: Object, container: Object, path: str) -> Causes:
    found: Causes = []
    mode = mount.get("mountPropagation")
    modes = ("Bidirectional", "HostToContainer", "None")
    if mode is not None:
        if mode not in modes:
            found.append(not_supported(f"{path}.mountPropagation", mode, modes))
        if mode == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
            words = "Bidirectional mount propagation is available only to privileged containers"
            found.append(forbidden(f"{path}.mountPropagation", words))
    recursive = mount.get("recursiveReadOnly")
    if recursive in ("Enabled", "IfPossible"):
        if not mount.get("readOnly"):
            words = "may only be specified when readOnly is true"
            found.append(forbidden(f"{path}.recursiveReadOnly", words))
        if mode not in (None, "None"):
            words = "may only be specified when mountPropagation is None or not specified"
            found.append(forbidden(f"{path}.recursiveReadOnly", words))
    elif recursive not in (None, "Disabled"):
        allowed = ("Disabled", "Enabled", "IfPossible")
        found.append(not_supported(f"{path}.recursiveReadOnly", recursive, allowed))
    return found


def _devices(container: Object, path: str, inside: _Inside) -> Causes:
    found: Causes = []
    mounts = {mount["name"]: mount["mountPath"] for mount in container.get("volumeMounts") or ()}
    seen: set[str] = set()
    used: set[str] = set()
    for index, device in enumerate(container.get("volumeDevices") or ()):
        here = f"{path}[{index}]"
        name, target = device["name"], device["devicePath"]
        volume = inside.volumes.get(name)
        if not name:
            found.append(required(f"{here}.name"))
        if name in seen:
            found.append(invalid(f"{here}.name", name, "must be unique"))
        if volume is None:
            found.append(not_found(f"{here}.name", name))
        elif "persistentVolumeClaim" not in volume and "ephemeral" not in volume:
            words = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
            found.append(invalid(f"{here}.name", name, words))
        if not target:
            found.append(required(f"{here}.devicePath"))
        if target in used:
            found.append(invalid(f"{here}.devicePath", target, "must be unique"))
        if target and no_backsteps(target, ""):
            found.append(invalid(f"{here}.devicePath", target, "can not contain backsteps ('..')"))
        else:
            used.add(target)
        if name in mounts:
            found.append(invalid(f"{here}.name", name, "must not already exist in volumeMounts"))
        if target in mounts.values():
            words = "must not already exist as a path in volumeMounts"
            found.append(invalid(f"{here}.devicePath", target, words))
        if name:
            seen.add(name)
    return found


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _is_extended(name: str) -> bool:
    return not (_is_native(name) or name.startswith("requests.") or names.label_key(f"requests.{name}"))


def _resource_name(name: str, path: str) -> Causes:
    if found := each(path, name, names.label_key(name)):
        pass
    elif "/" not in name and name not in _STANDARD_RESOURCES and not _is_huge_quota(name):
        found = [invalid(path, name, "must be a standard resource type or fully qualified")]
    if "/" not in name:
        if name not in ("cpu", "memory", "ephemeral-storage") and not name.startswith("hugepages-"):
            found.append(invalid(path, name, "must be a standard resource for containers"))
    elif not _is_native(name) and not _is_extended(name):
        found.append(invalid(path, name, "doesn't follow extended resource name standard"))
    return found


def _is_huge_quota(name: str) -> bool:
    return name.startswith(("hugepages-", "requests.hugepages-"))


def resource_amount(name: str, amount: str, path: str) -> Causes:
    found: Causes = []
    nanos = quantity.nanos(amount)
    if nanos < 0:
        found.append(invalid(path, amount, _NEGATIVE))
    if _is_extended(name) and nanos % quantity.NANO:
        found.append(invalid(path, amount, "must be an integer"))
    return found


def resources(given: Object, path: str, claims: list[str]) -> Causes:
    found: Causes = []
    limits, requests = given.get("limits") or {}, given.get("requests") or {}
    for name, amount in limits.items():
        here = f"{path}.limits[{name}]"
        found += _resource_name(name, here) + resource_amount(name, amount, here)
        found += _huge_amount(name, amount, here)
    for name, amount in requests.items():
        here = f"{path}.requests[{name}]"
        found += _resource_name(name, here) + resource_amount(name, amount, here)
        shared = _is_native(name) and not name.startswith("hugepages-")
        if (limit := limits.get(name)) is not None:
            asked, allowed = quantity.nanos(amount), quantity.nanos(limit)
            if asked != allowed and not shared:
                words = f"must be equal to {name} limit of {limit}"
                found.append(invalid(f"{path}.requests", amount, words))
            elif asked > allowed:
                words = f"must be less than or equal to {name} limit of {limit}"
                found.append(invalid(f"{path}.requests", amount, words))
        elif not shared:
            words = "Limit must be set for non overcommitable resources"
            found.append(required(f"{path}.limits", words))
        found += _huge_amount(name, amount, here)
    both = limits.keys() | requests.keys()
    if not both & {"cpu", "memory"} and any(name.startswith("hugepages-") for name in both):
        found.append(forbidden(path, "HugePages require cpu or memory"))
    for index, claim in enumerate(given.get("claims") or ()):
        if claim["name"] and claim["name"] not in claims:
            known = ": " + ", ".join(sorted(claims)) if claims else " which is empty"
            words = f"must be one of the names in pod.spec.resourceClaims{known}"
            found.append(not_found(f"{path}.claims[{index}]", claim["name"], words))
    return found


def _huge_amount(name: str, amount: str, path: str) -> Causes:
    if not name.startswith("hugepages-"):
        return []
    try:
        size = quantity.nanos(name.removeprefix("hugepages-"))
    except quantity.QuantityError:
        size = 0
    if size > 0 and quantity.nanos(amount) % size == 0:
        return []
    return [invalid(path, amount, f"{amount} is not positive integer multiple of {name}")]


def _resize(policies: list[Object] | None, path: str, inside: _Inside) -> Causes:
    found: Causes = []
    seen: set[str] = set()
    for index, policy in enumerate(policies or ()):
        name, restart = policy["resourceName"], policy["restartPolicy"]
        if name in seen:
            found.append(duplicate(f"{path}[{index}]", name))
        seen.add(name)
        found += _choice(name, ("cpu", "memory"), path)
        found += _choice(restart, ("NotRequired", "RestartContainer"), path)
        if inside.restarts_never and restart != "NotRequired":
            words = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            found.append(invalid(path, restart, words))
    return found


def _life(container: Object, path: str, inside: _Inside) -> Causes:
    found: Causes = []
    if (lifecycle := container.get("lifecycle")) is not None:
        for event in ("postStart", "preStop"):
            if (handler := lifecycle.get(event)) is not None:
                found += _handler(handler, f"{path}.lifecycle.{event}", inside)
        if "stopSignal" in lifecycle and inside.os is None:
            words = "may not be set for containers with empty `spec.os.name`"
            found.append(forbidden(f"{path}.lifecycle.stopSignal", words))
    for kind in ("livenessProbe", "readinessProbe", "startupProbe"):
        if (probe := container.get(kind)) is not None:
            found += _probe(probe, kind, f"{path}.{kind}", inside)
    return found


def _probe(probe: Object, kind: str, path: str, inside: _Inside) -> Causes:
    found = _handler(probe, path, inside)
    for key in (
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ):
        found += _not_negative(probe.get(key, 0), f"{path}.{key}")
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        found.append(invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than 0"))
    if kind == "readinessProbe":
        if grace is not None:
            words = "must not be set for readinessProbes"
            found.append(invalid(f"{path}.terminationGracePeriodSeconds", grace, words))
    elif probe["successThreshold"] != 1:
        found.append(invalid(f"{path}.successThreshold", probe["successThreshold"], "must be 1"))
    return found


def _handler(handler: Object, path: str, inside: _Inside) -> Causes:
    found: Causes = []
    seen = False
    for kind in _HANDLERS:
        action = handler.get(kind)
        if action is None:
            continue
        here = f"{path}.{kind}"
        if seen:
            found.append(forbidden(here, "may not specify more than 1 handler type"))
            continue
        seen = True
        if kind == "exec":
            if not action.get("command"):
                found.append(required(f"{here}.command"))
        elif kind == "httpGet":
            found += _http(action, here)
        elif kind in ("tcpSocket", "grpc"):
            found += port_or_name(action["port"], f"{here}.port")
        elif not 0 <= action["seconds"] <= inside.grace:
            words = f"must be non-negative and less than terminationGracePeriodSeconds ({inside.grace})"
            found.append(invalid(here, action["seconds"], words))
    if not seen:
        found.append(required(path, "must specify a handler type"))
    return found


def _http(action: Object, path: str) -> Causes:
    found = port_or_name(action["port"], f"{path}.port")
    if action["scheme"] not in ("HTTP", "HTTPS"):
        found.append(not_supported(f"{path}.scheme", action["scheme"], ("HTTP", "HTTPS")))
    for header in action.get("httpHeaders") or ():
        found += each(f"{path}.httpHeaders", header["name"], names.header_name(header["name"]))
    return found


def port_or_name(port: int | str, path: str) -> Causes:
    messages = names.port_name(port) if isinstance(port, str) else names.port_number(port)
    return each(path, port, messages)


def _host_network(spec: Object, path: str, is_pod: bool) -> Causes:
    found: Causes = []
    for index, container in enumerate(spec.get("containers") or ()):
        for position, port in enumerate(container.get("ports") or ()):
            host = port.get("hostPort", 0)
            if (is_pod or host) and host != port["containerPort"]:
                words = "must match `containerPort` when `hostNetwork` is true"
                found.append(invalid(f"{path}[{index}].ports[{position}].hostPort", host, words))
    return found


def _identities(context: Object, path: str, *keys: str) -> Causes:
    found: Causes = []
    for key in keys:
        if (value := context.get(key)) is not None:
            found += each(f"{path}.{key}", value, names.identity(value))
    return found


def _pod_security(context: Object, spec: Object, path: str) -> Causes:
    found = _identities(context, path, "fsGroup", "runAsUser", "runAsGroup")
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        found += each(f"{path}.supplementalGroups[{index}]", group, names.identity(group))
    found += _sysctls(context.get("sysctls"), spec, f"{path}.sysctls")
    policies = ("Always", "OnRootMismatch")
    if (policy := context.get("fsGroupChangePolicy")) is not None and policy not in policies:
        found.append(not_supported(f"{path}.fsGroupChangePolicy", policy, policies))
    return found + _seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")


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


def _seccomp(profile: Object | None, path: str) -> Causes:
    if profile is None:
        return []
    found: Causes = []
    kind, kinds = profile["type"], ("Localhost", "RuntimeDefault", "Unconfined")
    if not kind:
        found.append(required(f"{path}.type", "type is required when seccompProfile is set"))
    elif kind not in kinds:
        found.append(not_supported(f"{path}.type", kind, kinds))
    local = profile.get("localhostProfile")
    if kind == "Localhost":
        if local is None:
            words = "must be set when seccomp type is Localhost"
            found.append(required(f"{path}.localhostProfile", words))
        else:
            found += descending_path(local, f"{path}.localhostProfile")
    elif local is not None:
        words = "can only be set when seccomp type is Localhost"
        found.append(invalid(f"{path}.localhostProfile", profile, words))
    return found


def _security(context: Object, path: str, inside: _Inside) -> Causes:
    found = _identities(context, path, "runAsUser", "runAsGroup")
    if (mount := context.get("procMount")) is not None:
        if mount not in ("Default", "Unmasked"):
            found.append(not_supported(f"{path}.procMount", mount, ("Default", "Unmasked")))
        if inside.host_users and mount == "Unmasked":
            words = "`hostUsers` must be false to use `Unmasked`"
            found.append(invalid(f"{path}.procMount", mount, words))
    found += _seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        if context.get("privileged"):
            words = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
            found.append(invalid(path, context, words))
        for capability in (context.get("capabilities") or {}).get("add") or ():
            if capability == "CAP_SYS_ADMIN":
                words = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
                found.append(invalid(path, context, words))
    return found


_REQUIRED_TERMS = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED_TERMS = "preferredDuringSchedulingIgnoredDuringExecution"


def _affinity(affinity: Object, path: str) -> Causes:
    found: Causes = []
    if (node := affinity.get("nodeAffinity")) is not None:
        here = f"{path}.nodeAffinity"
        if (needed := node.get(_REQUIRED_TERMS)) is not None:
            found += node_selector(needed, f"{here}.{_REQUIRED_TERMS}")
        for index, term in enumerate(node.get(_PREFERRED_TERMS) or ()):
            found += _weight(term["weight"], f"{here}.{_PREFERRED_TERMS}[{index}]")
            preference = f"{here}.{_PREFERRED_TERMS}[{index}].preference"
            found += _node_term(term["preference"], preference, lenient=True)
    for kind in ("podAffinity", "podAntiAffinity"):
        given = affinity.get(kind) or {}
        for index, term in enumerate(given.get(_REQUIRED_TERMS) or ()):
            found += _pod_term(term, f"{path}.{kind}.{_REQUIRED_TERMS}[{index}]")
        for index, weighted in enumerate(given.get(_PREFERRED_TERMS) or ()):
            here = f"{path}.{kind}.{_PREFERRED_TERMS}[{index}]"
            found += _weight(weighted["weight"], here)
            found += _pod_term(weighted["podAffinityTerm"], f"{here}.podAffinityTerm")
    return found


def _weight(weight: int, path: str) -> Causes:
    return [] if 0 < weight <= 100 else [invalid(f"{path}.weight", weight, "must be in the range 1-100")]


def node_selector(given: Object, path: str) -> Causes:
    terms = given.get("nodeSelectorTerms") or []
    if not terms:
        return [required(f"{path}.nodeSelectorTerms", "must have at least one node selector term")]
    found: Causes = []
    for index, term in enumerate(terms):
        found += _node_term(term, f"{path}.nodeSelectorTerms[{index}]", lenient=False)
    return found


def _node_term(term: Object, path: str, *, lenient: bool) -> Causes:
    found: Causes = []
    for index, expression in enumerate(term.get("matchExpressions") or ()):
        found += _node_requirement(expression, f"{path}.matchExpressions[{index}]", lenient)
    for index, expression in enumerate(term.get("matchFields") or ()):
        found += _node_field(expression, f"{path}.matchFields[{index}]")
    return found


def _node_requirement(expression: Object, path: str, lenient: bool) -> Causes:
    found: Causes = []
    operator, values = expression["operator"], expression.get("values") or []
    if operator in ("In", "NotIn"):
        if not values:
            found.append(required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            found.append(forbidden(f"{path}.values", words))
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            words = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            found.append(required(f"{path}.values", words))
    else:
        found.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    found += each(f"{path}.key", expression["key"], names.label_key(expression["key"]))
    if not lenient:
        for index, value in enumerate(values):
            found += each(f"{path}.values[{index}]", value, names.label_value(value))
    return found


def _node_field(expression: Object, path: str) -> Causes:
    found: Causes = []
    operator, values = expression["operator"], expression.get("values") or []
    if operator not in ("In", "NotIn"):
        found.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    elif len(values) != 1:
        words = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        found.append(required(f"{path}.values", words))
    if expression["key"] != "metadata.name":
        found.append(invalid(f"{path}.key", expression["key"], "not a valid field selector key"))
    else:
        for index, value in enumerate(values):
            found += each(f"{path}.values[{index}]", value, names.dns_subdomain(value))
    return found


def _pod_term(term: Object, path: str) -> Causes:
    found = selector(term.get("labelSelector"), f"{path}.labelSelector")
    found += selector(term.get("namespaceSelector"), f"{path}.namespaceSelector")
    for name in term.get("namespaces") or ():
        found += each(f"{path}.namespace", name, names.dns_label(name))
    found += _label_keys(term, "matchLabelKeys", path) + _label_keys(term, "mismatchLabelKeys", path)
    key = term["topologyKey"]
    if not key:
        found.append(required(f"{path}.topologyKey", "can not be empty"))
    return found + each(f"{path}.topologyKey", key, names.label_key(key))


def _label_keys(term: Object, kind: str, path: str) -> Causes:
    keys = term.get(kind) or []
    if keys and term.get("labelSelector") is None:
        return [forbidden(f"{path}.{kind}", "must not be specified when labelSelector is not set")]
    found: Causes = []
    for index, key in enumerate(keys):
        found += each(f"{path}.{kind}[{index}]", key, names.label_key(key))
    return found


def ip_address(value: str, path: str) -> Causes:
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


def _scheduling_gates(gates: list[Object] | None, path: str) -> Causes:
    found: Causes = []
    seen: set[str] = set()
    for index, gate in enumerate(gates or ()):
        found += each(f"{path}[{index}]", gate["name"], names.label_key(gate["name"]))
        if gate["name"] in seen:
            found.append(duplicate(f"{path}[{index}]", gate["name"]))
        seen.add(gate["name"])
    return found


def _spread(constraints: list[Object] | None, path: str) -> Causes:
    found: Causes = []
    constraints = constraints or []
    actions = ("DoNotSchedule", "ScheduleAnyway")
    for index, constraint in enumerate(constraints):
        here = f"{path}[{index}]"
        key, action = constraint["topologyKey"], constraint["whenUnsatisfiable"]
        if constraint["maxSkew"] <= 0:
            found.append(invalid(f"{here}.maxSkew", constraint["maxSkew"], _NOT_POSITIVE))
        if not key:
            found.append(required(f"{here}.topologyKey", "can not be empty"))
        if action not in actions:
            found.append(not_supported(f"{here}.whenUnsatisfiable", action, actions))
        rest = [(other["topologyKey"], other["whenUnsatisfiable"]) for other in constraints[index + 1 :]]
        if (key, action) in rest:
            shown = f"{{{key}, {action}}}"
            found.append(duplicate(f"{here}.{{topologyKey, whenUnsatisfiable}}", shown))
        if (domains := constraint.get("minDomains")) is not None:
            if domains <= 0:
                found.append(invalid(f"{here}.minDomains", domains, _NOT_POSITIVE))
            if action != "DoNotSchedule":
                words = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
                found.append(invalid(f"{here}.minDomains", domains, words))
        for kind in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if (policy := constraint.get(kind)) is not None and policy not in ("Honor", "Ignore"):
                found.append(not_supported(f"{here}.{kind}", policy, ("Honor", "Ignore")))
        found += _label_keys(constraint, "matchLabelKeys", here)
        found += selector(constraint.get("labelSelector"), f"{here}.labelSelector")
    return found


def _names(spec: Object, path: str) -> Causes:
    found: Causes = []
    for key in ("serviceAccountName", "nodeName"):
        if name := spec.get(key):
            found += each(f"{path}.{key}", name, names.dns_subdomain(name))
    return found


def _tolerations(tolerations: list[Object] | None, path: str) -> Causes:
    found: Causes = []
    for index, toleration in enumerate(tolerations or ()):
        here = f"{path}[{index}]"
        key, operator = toleration.get("key", ""), toleration.get("operator", "")
        value, effect = toleration.get("value", ""), toleration.get("effect", "")
        if key:
            found += each(f"{here}.key", key, names.label_key(key))
        elif operator != "Exists":
            words = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            found.append(invalid(f"{here}.operator", operator, words))
        if "tolerationSeconds" in toleration and effect != "NoExecute":
            words = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            found.append(invalid(f"{here}.effect", effect, words))
        if operator in ("Equal", ""):
            if messages := names.label_value(value):
                found.append(invalid(f"{here}.operator", value, ";".join(messages)))
        elif operator == "Exists":
            if value:
                words = "value must be empty when `operator` is 'Exists'"
                found.append(invalid(f"{here}.operator", value, words))
        elif operator in ("Lt", "Gt"):
            # Behind a feature gate that is closed, and listed all the same.
            found.append(not_supported(f"{here}.operator", operator, ("Equal", "Exists", "Lt", "Gt")))
        else:
            found.append(not_supported(f"{here}.operator", operator, ("Equal", "Exists")))
        if effect and effect not in _EFFECTS:
            found.append(not_supported(f"{here}.effect", effect, _EFFECTS))
    return found
