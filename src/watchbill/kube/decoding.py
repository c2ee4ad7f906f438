"""Makes lightkube decode safely in several threads.

msgspec (0.19 to 0.22) describes a Struct at its first use. It publishes the description on the class before the fields
are in it, and the rest of the work runs Python code, where the GIL may change hands. A second thread then decodes with
NULL for a field, and the process dies with SIGSEGV. So each type is described once, under one lock, before any thread
decodes it. One lock for all types, because kinds share what they consist of: a PodSpec is in a Deployment and in a Job.
"""

import threading
from typing import Any

import msgspec
from lightkube.core import decoders, dictmixin

_describing = threading.Lock()
_described = set[Any]()


def describe(kind: Any) -> None:
    """Let msgspec describe a type completely. After this, any thread may decode it."""
    if kind not in _described:
        with _describing:
            msgspec.json.Decoder(kind)
            _described.add(kind)


def install() -> None:
    """Describe types before lightkube decodes them, for every client and every way into it."""
    decoders.json_decode = _decode  # type: ignore[assignment]
    dictmixin.DictMixin.from_dict = classmethod(_from_dict)  # type: ignore[method-assign,assignment]


def _decode(data: Any, *, type: Any) -> Any:  # noqa: A002  (msgspec names it so)
    describe(type)
    return msgspec.json.decode(data, type=type)


_lightkube_from_dict: Any = dictmixin.DictMixin.__dict__["from_dict"].__func__


def _from_dict(cls: Any, d: Any, lazy: bool = False) -> Any:
    describe(cls)
    return _lightkube_from_dict(cls, d, lazy)
