"""Types of the built-in kinds: their fields, how their lists and maps merge, what identifies an item.

From data/schema.json, which `python -m dev.kubedata` writes from the server's own OpenAPI. A Pod alone is made of
hundreds of types, of which an object has a few: a type is read when somebody looks at what has it.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct

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
    types: dict[str, Raw]  # of _Written


class Type:
    """What a value may be: a scalar, a list, a map or struct, or (untyped values) any of them."""

    __slots__ = (
        "_written",
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

    element: "Type | None"  # of a list
    fields: "dict[str, Field]"
    others: "Type | None"  # of members that are no field

    def __init__(self, name: str, written: _Written) -> None:
        self._written = written
        self.name = name  # the Go struct's; empty for others
        self.scalar = written.scalar  # "string", "numeric", "boolean", "untyped"; empty: no scalar
        self.associative = written.keys is not None  # a list whose items are known by keys, or else by value
        self.keys = written.keys or ()
        self.defaults = written.defaults  # of key fields
        self.mapping = bool(written.fields) or written.others is not None  # a map or struct
        self.atomic = written.atomic  # a map or struct that is owned as a whole

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Asked for what is not there yet: the types that this one is made of, which may be itself."""
            written = self._written
            self.element = None if written.list is None else _type(written.list)
            self.others = None if written.others is None else _type(written.others)
            self.fields = {name: Field(member) for name, member in written.fields.items()}
            return object.__getattribute__(self, name)


class Field:
    """A field of a struct, with what a strategic merge patch does to it."""

    __slots__ = ("_written", "merge", "merge_key", "replace", "retain_keys", "type")

    type: Type

    def __init__(self, written: str | _Written) -> None:
        patch, merge_key = ("", "") if isinstance(written, str) else (written.patch, written.merge_key)
        self._written = written
        self.merge = "merge" in patch
        self.replace = "replace" in patch
        self.retain_keys = "retainKeys" in patch
        self.merge_key = merge_key

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """Asked for its type, for the first time."""
            self.type = _type(self._written)
            return object.__getattribute__(self, name)


@cache
def _file() -> _File:
    return msgspec.json.decode(read("schema.json"), type=_File)


@cache
def find(api_version: str, kind: str) -> Type | None:
    """The type of a built-in kind; None for a custom one."""
    known = _file().kinds.get(api_version, {}).get(kind)
    return None if known is None else _type(known.type)


def blank(api_version: str, kind: str) -> dict[str, Any]:
    """An object before anything is in it, as the server compares new ones with: Go writes some fields always."""
    known = _file().kinds.get(api_version, {}).get(kind)
    return {**(known.blank if known else {}), "apiVersion": api_version, "kind": kind}


def _type(reference: str | _Written) -> Type:
    if isinstance(reference, str):
        return _named(reference)
    return _named(reference.type) if reference.type else Type("", reference)


@cache
def _named(reference: str) -> Type:
    if reference in SCALARS:
        return Type("", _Written(scalar=reference))
    name = reference.partition("!")[0].rpartition(".")[2]
    return Type(name, msgspec.json.decode(_file().types[reference], type=_Written))


@cache
def deduced() -> Type:
    """Of values without a schema: every member of a map has its owner, lists are owned as a whole."""
    return _type("__untyped_deduced_")
