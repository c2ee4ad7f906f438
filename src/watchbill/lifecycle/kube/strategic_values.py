"""What building and merging strategic patches share: directives, fields, and how values are compared."""

from collections.abc import Iterable
from typing import Any

from watchbill.lifecycle.kube.schema import Field, Type

Object = dict[str, Any]

DIRECTIVE = "$patch"
DELETE = "delete"
REPLACE = "replace"
MERGE = "merge"
RETAIN_KEYS = "$retainKeys"
DELETE_FROM = "$deleteFromPrimitiveList"
ORDER = "$setElementOrder"


class Unpatchable(Exception):  # noqa: N818 - a refusal, not an error of ours
    """The client or the server gives up on the patch, in the library's words (value dumps elided)."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


def field_of(schema: Type, key: str) -> Field:
    if field := schema.fields.get(key):
        return field
    if not schema.name:
        kind = "map" if schema.mapping else "slice" if schema.element else schema.scalar
        raise Unpatchable(f"merging an object in json but data type is not struct, instead is: {kind}")
    # Go reads member names in any case.
    for name, field in schema.fields.items():
        if name.lower() == key.lower():
            return field
    raise Unpatchable(f'unable to find api field in struct {schema.name} for the json field "{key}"')


def list_field_of(schema: Type, key: str) -> tuple[Field, Type]:
    field = field_of(schema, key)
    element = field.type.element
    if element is None or field.type.scalar:
        raise Unpatchable("expected slice or array type, but got: struct")
    return field, element


def are_maps(*lists: Iterable[Any]) -> bool:
    """Whether the items are maps; all must be of one kind."""
    kinds = dict.fromkeys(type(item) for items in lists for item in items)
    if next(iter(kinds), None) is list:
        raise Unpatchable("lists of lists are not supported")
    if len(kinds) > 1:
        raise Unpatchable("list element types are not identical: …")
    return dict in kinds


def key_of(item: Any, merge_key: str) -> Any:
    """The value that an item of a merging list is known by."""
    if merge_key not in item:
        raise Unpatchable(f"map: … does not contain declared merge key: {merge_key}")
    return item[merge_key]


def in_order(items: list[Any], order: list[Any], merge_key: str) -> list[Any]:
    """As the order has them; what is to be deleted goes last."""
    if not merge_key:
        return sorted(items, key=lambda item: place(order, item, ""))
    for item in (*items, *order):
        key_of(item, merge_key)
    staying = [item for item in items if item.get(DIRECTIVE) != DELETE]
    going = [item for item in items if item.get(DIRECTIVE) == DELETE]
    return sorted(staying, key=lambda item: place(order, item, merge_key)) + going


def place(items: list[Any], item: Any, merge_key: str) -> int:
    """Of the first item with the same key; -1: none has it."""
    value = item.get(merge_key) if merge_key else item
    for n, other in enumerate(items):
        if equal(other.get(merge_key) if merge_key else other, value):
            return n
    return -1


def equal(a: Any, b: Any) -> bool:
    """Two scalars; 1 and true are not equal."""
    return type(a) is type(b) and bool(a == b)


def same(a: Any, b: Any) -> bool:
    """Two values, as Go compares what it read from JSON."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return len(a) == len(b) and all(key in b and same(value, b[key]) for key, value in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def without_null_members(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_null_members(member) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [without_null_members(item) for item in value]
    return value
