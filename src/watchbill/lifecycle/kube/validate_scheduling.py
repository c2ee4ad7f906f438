"""Where a pod may run: affinity, tolerations, spread, gates."""

from typing import Any

from watchbill.lifecycle.kube import names
from watchbill.lifecycle.kube.causes import (
    NOT_POSITIVE,
    Cause,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from watchbill.lifecycle.kube.validate_meta import each, requirement, selector

Object = dict[str, Any]
Causes = list[Cause]

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_REQUIRED_TERMS = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED_TERMS = "preferredDuringSchedulingIgnoredDuringExecution"


def pod_affinity(affinity: Object, path: str) -> Causes:
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
        found += requirement(expression, f"{path}.matchExpressions[{index}]", lenient, ordered=True)
    for index, expression in enumerate(term.get("matchFields") or ()):
        found += _node_field(expression, f"{path}.matchFields[{index}]")
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


def scheduling_gates(gates: list[Object] | None, path: str) -> Causes:
    found: Causes = []
    seen: set[str] = set()
    for index, gate in enumerate(gates or ()):
        found += each(f"{path}[{index}]", gate["name"], names.label_key(gate["name"]))
        if gate["name"] in seen:
            found.append(duplicate(f"{path}[{index}]", gate["name"]))
        seen.add(gate["name"])
    return found


def spread(constraints: list[Object] | None, path: str) -> Causes:
    found: Causes = []
    constraints = constraints or []
    actions = ("DoNotSchedule", "ScheduleAnyway")
    for index, constraint in enumerate(constraints):
        here = f"{path}[{index}]"
        key, action = constraint["topologyKey"], constraint["whenUnsatisfiable"]
        if constraint["maxSkew"] <= 0:
            found.append(invalid(f"{here}.maxSkew", constraint["maxSkew"], NOT_POSITIVE))
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
                found.append(invalid(f"{here}.minDomains", domains, NOT_POSITIVE))
            if action != "DoNotSchedule":
                words = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
                found.append(invalid(f"{here}.minDomains", domains, words))
        for kind in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if (policy := constraint.get(kind)) is not None and policy not in ("Honor", "Ignore"):
                found.append(not_supported(f"{here}.{kind}", policy, ("Honor", "Ignore")))
        found += _label_keys(constraint, "matchLabelKeys", here)
        found += selector(constraint.get("labelSelector"), f"{here}.labelSelector")
    return found


def tolerations(tolerations: list[Object] | None, path: str) -> Causes:
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
