"""What a container asks for: names and amounts of resources."""

from typing import Any

from watchbill.lifecycle.kube import names, quantity
from watchbill.lifecycle.kube.causes import (
    NEGATIVE,
    Cause,
    forbidden,
    invalid,
    not_found,
    required,
)
from watchbill.lifecycle.kube.validate_meta import each

Object = dict[str, Any]
Causes = list[Cause]

_STANDARD_RESOURCES = frozenset(
    {"cpu", "memory", "ephemeral-storage", "pods", "resourcequotas", "services", "replicationcontrollers"}
    | {"secrets", "configmaps", "persistentvolumeclaims", "storage", "requests.storage"}
    | {"services.nodeports", "services.loadbalancers"}
    | {f"{kind}.{name}" for kind in ("requests", "limits") for name in ("cpu", "memory", "ephemeral-storage")}
)


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
        found.append(invalid(path, amount, NEGATIVE))
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
