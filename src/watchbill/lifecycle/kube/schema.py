"""Types of the built-in kinds: their fields, how their lists and maps merge, what identifies an item.

From data/schema.json, which `python -m dev.kubedata` writes from the server's own OpenAPI.
"""

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from watchbill.lifecycle.kube.packaged import read

SCALARS = ("string", "numeric", "boolean", "untyped")


class _Written(Struct, frozen=True):
    """A type as the file has it. A type without a name stands where it is used."""

    type: str = ""  # a named type; only where the use adds a patch strategy
    scalar: str = ""
    list: "str | _Written | None" = None
    keys: tuple[str, ...] | None = None
    defaults: dict[str, Any] = {}
    fields: dict[str, "str | _Written"] = {}
    others: "str | _Written | None" = None
    atomic: bool = False
    patch: str = ""
    merge_key: str = ""


class _Kind(Struct, frozen=True):
    type: str
    blank: dict[str, Any]


class _File(Struct, frozen=True):
    kinds: dict[str, dict[str, _Kind]]
    types: dict[str, _Written]


class Type:
    """What a value may be: a scalar, a list, a map or struct, or (untyped values) any of them."""

    __slots__ = (
        "associative",
        "atomic",
        "defaults",
        "element",
        "fields",
        "keys",
        "mapping",
        "name",
        "others",
        "scalar",
    )

    def __init__(self, name: str) -> None:
        self.name = name  # the Go struct's; empty for others
        self.scalar = ""  # "string", "numeric", "boolean", "untyped"; empty: no scalar
        self.element: Type | None = None  # of a list
        self.associative = False  # a list whose items are known by keys, or by value if there are none
        self.keys: tuple[str, ...] = ()
        self.defaults: dict[str, Any] = {}  # of key fields
        self.mapping = False  # a map or struct
        self.fields: dict[str, Field] = {}
        self.others: Type | None = None  # of members that are no field
        self.atomic = False  # a map or struct that is owned as a whole


class Field:
    """A field of a struct, with what a strategic merge patch does to it."""

    __slots__ = ("merge", "merge_key", "replace", "retain_keys", "type")

    def __init__(self, type_: Type, patch: str = "", merge_key: str = "") -> None:
        words = patch.split(",")
        self.type = type_
        self.merge = "merge" in words
        self.replace = "replace" in words
        self.retain_keys = "retainKeys" in words
        self.merge_key = merge_key


@cache
def _file() -> _File:
    return msgspec.json.decode(read("schema.json"), type=_File)


_named: dict[str, Type] = {}


@cache
def find(api_version: str, kind: str) -> Type | None:
    """The type of a built-in kind; None for a custom one."""
    known = _file().kinds.get(api_version, {}).get(kind)
    return None if known is None else _type(known.type)


def blank(api_version: str, kind: str) -> dict[str, Any]:
    """An object before anything is in it, as the server compares new ones with: Go writes some fields always."""
    known = _file().kinds.get(api_version, {}).get(kind)
    return {**(known.blank if known else {}), "apiVersion": api_version, "kind": kind}


def _type(reference: "str | _Written") -> Type:
    if not isinstance(reference, str):
        return _type(reference.type) if reference.type else _fill(Type(""), reference)
    if reference not in _named:
        # It may refer to itself: known before it is filled.
        if reference in SCALARS:
            _named[reference] = _fill(Type(""), _Written(scalar=reference))
        else:
            name = reference.partition("!")[0].rpartition(".")[2]
            _named[reference] = Type(name)
            _fill(_named[reference], _file().types[reference])
    return _named[reference]


def _fill(built: Type, written: _Written) -> Type:
    built.scalar = written.scalar
    if written.list is not None:
        built.element = _type(written.list)
        built.associative = written.keys is not None
        built.keys = written.keys or ()
        built.defaults = written.defaults
    if written.others is not None:
        built.others = _type(written.others)
    for name, member in written.fields.items():
        built.fields[name] = (
            Field(_type(member))
            if isinstance(member, str)
            else Field(_type(member), member.patch, member.merge_key)
        )
    built.mapping = bool(written.fields) or written.others is not None
    built.atomic = written.atomic
    return built


@cache
def deduced() -> Type:
    """Of values without a schema: every member of a map has its owner, lists are owned as a whole."""
    return _type("__untyped_deduced_")
