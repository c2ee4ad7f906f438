"""The API server's answer to a body that it cannot read: the words of Go's JSON decoder, first error first.

Clients send the members of an object in sorted order, so that is the order in which they are looked at.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from msgspec.json import encode

from watchbill.lifecycle.kube import catalog, gotypes, quantity
from watchbill.patterns import regex

Object = dict[str, Any]

_RANGES = {
    "int32": range(-(1 << 31), 1 << 31),
    "int64": range(-(1 << 63), 1 << 63),
    "int": range(-(1 << 63), 1 << 63),
    "uint8": range(1 << 8),
}
_WORDS: dict[type, str] = {
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
}
_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_TIME = regex(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")


class _StopError(Exception):
    """A value that reads itself gives up, and with it the decoder."""


def decode_error(whole: Object) -> str | None:
    """The server's 400 without its prefix; None for what it can read, and for custom kinds."""
    kind = catalog.find(whole.get("apiVersion", ""), whole.get("kind", ""))
    if kind is None:
        return None
    name = gotypes.type_of(kind.api_version, kind.kind)
    assert name is not None
    if _reader(name)(whole):
        return None
    try:
        first = next(_mismatches(whole, name, "", ()), None)
        if first is not None:
            # What comes later may still stop the decoder, and is then what it says.
            for _ in _mismatches(whole, name, "", ()):
                pass
    except _StopError as stopped:
        first = str(stopped)
    return None if first is None else _handled(kind, first)


@cache
def _reader(name: str) -> Callable[[Any], bool]:
    """Whether a value of this type is read without a word, which is what happens to nearly all of them."""
    name = name.lstrip("*")
    if name in _SELF_READING:
        return lambda value: _reads_itself(value, name)
    if name.startswith("["):
        item = _reader(name.partition("]")[2])
        return lambda value: isinstance(value, list) and all(one is None or item(one) for one in value)
    if name.startswith("{"):
        member = _reader(name.partition("}")[2])
        return lambda value: (
            isinstance(value, dict) and all(one is None or member(one) for one in value.values())
        )
    if "." in name and "=" not in name:
        return _struct_reader(name)
    if name.partition("=")[0] == "string":
        return lambda value: isinstance(value, str)
    return lambda value: next(_scalar(value, name, "", ()), None) is None


def _struct_reader(name: str) -> Callable[[Any], bool]:
    members = dict[str, Callable[[Any], bool]]()

    def read(value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        if not members:  # not before it is needed: structs contain themselves
            members.update((field, _reader(kind)) for field, kind, _, _ in gotypes.fields_of(name))
        for key, one in value.items():
            if one is not None and (member := members.get(key)) is not None and not member(one):
                return False
        return True

    return read


def _reads_itself(value: Any, name: str) -> bool:
    try:
        return next(_self_read(value, name, "", ()), None) is None
    except _StopError:
        return False


def strict_error(whole: Object) -> str | None:
    """The same for clients that ask the server to refuse unknown fields."""
    if (error := decode_error(whole)) is not None:
        return error
    kind = catalog.find(whole.get("apiVersion", ""), whole.get("kind", ""))
    if kind is None:
        return None
    name = gotypes.type_of(kind.api_version, kind.kind)
    assert name is not None
    unknown = [f'unknown field "{path}"' for path in _unknown(whole, name, "")]
    return _handled(kind, f"strict decoding error: {', '.join(unknown)}") if unknown else None


def _handled(kind: catalog.Kind, words: str) -> str:
    return f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}: {words}'


def _mismatches(value: Any, name: str, struct: str, path: tuple[str, ...]) -> Iterator[str]:
    if value is None:
        return
    name = name.lstrip("*")
    if name in _SELF_READING:
        yield from _self_read(value, name, struct, path)
    elif name.startswith("["):
        if not isinstance(value, list):
            yield _mismatch(value, _go(name), struct, path)
            return
        for item in value:
            yield from _mismatches(item, name.partition("]")[2], struct, path)
    elif name.startswith("{"):
        if not isinstance(value, dict):
            yield _mismatch(value, _go(name), struct, path)
            return
        for key in sorted(value):
            yield from _mismatches(value[key], name.partition("}")[2], struct, path)
    elif "." in name and "=" not in name:
        yield from _in_struct(value, name, struct, path)
    else:
        yield from _scalar(value, name, struct, path)


def _in_struct(value: Any, name: str, struct: str, path: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(value, dict):
        yield _mismatch(value, _go(name), struct, path)
        return
    fields = {field: (kind, source) for field, kind, _, source in gotypes.fields_of(name)}
    own = name.rpartition(".")[2]
    for key in sorted(value):
        if key in fields:
            kind, source = fields[key]
            inner = (*path, *source.split("."), key) if source else (*path, key)
            yield from _mismatches(value[key], kind, own, inner)


_SELF_READING = frozenset(
    {"quantity", "intorstring", "time", "microtime", "duration", "bytes", "any", "json"}
    | {"schemaorarray", "schemaorbool", "schemaorstrings"}
)


def _scalar(value: Any, name: str, struct: str, path: tuple[str, ...]) -> Iterator[str]:
    kind = name.partition("=")[0]
    shown = name.rpartition("=")[2]
    if kind == "string":
        fits = isinstance(value, str)
    elif kind == "bool":
        fits = isinstance(value, bool)
    elif kind == "float64":
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
    else:
        number = _whole(value)
        fits = number is not None and number in _RANGES[kind]
        if not fits and isinstance(value, (int, float)) and not isinstance(value, bool):
            yield _mismatch(value, shown, struct, path, number=repr(value))
            return
    if not fits:
        yield _mismatch(value, shown, struct, path)


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value


def _self_read(value: Any, name: str, struct: str, path: tuple[str, ...]) -> Iterator[str]:
    if name == "quantity":
        text = value if isinstance(value, str) else encode(value).decode()
        try:
            quantity.parse(text.strip())
        except quantity.QuantityError as error:
            raise _StopError(str(error)) from None
    elif name == "intorstring":
        if not isinstance(value, str):
            yield from _stopping(_scalar(value, "int32", struct, path))
    elif name == "bytes":
        yield from _bytes(value, struct, path)
    elif name in ("time", "microtime", "duration"):
        if not isinstance(value, str):
            yield from _stopping(_scalar(value, "string", struct, path))
        elif name == "time" and value and not _TIME.fullmatch(value):
            layout = "2006-01-02T15:04:05Z07:00"
            raise _StopError(f'parsing time "{value}" as "{layout}": cannot parse "{value}" as "2006"')


def _bytes(value: Any, struct: str, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            if item is not None:
                yield from _scalar(item, "uint8", struct, path)
    elif not isinstance(value, str):
        yield _mismatch(value, "[]uint8", struct, path)
    elif (position := _bad_base64(value)) is not None:
        yield f"illegal base64 data at input byte {position}"


def _stopping(found: Iterator[str]) -> Iterator[str]:
    for words in found:
        raise _StopError(words)
    yield from ()


def _bad_base64(text: str) -> int | None:
    """What is right to the letter need not be gone through."""
    return None if is_strict_base64(text) else where_go_stops(text)


def is_strict_base64(text: str) -> bool:
    letters = text.rstrip("=")
    return len(text) % 4 == 0 and len(text) - len(letters) <= 2 and _ALPHABET.issuperset(letters)


def where_go_stops(text: str) -> int | None:
    """Where Go's decoder does, which skips ends of lines."""
    quantum: list[int] = []
    for position, letter in enumerate(text):
        if letter in "\r\n":
            continue
        if letter == "=":
            rest = re.sub(r"[\r\n]", "", text[position:])
            padding = "=" * (4 - len(quantum)) if len(quantum) >= 2 else None
            if rest == padding:
                return None
            if padding is None:
                return position
            return position + 1 if len(rest) < len(padding) else position + len(padding)
        if letter not in _ALPHABET:
            return position
        quantum = [] if len(quantum) == 3 else [*quantum, position]
    return quantum[0] if quantum else None


def _mismatch(value: Any, go: str, struct: str, path: tuple[str, ...], number: str = "") -> str:
    words = f"number {number}" if number else _WORDS[type(value)]
    return f"json: cannot unmarshal {words} into Go struct field {struct}.{'.'.join(path)} of type {go}"


def _go(name: str) -> str:
    """A type as Go prints it."""
    if name.startswith("*"):
        return "*" + _go(name[1:])
    for opening, closing, shown in (("[", "]", "[]"), ("{", "}", "map[string]")):
        if name.startswith(opening):
            own, _, element = name[1:].partition(closing)
            return own or shown + _go(element)
    if "=" in name:
        return name.partition("=")[2]
    leaves = {"quantity": "resource.Quantity", "bytes": "[]uint8", "intorstring": "intstr.IntOrString"}
    return leaves.get(name, name.rpartition("/")[2])


def _unknown(value: Any, name: str, path: str) -> Iterator[str]:
    name = name.lstrip("*")
    if value is None or name in _SELF_READING:
        return
    if name.startswith("["):
        for index, item in enumerate(value):
            yield from _unknown(item, name.partition("]")[2], f"{path}[{index}]")
    elif name.startswith("{"):
        for key in sorted(value):
            yield from _unknown(value[key], name.partition("}")[2], f"{path}.{key}")
    elif "." in name and "=" not in name:
        fields = {field: kind for field, kind, _, _ in gotypes.fields_of(name)}
        for key in sorted(value):
            inner = f"{path}.{key}" if path else key
            if key not in fields:
                yield inner
            else:
                yield from _unknown(value[key], fields[key], inner)
