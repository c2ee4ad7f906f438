"""CustomResourceDefinitions, as far as names and versions go: schemas are taken as they are."""

from typing import Any

from watchbill.lifecycle.kube import names
from watchbill.lifecycle.kube.causes import Cause, immutable, invalid, not_supported, required
from watchbill.lifecycle.kube.validate_meta import metadata

Object = dict[str, Any]
Causes = list[Cause]

_APPROVED = "api-approved.kubernetes.io"


def definition(whole: Object) -> Causes:
    spec = whole["spec"]
    needed = f"{spec['names']['plural']}.{spec['group']}"

    def rule(name: str) -> names.Messages:
        wrong = () if name == needed else ('must be spec.names.plural+"."+spec.group',)
        return names.dns_subdomain(name) + wrong

    return metadata(whole, rule, is_core=False) + _spec(spec) + _stored(whole) + _approval(whole)


def definition_update(new: Object, old: Object) -> Causes:
    """A definition is established as soon as it is stored; from then on its scope and kind are fixed."""
    spec, before = new["spec"], old["spec"]
    found = _spec(spec)
    for path in ("scope", "names.kind", "group", "names.plural"):
        mine, theirs = _at(spec, path), _at(before, path)
        if mine != theirs:
            found.append(immutable(f"spec.{path}", mine))
    found += _stored(new)
    return found if _annotation(new) == _annotation(old) else found + _approval(new)


def _at(spec: Object, path: str) -> Any:
    for key in path.split("."):
        spec = spec[key]
    return spec


def _spec(spec: Object) -> Causes:
    found: Causes = []
    group = spec["group"]
    if not group:
        found.append(required("spec.group"))
    elif messages := names.dns_subdomain(group):
        found.append(invalid("spec.group", group, ",".join(messages)))
    elif "." not in group:
        found.append(invalid("spec.group", group, "should be a domain with at least one dot"))
    if not spec["scope"]:
        found.append(required("spec.scope"))
    elif spec["scope"] not in ("Cluster", "Namespaced"):
        found.append(not_supported("spec.scope", spec["scope"], ("Cluster", "Namespaced")))
    versions = spec.get("versions") or []
    for index, version in enumerate(versions):
        if "openAPIV3Schema" not in (version.get("schema") or {}):
            found.append(required(f"spec.versions[{index}].schema.openAPIV3Schema"))
    for index, version in enumerate(versions):
        if messages := names.dns_1035_label(version["name"]):
            found.append(invalid(f"spec.versions[{index}].name", version["name"], ",".join(messages)))
    if len({version["name"] for version in versions}) != len(versions):
        found.append(invalid("spec.versions", versions, "must contain unique version names"))
    if sum(bool(version["storage"]) for version in versions) != 1:
        words = "must have exactly one version marked as storage version"
        found.append(invalid("spec.versions", versions or None, words))
    return found + _names(spec["names"])


def _names(given: Object) -> Causes:
    found = [
        required(f"spec.names.{key}")
        for key in ("plural", "singular", "kind", "listKind")
        if not given.get(key)
    ]
    for key in ("plural", "singular"):
        found += _joined(given.get(key) or "", f"spec.names.{key}")
    for key in ("kind", "listKind"):
        if (name := given.get(key)) and (messages := names.dns_1035_label(name.lower())):
            words = "may have mixed case, but should otherwise match: " + ",".join(messages)
            found.append(invalid(f"spec.names.{key}", name, words))
    for key in ("shortNames", "categories"):
        for index, name in enumerate(given.get(key) or ()):
            found += _joined(name, f"spec.names.{key}[{index}]")
    return found


def _joined(name: str, path: str) -> Causes:
    """All that is wrong with a name, in one sentence; a missing one is said elsewhere."""
    messages = names.dns_1035_label(name) if name else ()
    return [invalid(path, name, ",".join(messages))] if messages else []


def _stored(whole: Object) -> Causes:
    stored = whole["status"].get("storedVersions") or []
    if not stored:
        return [invalid("status.storedVersions", None, "must have at least one stored version")]
    known = {version["name"] for version in whole["spec"].get("versions") or ()}
    return [
        invalid(
            f"status.storedVersions[{index}]",
            version,
            f"missing from spec.versions; {version} was previously a storage version, and must remain in "
            "spec.versions until a storage migration ensures no data remains persisted in "
            f"{version} and removes {version} from status.storedVersions",
        )
        for index, version in enumerate(stored)
        if version not in known
    ]


def _annotation(whole: Object) -> str:
    found: str = (whole["metadata"].get("annotations") or {}).get(_APPROVED, "")
    return found


def _approval(whole: Object) -> Causes:
    group, approval = whole["spec"]["group"], _annotation(whole)
    if not f".{group}".endswith((".k8s.io", ".kubernetes.io")):
        return []
    path = f"metadata.annotations[{_APPROVED}]"
    see = "see https://github.com/kubernetes/enhancements/pull/1111"
    if not approval:
        return [required(path, f'protected groups must have approval annotation "{_APPROVED}", {see}')]
    if approval.startswith("unapproved") or "://" in approval:
        return []
    words = (
        f'protected groups must have approval annotation "{_APPROVED}" with either a URL or a reason '
        f'starting with "unapproved", {see}'
    )
    return [invalid(path, approval, words)]
