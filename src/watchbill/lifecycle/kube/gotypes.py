"""The Go types behind the built-in kinds: what decoding drops, what encoding writes, what counts as equal.

A stored object went through these types: unknown fields are gone, empty values that `omitempty` leaves out
too, quantities have one spelling.
"""

import base64
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from msgspec import Raw, Struct
from msgspec.json import Decoder, decode

from watchbill.lifecycle.kube import quantity
from watchbill.lifecycle.kube.packaged import read

Object = dict[str, Any]
# Name, type, which empty values are omitted, and the structs it is inlined from.
Field = tuple[str, str, str, str]


class _Data(Struct):
    kinds: dict[str, str]
    structs: dict[str, Raw]  # of fields: an object has a few of them, and all take long to read


_DATA = decode(read("gotypes.json"), type=_Data)
_FIELDS = Decoder(list[Field])


class Codec(Struct, frozen=True):
    """How values of one type are written, and compared."""

    write: Callable[[Any], Any]
    same: Callable[[Any, Any], bool]
    # What stands for null where the value may not be left out.
    zero: Callable[[], Any]
    # An empty value is left out by `omitempty`; structs never are, pointers only when null.
    has_empty: bool


def type_of(api_version: str, kind: str) -> str | None:
    return _DATA.kinds.get(f"{api_version} {kind}")


@cache
def fields_of(struct: str) -> list[Field]:
    return _FIELDS.decode(_DATA.structs[struct])


def canonical(whole: Object) -> Object:
    """An object of a built-in kind after a round trip through its type; always a new one."""
    name = type_of(whole["apiVersion"], whole["kind"])
    assert name is not None
    written: Object = codec(name).write(whole)
    return written


def same(name: str, one: Any, other: Any) -> bool:
    """The server's semantic equality: quantities by value; null and empty are alike once written."""
    return bool(one == other) or codec(name).same(one, other)


@cache
def codec(name: str) -> Codec:
    if name.startswith("*"):
        return _pointer(codec(name[1:]))
    if name.startswith("["):
        return _list(name.partition("]")[2])
    if name.startswith("{"):
        return _map(name.partition("}")[2])
    if name in _LEAVES:
        return _LEAVES[name]
    if "=" in name:
        return _LEAVES[name.partition("=")[0]]
    return _struct(name)


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other)


def _pointer(target: Codec) -> Codec:
    def same(one: Any, other: Any) -> bool:
        if one is None or other is None:
            return one is other
        return target.same(one, other)

    return Codec(target.write, same, lambda: None, False)


def _list(name: str) -> Codec:
    element = codec(name)

    def write(value: Any) -> Any:
        return [element.zero() if item is None else element.write(item) for item in value]

    def same(one: Any, other: Any) -> bool:
        one, other = one or [], other or []
        return len(one) == len(other) and all(map(element.same, one, other))

    return Codec(write, same, lambda: None, True)


def _map(name: str) -> Codec:
    element = codec(name)
    if name == "quantity":
        element = Codec(_rounded, element.same, element.zero, False)

    def write(value: Any) -> Any:
        return {key: element.zero() if item is None else element.write(item) for key, item in value.items()}

    def same(one: Any, other: Any) -> bool:
        one, other = one or {}, other or {}
        return one.keys() == other.keys() and all(element.same(one[key], other[key]) for key in one)

    return Codec(write, same, lambda: None, True)


def _struct(name: str) -> Codec:
    members: dict[str, tuple[Codec, bool]] = {}
    always: list[tuple[str, Callable[[], Any]]] = []
    compiled = False

    def resolve() -> None:
        # Not before it is needed: structs contain themselves.
        nonlocal compiled
        compiled = True
        for field, kind, omit, _ in fields_of(name):
            one = codec(kind)
            members[field] = (one, "e" in omit and one.has_empty)
            is_struct = kind in _DATA.structs or kind in _STRUCT_LEAVES
            if not omit or (is_struct and "z" not in omit):
                always.append((field, one.zero))

    def write(value: Any) -> Object:
        if not compiled:
            resolve()
        written: Object = {}
        for key, item in value.items():
            if item is None or (member := members.get(key)) is None:
                continue
            one, omit_empty = member
            result = one.write(item)
            if result is None or (omit_empty and not result):
                continue
            written[key] = result
        for key, zero in always:
            if key not in written:
                written[key] = zero()
        return written

    def same(one: Any, other: Any) -> bool:
        if one == other:
            return True
        if not compiled:
            resolve()
        for key in one.keys() | other.keys():
            mine, yours = one.get(key), other.get(key)
            if mine != yours and not members[key][0].same(mine, yours):
                return False
        return True

    return Codec(write, same, lambda: write({}), False)


def _text_of(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value).strip()


def _quantity(value: Any) -> str:
    return quantity.canonical(_text_of(value))


def _rounded(value: Any) -> str:
    return quantity.rounded(_text_of(value))


def _same_quantity(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return quantity.nanos(one) == quantity.nanos(other)


def _bytes(value: str | list[int]) -> str:
    raw = (
        bytes(item or 0 for item in value)
        if isinstance(value, list)
        else base64.b64decode(re.sub(r"[\r\n]", "", value))
    )
    return base64.b64encode(raw).decode()


def _schema_or_array(value: Any) -> Any:
    schema = codec("apiextensions/v1.JSONSchemaProps")
    return [schema.write(item) for item in value] if isinstance(value, list) else schema.write(value)


def _schema_or_bool(value: Any) -> Any:
    return value if isinstance(value, bool) else codec("apiextensions/v1.JSONSchemaProps").write(value)


def _schema_or_strings(value: Any) -> Any:
    return value if isinstance(value, list) else codec("apiextensions/v1.JSONSchemaProps").write(value)


def _identity(value: Any) -> Any:
    return value


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) else value


# Structs in Go, so `omitempty` does not leave them out.
_STRUCT_LEAVES = frozenset({"quantity", "intorstring", "time", "microtime", "duration"})
_LEAVES = {
    "string": Codec(_identity, _equal, lambda: "", True),
    "bool": Codec(_identity, _equal, lambda: False, True),
    "int": Codec(_whole, _equal, lambda: 0, True),
    "int32": Codec(_whole, _equal, lambda: 0, True),
    "int64": Codec(_whole, _equal, lambda: 0, True),
    "float64": Codec(_identity, _equal, lambda: 0, True),
    "bytes": Codec(_bytes, _equal, lambda: None, True),
    "quantity": Codec(_quantity, _same_quantity, lambda: "0", False),
    "intorstring": Codec(_whole, _equal, lambda: 0, False),
    "time": Codec(_identity, _equal, lambda: None, False),
    "microtime": Codec(_identity, _equal, lambda: None, False),
    "duration": Codec(_identity, _equal, lambda: "0s", False),
    "any": Codec(_identity, _equal, lambda: None, False),
    "json": Codec(_identity, _equal, lambda: None, False),
    "schemaorarray": Codec(_schema_or_array, _equal, lambda: None, False),
    "schemaorbool": Codec(_schema_or_bool, _equal, lambda: None, False),
    "schemaorstrings": Codec(_schema_or_strings, _equal, lambda: None, False),
}
