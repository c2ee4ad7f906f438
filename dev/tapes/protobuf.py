"""Kubernetes' binary encoding, as far as it is needed: Helm writes its release records in it."""

import base64
from collections import defaultdict
from typing import Any

MAGIC = b"k8s\x00"
Fields = dict[int, list[bytes]]


def read_object(body: bytes) -> dict[str, Any]:
    """Kind, metadata and, for a Secret, its data, in the shape they have in JSON."""
    envelope = fields(body.removeprefix(MAGIC))
    kind = _text(fields(_last(envelope, 1)), 2)
    content = fields(_last(envelope, 2))
    metadata = fields(_last(content, 1))
    read: dict[str, Any] = {
        "kind": kind,
        "metadata": {
            "name": _text(metadata, 1),
            "generateName": _text(metadata, 2),
            "labels": {key: value.decode() for key, value in _map(metadata, 11).items()},
        },
    }
    if kind == "Secret":
        read["data"] = {key: base64.b64encode(value).decode() for key, value in _map(content, 2).items()}
    return read


def fields(message: bytes) -> Fields:
    """The length-delimited fields of a message by number; numbers and the like are passed over."""
    found: Fields = defaultdict(list)
    position = 0
    while position < len(message):
        key, position = _varint(message, position)
        wire = key & 7
        if wire == 2:
            size, position = _varint(message, position)
            found[key >> 3].append(message[position : position + size])
            position += size
        elif wire == 0:
            _, position = _varint(message, position)
        else:
            position += {1: 8, 5: 4}[wire]
    return found


def _varint(message: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if not byte & 0x80:
            return value, position


def _last(found: Fields, number: int) -> bytes:
    return found[number][-1] if number in found else b""


def _text(found: Fields, number: int) -> str:
    return _last(found, number).decode()


def _map(found: Fields, number: int) -> dict[str, bytes]:
    entries = [fields(entry) for entry in found.get(number, [])]
    return {_text(entry, 1): _last(entry, 2) for entry in entries}
