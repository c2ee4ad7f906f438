"""What the API server says of a patch whose result it cannot take in.

From the map that a strategic merge gives it goes straight to the type (runtime.DefaultUnstructuredConverter), so
its words are others than those for a body that is sent whole; the result of a JSON merge is read like such a body.
"""

from typing import Any

from watchbill.lifecycle.kube.causes import ELIDED
from watchbill.lifecycle.kube.decode import decode_error, strict_error
from watchbill.patterns import regex

_PREFIX = regex(r'\S+ in version "\S+" cannot be handled as a \S+: ')
_UNMARSHAL = regex(
    r"json: cannot unmarshal (?P<found>\w+)(?: (?P<number>\S+))? into Go struct field \S+ of type (?P<wanted>\S+)"
)
_GO = {"string": "string", "number": "int64", "bool": "bool", "object": "map", "array": "slice"}
_SCALARS = ("string", "bool", "int", "int32", "int64", "uint8", "float64")


def patch_error(merged: dict[str, Any], *, strict: bool, json_merge: bool = False) -> str | None:
    """None if it can be read; strict: unknown fields are refused too."""
    words = strict_error(merged) if strict else decode_error(merged)
    if words is None:
        return None
    words = _PREFIX.sub("", words, count=1)
    return f' "" is invalid: patch: Invalid value: {ELIDED}: {words if json_merge else _converted(words)}'


def _converted(words: str) -> str:
    match = _UNMARSHAL.fullmatch(words)
    if match is None:
        return words
    found, wanted = _GO[match["found"]], match["wanted"].lstrip("*")
    if wanted.startswith("map["):
        return f"cannot restore map from {found}"
    if wanted.startswith("[]"):
        return f"cannot restore slice from {found}"
    if match["number"]:
        return f"cannot convert float64 to {wanted}"
    if found == "int64" and wanted == "string":
        return "cannot convert int64 to string"
    if wanted in _SCALARS:
        return f"unrecognized type: {wanted}"
    return f"cannot restore struct from: {found}"
