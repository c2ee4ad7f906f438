"""Rights a job asks for ("patch persistentvolumeclaims"), and which of them the person who deploys does not have."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from msgspec import Struct

from watchbill.errors import UserError
from watchbill.kube.builtin import GROUPS, RESOURCES, SUBRESOURCES

if TYPE_CHECKING:
    from watchbill.kube.client import Kube

VERBS = (
    "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection",
    "use", "bind", "escalate", "impersonate", "approve", "sign", "attest", "*",
)  # fmt: skip
_AT_ONCE = 8


class Right(Struct, frozen=True, kw_only=True):
    """`namespace`: "" is the one that is deployed to, None every one (or the resource has none)."""

    verb: str
    resource: str
    group: str = ""
    subresource: str = ""
    name: str = ""
    namespace: str | None = ""

    def __str__(self) -> str:
        """As it is written; `parse` reads it back."""
        resource = f"{self.resource}.{self.group}" if self.group else self.resource
        if resource.partition(".")[0] in RESOURCES and RESOURCES[self.resource] == (self.group, True):
            resource = self.resource
        words = [self.verb, f"{resource}/{self.subresource}" if self.subresource else resource]
        words += [self.name] if self.name else []
        is_scoped = RESOURCES.get(self.resource, ("", True)) != (self.group, False)
        if self.namespace is None:
            words += ["cluster-wide"] if is_scoped else []
        elif self.namespace:
            words += ["in", self.namespace]
        return " ".join(words)


def parse(text: str) -> Right:
    """VERB RESOURCE [NAME] [in NAMESPACE | cluster-wide]; RESOURCE as in pods, pods/log, apps/statefulsets,
    gateways.networking.istio.io, apps/deployments/scale. Raises UserError."""
    words = text.split()
    namespace: str | None = ""
    if words[-1:] == ["cluster-wide"]:
        namespace, words = None, words[:-1]
    elif len(words) > 2 and words[-2] == "in":
        namespace, words = words[-1], words[:-2]
    if len(words) not in (2, 3):
        raise _wrong(text, "a right is VERB RESOURCE [NAME], with `in NAMESPACE` or `cluster-wide` after it")
    verb, resource = words[0], words[1]
    if verb not in VERBS:
        raise _wrong(text, f"{verb!r} is not a verb{_perhaps(verb, VERBS)}; there are {', '.join(VERBS)}")
    group, plural, subresource = _resource(text, resource)
    if RESOURCES.get(plural) == (group, False):
        if namespace:
            raise _wrong(text, f"{plural} belong to no namespace")
        namespace = None
    return Right(
        verb=verb,
        resource=plural,
        group=group,
        subresource=subresource,
        name=words[2] if len(words) == 3 else "",
        namespace=namespace,
    )


async def missing(kube: Kube, rights: Iterable[Right], namespace: str) -> list[Right]:
    """Those that whoever is connected does not have, asked by SelfSubjectAccessReview; in the given order, each once."""
    import asyncio

    asked = list(dict.fromkeys(rights))
    limit = asyncio.Semaphore(_AT_ONCE)

    async def is_allowed(right: Right) -> bool:
        async with limit:
            return await _is_allowed(kube, right, namespace)

    answers = await asyncio.gather(*(is_allowed(right) for right in asked))
    return [right for right, allowed in zip(asked, answers, strict=True) if not allowed]


async def _is_allowed(kube: Kube, right: Right, namespace: str) -> bool:
    from lightkube.models.authorization_v1 import ResourceAttributes, SelfSubjectAccessReviewSpec
    from lightkube.resources.authorization_v1 import SelfSubjectAccessReview

    attributes = ResourceAttributes(
        verb=right.verb,
        group=right.group,
        resource=right.resource,
        subresource=right.subresource,
        name=right.name,
        namespace="" if right.namespace is None else right.namespace or namespace,
    )
    asked = SelfSubjectAccessReview(spec=SelfSubjectAccessReviewSpec(resourceAttributes=attributes))
    answer = await kube.create(asked)
    return answer.status is not None and answer.status.allowed


def _resource(text: str, written: str) -> tuple[str, str, str]:
    """Group, plural and subresource; a built-in resource need not name its group."""
    parts = written.split("/")
    if not all(parts) or len(parts) > 3:
        raise _wrong(
            text, f"{written!r} is not a resource: apps/statefulsets, pods/log, gateways.networking.istio.io"
        )
    head = parts[0]
    starts_with_group = len(parts) == 3 or (
        len(parts) == 2 and (head in GROUPS or ("." in head and parts[1] not in SUBRESOURCES))
    )
    if starts_with_group:
        group, plural, *rest = parts
        group = "" if group == "core" else group
    else:
        plural, *rest = parts
        plural, _, group = plural.partition(".")
    subresource = rest[0] if rest else ""
    _check(text, group, plural)
    if not group and not starts_with_group and plural in RESOURCES:
        group = RESOURCES[plural][0]
    return group, plural, subresource


def _check(text: str, group: str, plural: str) -> None:
    """Typos are found where we know better: for what every cluster has. Other groups are the user's own."""
    if plural == "*" or (group and group not in GROUPS):
        return
    if plural not in RESOURCES:
        if group and not _perhaps(plural.lower(), RESOURCES):
            return  # of a later version than we know
        raise _wrong(
            text,
            f"{plural!r} is not a built-in resource{_perhaps(plural.lower(), RESOURCES)}; "
            "others are written with their group: gateways.networking.istio.io",
        )
    if group and RESOURCES[plural][0] != group and not (plural == "events" and group == ""):
        raise _wrong(text, f"{plural} are in the group {RESOURCES[plural][0] or 'core'!r}, not {group!r}")


def _perhaps(word: str, known: Iterable[str]) -> str:
    close = get_close_matches(word, list(known), n=1)
    return f", did you mean {close[0]!r}?" if close else ""


def _wrong(text: str, why: str) -> UserError:
    return UserError(
        f"the right {text!r} cannot be read: {why}", then='for example "patch persistentvolumeclaims"'
    )
