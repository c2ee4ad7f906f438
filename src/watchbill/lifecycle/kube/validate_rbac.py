"""Roles and bindings (rbac's validation)."""

from typing import Any

from watchbill.lifecycle.kube import names
from watchbill.lifecycle.kube.causes import Cause, immutable, invalid, not_supported, required
from watchbill.lifecycle.kube.validate_meta import each, is_usable, metadata, selector

Object = dict[str, Any]
Causes = list[Cause]

_GROUP = "rbac.authorization.k8s.io"


def role(whole: Object) -> Causes:
    is_namespaced = whole["kind"] == "Role"
    found = metadata(whole, names.path_segment)
    verbless: Causes = []
    for index, rule in enumerate(whole.get("rules") or ()):
        path = f"rules[{index}]"
        if not rule.get("verbs"):
            verbless.append(required(f"{path}.verbs"))
        found += _rule(rule, path, is_namespaced)
    if (aggregation := whole.get("aggregationRule")) is not None:
        found += _aggregation(aggregation)
    return found + verbless


def _rule(rule: Object, path: str, is_namespaced: bool) -> Causes:
    found: Causes = []
    if urls := rule.get("nonResourceURLs"):
        if is_namespaced:
            words = "namespaced rules cannot apply to non-resource URLs"
            found.append(invalid(f"{path}.nonResourceURLs", urls, words))
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            words = "rules cannot apply to both regular resources and non-resource URLs"
            found.append(invalid(f"{path}.nonResourceURLs", urls, words))
        return found
    if not rule.get("apiGroups"):
        found.append(required(f"{path}.apiGroups", "resource rules must supply at least one api group"))
    if not rule.get("resources"):
        found.append(required(f"{path}.resources", "resource rules must supply at least one resource"))
    return found


def _aggregation(rule: Object) -> Causes:
    path = "aggregationRule.clusterRoleSelectors"
    selectors = rule.get("clusterRoleSelectors") or []
    if not selectors:
        words = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        return [required(path, words)]
    found: Causes = []
    for index, given in enumerate(selectors):
        found += selector(given, f"{path}[{index}]")
        if not is_usable(given):
            found.append(invalid(f"{path}[{index}]", None, "invalid label selector."))
    return found


def binding(whole: Object) -> Causes:
    found = _binding(whole) + _nameless_subjects(whole)
    return found if whole["roleRef"]["name"] else [*found, required("roleRef.name")]


def _nameless_subjects(whole: Object) -> Causes:
    """What the server checks by declaration, after all else."""
    subjects = enumerate(whole.get("subjects") or ())
    return [required(f"subjects[{index}].name") for index, subject in subjects if not subject["name"]]


def _binding(whole: Object, *, updating: bool = False) -> Causes:
    is_namespaced = whole["kind"] == "RoleBinding"
    found = metadata(whole, names.path_segment)
    reference = whole["roleRef"]
    if reference["apiGroup"] != _GROUP:
        found.append(not_supported("roleRef.apiGroup", reference["apiGroup"], (_GROUP,)))
    kinds = ("Role", "ClusterRole") if is_namespaced else ("ClusterRole",)
    if reference["kind"] not in kinds:
        found.append(not_supported("roleRef.kind", reference["kind"], kinds))
    if reference["name"]:
        found += each("roleRef.name", reference["name"], names.path_segment(reference["name"]))
    elif updating:
        # It has changed, so the declaration that it may not keeps silent about the rest.
        found.append(required("roleRef.name"))
    for index, subject in enumerate(whole.get("subjects") or ()):
        found += _subject(subject, f"subjects[{index}]", is_namespaced)
    return found


def _subject(subject: Object, path: str, is_namespaced: bool) -> Causes:
    found: Causes = []
    kind, name, group = subject["kind"], subject["name"], subject.get("apiGroup", "")
    if kind == "ServiceAccount":
        if name:
            found += each(f"{path}.name", name, names.dns_subdomain(name))
        if group:
            found.append(not_supported(f"{path}.apiGroup", group, ("",)))
        if not is_namespaced and not subject.get("namespace"):
            found.append(required(f"{path}.namespace"))
    elif kind in ("User", "Group"):
        if group != _GROUP:
            found.append(not_supported(f"{path}.apiGroup", group, (_GROUP,)))
    else:
        found.append(not_supported(f"{path}.kind", kind, ("ServiceAccount", "User", "Group")))
    return found


def binding_update(new: Object, old: Object) -> Causes:
    found = _binding(new, updating=True)
    if new["roleRef"] != old["roleRef"]:
        found.append(immutable("roleRef", new["roleRef"]))
    return found + _nameless_subjects(new)
