"""Metadata, labels and selectors, as every kind has them."""

from collections.abc import Callable, Iterable
from typing import Any

from watchbill.lifecycle.kube import names
from watchbill.lifecycle.kube.causes import Cause, forbidden, immutable, invalid, required, too_long

Object = dict[str, Any]
Causes = list[Cause]
NameRule = Callable[[str], names.Messages]

_ANNOTATIONS_LIMIT = 256 * 1024
_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")


def each(path: str, value: Any, messages: Iterable[str]) -> list[Cause]:
    return [invalid(path, value, message) for message in messages]


def metadata(whole: Object, name_rule: NameRule, *, is_core: bool = True) -> Causes:
    """On creation. The namespace is the caller's: it is in the request's path.

    The servers of extensions, which are not core, take any name of a finalizer.
    """
    found: Causes = []
    meta = whole["metadata"]
    if prefix := meta.get("generateName"):
        found += each("metadata.generateName", prefix, name_rule(as_prefix(prefix)))
    if name := meta.get("name"):
        found += each("metadata.name", name, name_rule(name))
    elif not prefix:
        found.append(required("metadata.name", "name or generateName is required"))
    found += _common(meta)
    return found + finalizers(whole) if is_core else found


def named(whole: Object) -> Causes:
    """Of kinds of which nothing else is looked at."""
    return metadata(whole, names.dns_subdomain)


def finalizers(whole: Object) -> Causes:
    found: Causes = []
    for index, finalizer in enumerate(whole["metadata"].get("finalizers") or ()):
        found += qualified_finalizer(finalizer, f"metadata.finalizers[{index}]")
    return found


def qualified_finalizer(finalizer: str, path: str) -> Causes:
    if "/" in finalizer or finalizer in _FINALIZERS:
        return []
    return [invalid(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified")]


def as_prefix(prefix: str) -> str:
    """A prefix may end with a hyphen: something follows it."""
    return prefix[:-2] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix


def _common(meta: Object) -> Causes:
    found = labels(meta.get("labels"), "metadata.labels")
    found += annotations(meta.get("annotations"), "metadata.annotations")
    found += _owners(meta.get("ownerReferences") or ())
    for finalizer in meta.get("finalizers") or ():
        found += each("metadata.finalizers", finalizer, names.label_key(finalizer))
    return found


def _owners(owners: Iterable[Object]) -> Causes:
    found: Causes = []
    controller = ""
    for index, owner in enumerate(owners):
        path = f"metadata.ownerReferences[{index}]"
        if owner["apiVersion"].count("/") > 1:
            words = "must be <group>/<version> or <version>"
            found.append(invalid(f"{path}.apiVersion", owner["apiVersion"], words))
        for key in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(key):
                found.append(required(f"{path}.{key}", "must not be empty"))
        if owner.get("controller"):
            name = f"{owner['kind']}/{owner['name']}"
            if controller:
                words = (
                    'Only one reference can have Controller set to true. Found "true" in references for '
                    f"{controller} and {name}"
                )
                found.append(invalid("metadata.ownerReferences", owners, words))
            else:
                controller = name
    return found


def metadata_update(new: Object, old: Object) -> Causes:
    """What the server checks of every update, before the kind's own rules."""
    meta, before = new["metadata"], old["metadata"]
    found: Causes = []
    if not meta.get("name"):
        found.append(required("metadata.name", "name or generateName is required"))
    else:
        found += each("metadata.name", meta["name"], names.path_segment(meta["name"]))
    found += _common(meta)
    for key in ("name", "namespace", "uid"):
        if meta.get(key) != before.get(key):
            found.append(immutable(f"metadata.{key}", meta.get(key, "")))
    return found


def labels(found_labels: dict[str, str] | None, path: str) -> Causes:
    found: Causes = []
    for key, value in sorted((found_labels or {}).items()):
        if messages := names.label_key(key):
            found += each(path, key, messages)
        if messages := names.label_value(value):
            found += each(path, value, messages)
    return found


def annotations(found_annotations: dict[str, str] | None, path: str) -> Causes:
    found: Causes = []
    size = 0
    for key, value in sorted((found_annotations or {}).items()):
        if messages := names.label_key(key.lower()):
            found += each(path, key, messages)
        size += len(key.encode()) + len(value.encode())
    if size > _ANNOTATIONS_LIMIT:
        found.append(too_long(path, _ANNOTATIONS_LIMIT))
    return found


def selector(given: Object | None, path: str, *, lenient: bool = False) -> Causes:
    """`lenient` where a stored selector already holds a value that is no label's."""
    if given is None:
        return []
    found = labels(given.get("matchLabels"), f"{path}.matchLabels")
    for index, expression in enumerate(given.get("matchExpressions") or ()):
        found += requirement(expression, f"{path}.matchExpressions[{index}]", lenient)
    return found


def requirement(expression: Object, path: str, lenient: bool, *, ordered: bool = False) -> Causes:
    """`ordered` where labels may also be compared by size: nodes' may."""
    found: Causes = []
    operator, values = expression["operator"], expression.get("values") or []
    if operator in ("In", "NotIn"):
        if not values:
            found.append(required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            words = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            found.append(forbidden(f"{path}.values", words))
    elif ordered and operator in ("Gt", "Lt"):
        if len(values) != 1:
            words = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            found.append(required(f"{path}.values", words))
    else:
        found.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    found += each(f"{path}.key", expression["key"], names.label_key(expression["key"]))
    if not lenient:
        for position, value in enumerate(values):
            found += each(f"{path}.values[{position}]", value, names.label_value(value))
    return found


def has_odd_values(given: Object | None) -> bool:
    return any(
        names.label_value(value)
        for expression in (given or {}).get("matchExpressions") or ()
        for value in expression.get("values") or ()
    )


def is_usable(given: Object) -> bool:
    """Whether it can be turned into a selector at all."""
    return not selector(given, "")


def matches(given: Object, found_labels: dict[str, str] | None) -> bool:
    found_labels = found_labels or {}
    if any(found_labels.get(key) != value for key, value in (given.get("matchLabels") or {}).items()):
        return False
    return all(_holds(expression, found_labels) for expression in given.get("matchExpressions") or ())


def _holds(expression: Object, found_labels: dict[str, str]) -> bool:
    key, operator, values = expression["key"], expression["operator"], expression.get("values") or ()
    if operator == "In":
        return key in found_labels and found_labels[key] in values
    if operator == "NotIn":
        return key not in found_labels or found_labels[key] not in values
    return bool((key in found_labels) == (operator == "Exists"))


def is_empty(given: Object) -> bool:
    return not given.get("matchLabels") and not given.get("matchExpressions")
