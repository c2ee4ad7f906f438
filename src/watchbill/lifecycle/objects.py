"""Kubernetes objects as values: what identifies one, and bodies of which equal ones are the same."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple
from weakref import WeakValueDictionary

import msgspec

Object = dict[str, Any]

_encode = msgspec.json.Encoder(order="deterministic").encode


class Key(NamedTuple):
    """Which object: versions of one API share their objects, so the version is not part of it."""

    group: str
    kind: str
    namespace: str  # empty for what lives outside namespaces
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.namespace}/{self.name}"


class Body:
    """An object nobody changes. Equal bodies are one body, so comparing and remembering cost nothing."""

    __slots__ = ("__weakref__", "api_version", "kind", "object")
    _known: ClassVar[WeakValueDictionary[bytes, "Body"]] = WeakValueDictionary()

    object: Object
    api_version: str
    kind: str

    @classmethod
    def of(cls, object: Object) -> "Body":  # noqa: A002 - it is one
        digest = _encode(object)
        body = cls._known.get(digest)
        if body is None:
            body = cls()
            body.object = object
            body.api_version = str(object.get("apiVersion", ""))
            body.kind = str(object.get("kind", ""))
            cls._known[digest] = body
        return body

    @property
    def name(self) -> str:
        return str(self.metadata.get("name", ""))

    @property
    def metadata(self) -> Mapping[str, Any]:
        return self.object.get("metadata") or {}

    @property
    def annotations(self) -> Mapping[str, str]:
        return self.metadata.get("annotations") or {}

    @property
    def labels(self) -> Mapping[str, str]:
        return self.metadata.get("labels") or {}

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


def group_of(api_version: str) -> str:
    return api_version.rpartition("/")[0]


def at(thing: Any, *path: str) -> Any:
    """What stands at a path of names; None where there is nothing."""
    for name in path:
        if not isinstance(thing, dict):
            return None
        thing = thing.get(name)
    return thing
