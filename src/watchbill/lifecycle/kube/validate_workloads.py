"""Pods, and what runs them for ever (apps' and core's validation)."""

from typing import Any

from watchbill.lifecycle.kube import gotypes, names
from watchbill.lifecycle.kube.causes import (
    ELIDED,
    NEGATIVE,
    Cause,
    forbidden,
    immutable,
    invalid,
    not_supported,
    required,
)
from watchbill.lifecycle.kube.validate_meta import (
    each,
    has_odd_values,
    is_empty,
    is_usable,
    matches,
    metadata,
    selector,
)
from watchbill.lifecycle.kube.validate_pod import pod_annotations, pod_spec, pod_template
from watchbill.lifecycle.kube.validate_storage import claim_spec

Object = dict[str, Any]
Causes = list[Cause]

_UNMATCHED = "`selector` does not match template `labels`"


def not_negative(spec: Object, path: str, *keys: str) -> Causes:
    return [invalid(f"{path}.{key}", spec[key], NEGATIVE) for key in keys if spec.get(key, 0) < 0]


def int_or_percent(value: int | str, path: str) -> Causes:
    if isinstance(value, str):
        return each(path, value, names.percent(value))
    return [invalid(path, value, NEGATIVE)] if value < 0 else []


def _amount(value: int | str) -> int:
    if isinstance(value, int):
        return value
    digits = value.removesuffix("%")
    return int(digits) if digits.isdigit() else 0


def at_most_all(value: int | str, path: str) -> Causes:
    if isinstance(value, str) and not names.percent(value) and _amount(value) > 100:
        return [invalid(path, value, "must not be greater than 100%")]
    return []


def _selected_template(spec: Object, path: str, kind: str, unusable: str) -> Causes:
    """Selector and template of Deployments, ReplicaSets and StatefulSets."""
    found: Causes = []
    given = spec.get("selector")
    template = spec["template"]
    if given is None:
        found.append(required(f"{path}.selector"))
    else:
        found += selector(given, f"{path}.selector")
        if is_empty(given):
            found.append(invalid(f"{path}.selector", given, f"empty selector is invalid for {kind}"))
        if not is_usable(given):
            return [*found, invalid(f"{path}.selector", given, unusable)]
    labels = template["metadata"].get("labels")
    # A missing selector selects nothing, which is not the same as an empty one.
    if given is None or (not is_empty(given) and not matches(given, labels)):
        found.append(invalid(f"{path}.template.metadata.labels", labels, _UNMATCHED))
    return found


def _always(template: Object, path: str, kind: str) -> Causes:
    found: Causes = []
    pod = template["spec"]
    if pod["restartPolicy"] != "Always":
        found.append(not_supported(f"{path}.spec.restartPolicy", pod["restartPolicy"], ("Always",)))
    if "activeDeadlineSeconds" in pod:
        words = f"activeDeadlineSeconds in {kind} is not Supported"
        found.append(forbidden(f"{path}.spec.activeDeadlineSeconds", words))
    return found


def _is_selector_usable(spec: Object) -> bool:
    return spec.get("selector") is None or is_usable(spec["selector"])


def deployment(whole: Object) -> Causes:
    return metadata(whole, names.dns_subdomain) + _deployment_spec(whole["spec"])


def _deployment_spec(spec: Object) -> Causes:
    found = not_negative(spec, "spec", "replicas")
    found += _selected_template(spec, "spec", "deployment", "invalid label selector")
    if _is_selector_usable(spec):
        found += pod_template(spec["template"], "spec.template")
        found += _always(spec["template"], "spec.template", "ReplicaSet")
    found += _deployment_strategy(spec["strategy"], "spec.strategy")
    found += not_negative(spec, "spec", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
    deadline = spec["progressDeadlineSeconds"]
    if deadline <= spec.get("minReadySeconds", 0):
        words = "must be greater than minReadySeconds"
        found.append(invalid("spec.progressDeadlineSeconds", deadline, words))
    return found


def _deployment_strategy(strategy: Object, path: str) -> Causes:
    kind, rolling = strategy["type"], strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            words = "may not be specified when strategy `type` is 'Recreate'"
            return [forbidden(f"{path}.rollingUpdate", words)]
        return []
    if kind != "RollingUpdate" or rolling is None:
        return [not_supported(path, strategy, ("Recreate", "RollingUpdate"))]
    found: Causes = []
    unavailable, surge = rolling["maxUnavailable"], rolling["maxSurge"]
    found += int_or_percent(unavailable, f"{path}.rollingUpdate.maxUnavailable")
    found += int_or_percent(surge, f"{path}.rollingUpdate.maxSurge")
    if not _amount(unavailable) and not _amount(surge):
        words = "may not be 0 when `maxSurge` is 0"
        found.append(invalid(f"{path}.rollingUpdate.maxUnavailable", unavailable, words))
    return found + at_most_all(unavailable, f"{path}.rollingUpdate.maxUnavailable")


def _selector_update(new: Object, old: Object) -> Causes:
    given, before = new["spec"].get("selector"), old["spec"].get("selector")
    if gotypes.same("*meta/v1.LabelSelector", given, before):
        return []
    return [immutable("spec.selector", given)]


def deployment_update(new: Object, old: Object) -> Causes:
    return _deployment_spec(new["spec"]) + _selector_update(new, old)


def replica_set(whole: Object) -> Causes:
    return metadata(whole, names.dns_subdomain) + _replica_set_spec(whole["spec"])


def _replica_set_spec(spec: Object) -> Causes:
    found = not_negative(spec, "spec", "replicas", "minReadySeconds")
    found += _selected_template(spec, "spec", "deployment", "invalid label selector")
    if _is_selector_usable(spec):
        found += pod_template(spec["template"], "spec.template")
        found += _always(spec["template"], "spec.template", "ReplicaSet")
    return found


def replica_set_update(new: Object, old: Object) -> Causes:
    return _replica_set_spec(new["spec"]) + _selector_update(new, old)


def daemon_set(whole: Object) -> Causes:
    return metadata(whole, names.dns_subdomain) + _daemon_set_spec(whole["spec"], lenient=False)


def _daemon_set_spec(spec: Object, *, lenient: bool) -> Causes:
    given = spec.get("selector")
    template = spec["template"]
    found = selector(given, "spec.selector", lenient=lenient)
    labels = template["metadata"].get("labels")
    if given is None or (is_usable(given) and not matches(given, labels)):
        found.append(invalid("spec.template.metadata.labels", labels, _UNMATCHED))
    if given is not None and is_empty(given):
        found.append(invalid("spec.selector", given, "empty selector is invalid for daemonset"))
    found += pod_template(template, "spec.template")
    found += _always(template, "spec.template", "DaemonSet")
    found += not_negative(spec, "spec", "minReadySeconds")
    found += _daemon_set_strategy(spec["updateStrategy"], "spec.updateStrategy")
    return found + not_negative(spec, "spec", "revisionHistoryLimit")


def _daemon_set_strategy(strategy: Object, path: str) -> Causes:
    if strategy["type"] == "OnDelete":
        return []
    if strategy["type"] != "RollingUpdate":
        return [not_supported(path, strategy, ("RollingUpdate", "OnDelete"))]
    found: Causes = []
    rolling = strategy["rollingUpdate"]
    unavailable, surge = rolling["maxUnavailable"], rolling["maxSurge"]
    here = f"{path}.rollingUpdate"
    found += int_or_percent(unavailable, f"{here}.maxUnavailable") + int_or_percent(surge, f"{here}.maxSurge")
    found += at_most_all(unavailable, f"{here}.maxUnavailable") + at_most_all(surge, f"{here}.maxSurge")
    if _amount(unavailable) and _amount(surge):
        words = "may not be set when maxUnavailable is non-zero"
        found.append(invalid(f"{here}.maxSurge", surge, words))
    elif not _amount(unavailable) and not _amount(surge):
        found.append(required(f"{here}.maxUnavailable", "cannot be 0 when maxSurge is 0"))
    return found


def daemon_set_update(new: Object, old: Object) -> Causes:
    lenient = has_odd_values(old["spec"].get("selector"))
    return _selector_update(new, old) + _daemon_set_spec(new["spec"], lenient=lenient)


def stateful_set(whole: Object) -> Causes:
    return metadata(whole, names.dns_label) + _stateful_set_spec(whole["spec"], creating=True)


def _stateful_set_spec(spec: Object, *, creating: bool, skip_template: bool = False) -> Causes:
    found: Causes = []
    policy = spec["podManagementPolicy"]
    if policy not in ("OrderedReady", "Parallel"):
        words = "must be 'OrderedReady' or 'Parallel'"
        found.append(invalid("spec.podManagementPolicy", policy, words))
    found += _stateful_set_strategy(spec["updateStrategy"], "spec.updateStrategy")
    retention = spec["persistentVolumeClaimRetentionPolicy"]
    for key in ("whenDeleted", "whenScaled"):
        if retention[key] not in ("Retain", "Delete"):
            path = f"spec.persistentVolumeClaimRetentionPolicy.{key}"
            found.append(not_supported(path, retention[key], ("Retain", "Delete")))
    claims = spec.get("volumeClaimTemplates") or []
    if creating:
        for index, claim in enumerate(claims):
            found += claim_spec(claim["spec"], f"spec.volumeClaimTemplates[{index}].spec")
    found += not_negative(spec, "spec", "replicas", "minReadySeconds")
    if (start := (spec.get("ordinals") or {}).get("start", 0)) < 0:
        found.append(invalid("spec.ordinals.start", start, NEGATIVE))
    if creating and (service := spec.get("serviceName")):
        found += each("spec.serviceName", service, names.dns_label(service))
    found += _selected_template(spec, "spec", "statefulset", "")
    if _is_selector_usable(spec):
        template = _with_claims(spec["template"], claims)
        if not skip_template:
            found += pod_template(template, "spec.template")
    pod = spec["template"]["spec"]
    if pod["restartPolicy"] != "Always":
        path = "spec.template.spec.restartPolicy"
        found.append(not_supported(path, pod["restartPolicy"], ("Always",)))
    if "activeDeadlineSeconds" in pod:
        words = "activeDeadlineSeconds in StatefulSet is not Supported"
        found.append(forbidden("spec.template.spec.activeDeadlineSeconds", words))
    return found


def _with_claims(template: Object, claims: list[Object]) -> Object:
    """The pods get a volume for each claim, and a host name of their own."""
    pod = {key: value for key, value in template["spec"].items() if key not in ("subdomain", "hostname")}
    if claims:
        named = {claim["metadata"].get("name", "") for claim in claims}
        added = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in sorted(named)]
        given = [volume for volume in pod.get("volumes") or () if volume["name"] not in named]
        pod["volumes"] = added + given
    return {**template, "spec": pod}


def _stateful_set_strategy(strategy: Object, path: str) -> Causes:
    kind, rolling = strategy["type"], strategy.get("rollingUpdate")
    if kind == "OnDelete":
        if rolling is not None:
            words = "only allowed for updateStrategy 'RollingUpdate'"
            return [invalid(f"{path}.rollingUpdate", rolling, words)]
        return []
    if kind != "RollingUpdate":
        return [invalid(path, strategy, "must be 'RollingUpdate' or 'OnDelete'")]
    found: Causes = []
    if rolling is not None:
        here = f"{path}.rollingUpdate"
        found += not_negative(rolling, here, "partition")
        if (unavailable := rolling.get("maxUnavailable")) is not None:
            found += int_or_percent(unavailable, f"{here}.maxUnavailable")
            if not _amount(unavailable):
                found.append(invalid(f"{here}.maxUnavailable", unavailable, "cannot be 0"))
            found += at_most_all(unavailable, f"{here}.maxUnavailable")
    return found


# What no update of a StatefulSet may change, in the server's order.
STATEFUL_SET_FROZEN = (
    ("selector", "*meta/v1.LabelSelector"),
    ("volumeClaimTemplates", "[]core/v1.PersistentVolumeClaim"),
    ("serviceName", "string"),
    ("podManagementPolicy", "string"),
)


def stateful_set_update(new: Object, old: Object) -> Causes:
    spec, before = new["spec"], old["spec"]
    was_bad = bool(_stateful_set_spec(before, creating=False))
    found = _stateful_set_spec(spec, creating=False, skip_template=was_bad)
    for key, kind in STATEFUL_SET_FROZEN:
        if not gotypes.same(kind, spec.get(key), before.get(key)):
            found.append(immutable(f"spec.{key}", spec.get(key)))
    return found


def pod(whole: Object) -> Causes:
    found = _pod(whole)
    spec = whole["spec"]
    if spec.get("ephemeralContainers"):
        found.append(forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        words = "cannot be set until all schedulingGates have been cleared"
        found.append(forbidden("spec.nodeName", words))
    return found


def _pod(whole: Object) -> Causes:
    meta, spec = whole["metadata"], whole["spec"]
    found = metadata(whole, names.dns_subdomain)
    found += pod_annotations(meta.get("annotations"), "metadata.annotations")
    found += pod_spec(spec, "spec", is_pod=True, pod_name=meta.get("name", ""))
    if not spec.get("serviceAccountName"):
        for index, volume in enumerate(spec.get("volumes") or ()):
            for position, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
                if "serviceAccountToken" in source:
                    path = f"spec.volumes[{index}].projected.sources[{position}].serviceAccountToken"
                    words = "must not be specified when serviceAccountName is not set"
                    found.append(forbidden(path, words))
    for group in ("containers", "initContainers"):
        found += _trimmed_images(spec.get(group) or [], f"spec.{group}")
    return found


def _trimmed_images(containers: list[Object], path: str) -> Causes:
    words = "must not have leading or trailing whitespace"
    return [
        invalid(f"{path}[{index}].image", container["image"], words)
        for index, container in enumerate(containers)
        if container.get("image", "") != container.get("image", "").strip()
    ]


_POD_MUTABLE = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` "
    "(allow it to be set to 1 if it was previously negative)"
)


def pod_update(new: Object, old: Object) -> Causes:
    found = _pod(new)
    spec, before = new["spec"], old["spec"]
    for group in ("containers", "initContainers"):
        mine, theirs = spec.get(group) or [], before.get(group) or []
        if len(mine) != len(theirs):
            words = "pod updates may not add or remove containers"
            return [*found, forbidden(f"spec.{group}", words)]
        found += [required(f"spec.{group}[{i}].image") for i, one in enumerate(mine) if not one.get("image")]
        found += _trimmed_images(mine, f"spec.{group}")
    deadline, earlier = spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    if late := _later_deadline(deadline, earlier):
        return found + late
    if deadline is None and earlier is not None:
        words = "must not update from a positive integer to nil value"
        found.append(invalid("spec.activeDeadlineSeconds", None, words))
    found += _changed_tolerations(spec, before) + _added_gates(spec, before)
    if not gotypes.same("core/v1.PodSpec", _with_old_mutables(spec, before), before):
        words = f"pod updates may not change fields other than {_POD_MUTABLE}\n{ELIDED}"
        found.append(forbidden("spec", words))
    return found


def _later_deadline(deadline: int | None, earlier: int | None) -> Causes:
    path = "spec.activeDeadlineSeconds"
    if deadline is None:
        return []
    if messages := names.in_range(deadline, 0, 2**31 - 1):
        return each(path, deadline, messages)
    if earlier is not None and earlier < deadline:
        return [invalid(path, deadline, "must be less than or equal to previous value")]
    return []


def _changed_tolerations(spec: Object, before: Object) -> Causes:
    """Only added ones are fine, and another number of seconds."""

    def timeless(toleration: Object) -> Object:
        return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}

    kept = [timeless(toleration) for toleration in spec.get("tolerations") or ()]
    if all(timeless(toleration) in kept for toleration in before.get("tolerations") or ()):
        return []
    words = "existing toleration can not be modified except its tolerationSeconds"
    return [forbidden("spec.tolerations", words)]


def _added_gates(spec: Object, before: Object) -> Causes:
    known = {gate["name"] for gate in before.get("schedulingGates") or ()}
    return [
        forbidden(
            f"spec.schedulingGates[{index}].name",
            f"only deletion is allowed, but found new scheduling gate '{gate['name']}'",
        )
        for index, gate in enumerate(spec.get("schedulingGates") or ())
        if gate["name"] not in known
    ]


def _with_old_mutables(spec: Object, before: Object) -> Object:
    """The new specification, but as before where it may change."""
    allowed = dict(spec)
    for key in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        allowed.pop(key, None)
        if key in before:
            allowed[key] = before[key]
    for group in ("containers", "initContainers"):
        if group in spec:
            allowed[group] = [
                {**one, "image": other["image"]} if "image" in other else one
                for one, other in zip(spec[group] or [], before.get(group) or [], strict=True)
            ]
    return allowed
