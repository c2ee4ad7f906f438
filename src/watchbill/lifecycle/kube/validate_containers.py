"""The containers of a pod: ports, mounts, probes, resources, security."""

from typing import Any

from watchbill.lifecycle.kube import names, validate_env
from watchbill.lifecycle.kube.causes import (
    NEGATIVE,
    Cause,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from watchbill.lifecycle.kube.validate_meta import each
from watchbill.lifecycle.kube.validate_paths import descending_path, no_backsteps
from watchbill.lifecycle.kube.validate_resources import resources

Object = dict[str, Any]
Causes = list[Cause]

_PROTOCOLS = ("SCTP", "TCP", "UDP")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")


class Inside:
    """What a container needs to know of its pod."""

    def __init__(self, spec: Object, known: dict[str, Object], claims: list[str], grace: int) -> None:
        self.volumes = known
        self.claims = claims
        self.grace = grace
        self.restarts_never = spec["restartPolicy"] == "Never"
        self.host_users = spec.get("hostUsers", True)
        self.os = (spec.get("os") or {}).get("name")


def choice(value: str, allowed: tuple[str, ...], path: str) -> Causes:
    if not value:
        return [required(path)]
    return [] if value in allowed else [not_supported(path, value, allowed)]


def not_negative(value: int, path: str) -> Causes:
    return [invalid(path, value, NEGATIVE)] if value < 0 else []


def all_containers(spec: Object, path: str, inside: Inside) -> Causes:
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


def init_containers(spec: Object, path: str, inside: Inside) -> Causes:
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


def _container(container: Object, path: str, inside: Inside) -> Causes:
    found: Causes = []
    name = container["name"]
    if not name:
        found.append(required(f"{path}.name"))
    elif messages := names.dns_label(name):
        found += each(f"{path}.name", name, messages)
    if not container.get("image"):
        found.append(required(f"{path}.image"))
    policy = container["terminationMessagePolicy"]
    found += choice(policy, ("File", "FallbackToLogsOnError"), f"{path}.terminationMessagePolicy")
    found += _ports(container.get("ports"), f"{path}.ports")
    found += validate_env.variables(container.get("env"), f"{path}.env")
    found += validate_env.sources(container.get("envFrom"), f"{path}.envFrom")
    found += _mounts(container, f"{path}.volumeMounts", inside)
    found += _devices(container, f"{path}.volumeDevices", inside)
    found += choice(container["imagePullPolicy"], _PULL_POLICIES, f"{path}.imagePullPolicy")
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


def _mounts(container: Object, path: str, inside: Inside) -> Causes:
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


def _devices(container: Object, path: str, inside: Inside) -> Causes:
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


def _resize(policies: list[Object] | None, path: str, inside: Inside) -> Causes:
    found: Causes = []
    seen: set[str] = set()
    for index, policy in enumerate(policies or ()):
        name, restart = policy["resourceName"], policy["restartPolicy"]
        if name in seen:
            found.append(duplicate(f"{path}[{index}]", name))
        seen.add(name)
        found += choice(name, ("cpu", "memory"), path)
        found += choice(restart, ("NotRequired", "RestartContainer"), path)
        if inside.restarts_never and restart != "NotRequired":
            words = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            found.append(invalid(path, restart, words))
    return found


def _life(container: Object, path: str, inside: Inside) -> Causes:
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


def _probe(probe: Object, kind: str, path: str, inside: Inside) -> Causes:
    found = _handler(probe, path, inside)
    for key in (
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ):
        found += not_negative(probe.get(key, 0), f"{path}.{key}")
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


def _handler(handler: Object, path: str, inside: Inside) -> Causes:
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


def identities(context: Object, path: str, *keys: str) -> Causes:
    found: Causes = []
    for key in keys:
        if (value := context.get(key)) is not None:
            found += each(f"{path}.{key}", value, names.identity(value))
    return found


def seccomp(profile: Object | None, path: str) -> Causes:
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


def _security(context: Object, path: str, inside: Inside) -> Causes:
    found = identities(context, path, "runAsUser", "runAsGroup")
    if (mount := context.get("procMount")) is not None:
        if mount not in ("Default", "Unmasked"):
            found.append(not_supported(f"{path}.procMount", mount, ("Default", "Unmasked")))
        if inside.host_users and mount == "Unmasked":
            words = "`hostUsers` must be false to use `Unmasked`"
            found.append(invalid(f"{path}.procMount", mount, words))
    found += seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        if context.get("privileged"):
            words = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
            found.append(invalid(path, context, words))
        for capability in (context.get("capabilities") or {}).get("add") or ():
            if capability == "CAP_SYS_ADMIN":
                words = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
                found.append(invalid(path, context, words))
    return found
