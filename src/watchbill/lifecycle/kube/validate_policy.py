"""Disruption budgets, autoscalers and priorities."""

from typing import Any

from watchbill.lifecycle.kube import names, quantity
from watchbill.lifecycle.kube.causes import (
    NOT_POSITIVE,
    Cause,
    forbidden,
    immutable,
    invalid,
    not_supported,
    required,
)
from watchbill.lifecycle.kube.validate_meta import each, has_odd_values, metadata, selector
from watchbill.lifecycle.kube.validate_workloads import at_most_all, int_or_percent

Object = dict[str, Any]
Causes = list[Cause]

_HIGHEST_PRIORITY = 1000000000
_SYSTEM = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000}
_METRICS = ("ContainerResource", "External", "Object", "Pods", "Resource")


def disruption_budget(whole: Object) -> Causes:
    return _budget(whole, lenient=False) or metadata(whole, names.path_segment, is_core=False)


def disruption_budget_update(new: Object, old: Object) -> Causes:
    return _budget(new, lenient=has_odd_values(old["spec"].get("selector")))


def _budget(whole: Object, *, lenient: bool) -> Causes:
    spec = whole["spec"]
    found: Causes = []
    if "minAvailable" in spec and "maxUnavailable" in spec:
        found.append(invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"))
    for key in ("minAvailable", "maxUnavailable"):
        if key in spec:
            found += int_or_percent(spec[key], f"spec.{key}") + at_most_all(spec[key], f"spec.{key}")
    found += selector(spec.get("selector"), "spec.selector", lenient=lenient)
    policy, policies = spec.get("unhealthyPodEvictionPolicy"), ("AlwaysAllow", "IfHealthyBudget")
    if policy is not None and policy not in policies:
        found.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, policies))
    return found


def priority_class(whole: Object) -> Causes:
    found = metadata(whole, names.dns_subdomain)
    name, value = whole["metadata"].get("name", ""), whole["value"]
    if name.startswith("system-"):
        if _SYSTEM.get(name) != value or whole.get("globalDefault"):
            words = "priority class names with 'system-' prefix are reserved for system use only. error: " + (
                f"{name} is not a known system priority class"
                if name not in _SYSTEM
                else f"value of {name} PriorityClass must be {_SYSTEM[name]}"
            )
            found.append(forbidden("metadata.name", words))
    elif value > _HIGHEST_PRIORITY:
        words = f"maximum allowed value of a user defined priority is {_HIGHEST_PRIORITY}"
        found.append(forbidden("value", words))
    policies = ("PreemptLowerPriority", "Never")
    if not whole["preemptionPolicy"]:
        found.append(required("preemptionPolicy"))
    elif whole["preemptionPolicy"] not in policies:
        found.append(not_supported("preemptionPolicy", whole["preemptionPolicy"], policies))
    return found


def priority_class_update(new: Object, old: Object) -> Causes:
    found: Causes = []
    if new["value"] != old["value"]:
        found.append(forbidden("value", "may not be changed in an update."))
    if new["preemptionPolicy"] != old["preemptionPolicy"]:
        found.append(immutable("preemptionPolicy", new["preemptionPolicy"]))
    return found


def autoscaler(whole: Object) -> Causes:
    return metadata(whole, names.dns_subdomain) + autoscaler_spec(whole)


def autoscaler_spec(whole: Object) -> Causes:
    spec = whole["spec"]
    found: Causes = []
    low, high = spec["minReplicas"], spec["maxReplicas"]
    if high < low:
        words = "must be greater than or equal to `minReplicas`"
        found.append(invalid("spec.maxReplicas", high, words))
    found += _scale_target(spec["scaleTargetRef"], "spec.scaleTargetRef")
    if whole["apiVersion"] == "autoscaling/v1":
        found += _metrics([_as_metric(spec)] if "targetCPUUtilizationPercentage" in spec else [], low)
    else:
        found += _metrics(spec.get("metrics") or [], low)
        for direction in ("scaleUp", "scaleDown"):
            if (rules := (spec.get("behavior") or {}).get(direction)) is not None:
                found += _scaling(rules, f"spec.behavior.{direction}")
    if low < 0:
        found.append(invalid("spec.minReplicas", low, "must be greater than or equal to 0"))
    if high == 0:
        found.append(required("spec.maxReplicas"))
    elif high < 0:
        found.append(invalid("spec.maxReplicas", high, "must be greater than or equal to 1"))
    return found


def _scale_target(target: Object, path: str) -> Causes:
    found: Causes = []
    for key in ("kind", "name"):
        if not target[key]:
            found.append(required(f"{path}.{key}"))
        else:
            found += each(f"{path}.{key}", target[key], names.path_segment(target[key]))
    version = target.get("apiVersion", "")
    if version.count("/") > 1:
        found.append(invalid(f"{path}.apiVersion", version, f"unexpected GroupVersion string: {version}"))
    elif "/" not in version or version.startswith("/"):
        found.append(invalid(f"{path}.apiVersion", version, "apiVersion must specify API group"))
    return found


def _as_metric(spec: Object) -> Object:
    """The one metric of the first version, as later ones write it."""
    target = {"type": "Utilization", "averageUtilization": spec["targetCPUUtilizationPercentage"]}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def _metrics(metrics: list[Object], low: int) -> Causes:
    found: Causes = []
    for index, metric in enumerate(metrics):
        found += _metric(metric, f"spec.metrics[{index}]")
    if low == 0 and not any(metric["type"] in ("Object", "External") for metric in metrics):
        words = "must specify at least one Object or External metric to support scaling to zero replicas"
        found.append(forbidden("spec.metrics", words))
    return found


def _metric(metric: Object, path: str) -> Causes:
    found: Causes = []
    kind = metric["type"]
    if not kind:
        found.append(required(f"{path}.type", "must specify a metric source type"))
    if kind not in _METRICS:
        found.append(not_supported(f"{path}.type", kind, _METRICS))
    field = kind[:1].lower() + kind[1:] if kind in _METRICS else ""
    present = [
        name for name in ("object", "external", "pods", "resource", "containerResource") if name in metric
    ]
    if present:
        found += _source(metric[present[0]], present[0], f"{path}.{present[0]}")
    if field and field not in metric:
        words = "must populate information for the given metric source"
        found.append(required(f"{path}.{field}", words))
    if len(present) != 1:
        words = "must populate the given metric source only"
        found += [forbidden(f"{path}.{name}", words) for name in present if name != field]
    return found


def _source(source: Object, kind: str, path: str) -> Causes:
    found: Causes = []
    target = source["target"]
    value, average, utilization = (target.get(key) for key in ("value", "averageValue", "averageUtilization"))
    if kind in ("resource", "containerResource"):
        if not source.get("name"):
            found.append(required(f"{path}.name", "must specify a resource name"))
        if kind == "containerResource" and not source.get("container"):
            found.append(required(f"{path}.container", "must specify a container"))
    elif not source["metric"].get("name"):
        found.append(required(f"{path}.metric.name", "must specify a metric name"))
    found += _target(target, f"{path}.target")
    if kind in ("resource", "containerResource"):
        if utilization is None and average is None:
            words = "must set either a target raw value or a target utilization"
            found.append(required(f"{path}.target.averageUtilization", words))
        if utilization is not None and average is not None:
            words = "may not set both a target raw value and a target utilization"
            found.append(forbidden(f"{path}.target.averageValue", words))
    elif kind == "pods" and average is None:
        words = "must specify a positive target averageValue"
        found.append(required(f"{path}.target.averageValue", words))
    elif kind == "object" and value is None and average is None:
        words = "must set either a target value or averageValue"
        found.append(required(f"{path}.target.averageValue", words))
    elif kind == "external" and value is None and average is None:
        words = "must set either a target value for metric or a per-pod target"
        found.append(required(f"{path}.target.averageValue", words))
    return found


def _target(target: Object, path: str) -> Causes:
    found: Causes = []
    kind = target["type"]
    if not kind:
        found.append(required(f"{path}.type", "must specify a metric target type"))
    if kind not in ("Utilization", "Value", "AverageValue"):
        words = "must be either Utilization, Value, or AverageValue"
        found.append(invalid(f"{path}.type", kind, words))
    for key in ("value", "averageValue"):
        if (amount := target.get(key)) is not None and quantity.nanos(amount) <= 0:
            found.append(invalid(f"{path}.{key}", amount, "must be positive"))
    if (share := target.get("averageUtilization")) is not None and share < 1:
        found.append(invalid(f"{path}.averageUtilization", share, "must be greater than 0"))
    return found


def _scaling(rules: Object, path: str) -> Causes:
    found: Causes = []
    if (window := rules.get("stabilizationWindowSeconds")) is not None:
        here = f"{path}.stabilizationWindowSeconds"
        if window < 0:
            found.append(invalid(here, window, "must be greater than or equal to zero"))
        if window > 3600:
            found.append(invalid(here, window, "must be less than or equal to 3600"))
    choices = ("Disabled", "Max", "Min")
    if rules.get("selectPolicy") not in choices:
        found.append(not_supported(f"{path}.selectPolicy", rules.get("selectPolicy"), choices))
    policies = rules.get("policies") or []
    if not policies:
        found.append(required(f"{path}.policies", "must specify at least one Policy"))
    for index, policy in enumerate(policies):
        here = f"{path}.policies[{index}]"
        if policy["type"] not in ("Percent", "Pods"):
            found.append(not_supported(f"{here}.type", policy["type"], ("Percent", "Pods")))
        for key in ("value", "periodSeconds"):
            if policy[key] <= 0:
                found.append(invalid(f"{here}.{key}", policy[key], NOT_POSITIVE))
        if policy["periodSeconds"] > 1800:
            words = "must be less than or equal to 1800"
            found.append(invalid(f"{here}.periodSeconds", policy["periodSeconds"], words))
    return found
