"""The annotation in which client-side apply keeps what it applied last (pkg/util/apply.go)."""

from functools import lru_cache
from typing import Any

import msgspec

from watchbill.lifecycle.kube.apply import LAST_APPLIED
from watchbill.lifecycle.kube.merge import Unpatchable
from watchbill.lifecycle.objects import Body, Object

MEMORY = 1 << 14

_encode = msgspec.json.Encoder(order="deterministic").encode
# Go's encoder makes JSON safe for HTML. Sizes count: annotations are limited to 256 KiB.
_ESCAPED = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


@lru_cache(MEMORY)
def annotated(body: Body) -> Body:
    """The object with itself in its annotation."""
    annotations = {name: text for name, text in _annotations(body).items() if name != LAST_APPLIED}
    plain = _with_annotations(body.object, annotations)
    return Body.of(_with_annotations(plain, {**annotations, LAST_APPLIED: encoded(plain)}))


@lru_cache(MEMORY)
def annotated_for_creation(body: Body) -> Body:
    """The same without nulls: a patch could not carry them either."""
    return Body.of(_without_nulls(annotated(body).object))


def last_applied(live: Body) -> Object:
    """What was applied last; nothing if nobody knows."""
    text = live.annotations.get(LAST_APPLIED)
    try:
        return msgspec.json.decode(text, type=dict[str, Any]) if text else {}
    except msgspec.DecodeError:
        raise Unpatchable("Invalid JSON document") from None


def encoded(thing: Object) -> str:
    return _encode(thing).decode().translate(_ESCAPED) + "\n"


def _annotations(body: Body) -> dict[str, str]:
    """Null counts as empty."""
    found = body.metadata.get("annotations") or {}
    return {name: "" if text is None else text for name, text in found.items()}


def _with_annotations(thing: Object, annotations: dict[str, str]) -> Object:
    return {**thing, "metadata": {**(thing.get("metadata") or {}), "annotations": annotations}}


def _without_nulls(thing: Any) -> Any:
    if isinstance(thing, dict):
        return {name: _without_nulls(value) for name, value in thing.items() if value is not None}
    if isinstance(thing, list):
        return [_without_nulls(item) for item in thing]
    return thing
