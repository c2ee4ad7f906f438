"""Why the API server refuses an object: one field and the server's words for it (apimachinery's field.Error).

A value that is no scalar (null is none either: it stands for an empty one; nor is text that looks like a
dump) is written as `…`, whatever the server would print of it.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.json import encode

NEGATIVE = "must be greater than or equal to 0"
NOT_POSITIVE = "must be greater than zero"
ELIDED = "…"


class Cause(Struct, frozen=True):
    path: str
    words: str

    def __str__(self) -> str:
        return f"{self.path}: {self.words}"


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, str) and not value.startswith("{"):
        return encode(value).decode()
    return ELIDED


def _with(words: str, detail: str) -> str:
    return f"{words}: {detail}" if detail else words


def invalid(path: str, value: Any, detail: str) -> Cause:
    return Cause(path, _with(f"Invalid value: {shown(value)}", detail))


def invalid_unshown(path: str, detail: str) -> Cause:
    """Where the server does not print the value."""
    return Cause(path, _with("Invalid value", detail))


def required(path: str, detail: str = "") -> Cause:
    return Cause(path, _with("Required value", detail))


def duplicate(path: str, value: Any) -> Cause:
    return Cause(path, f"Duplicate value: {shown(value)}")


def not_found(path: str, value: Any, detail: str = "") -> Cause:
    return Cause(path, _with(f"Not found: {shown(value)}", detail))


def forbidden(path: str, detail: str) -> Cause:
    return Cause(path, _with("Forbidden", detail))


def not_supported(path: str, value: Any, supported: Iterable[str]) -> Cause:
    values = ", ".join(encode(one).decode() for one in supported)
    return Cause(path, _with(f"Unsupported value: {shown(value)}", f"supported values: {values}"))


def too_long(path: str, limit: int) -> Cause:
    return Cause(path, f"Too long: may not be more than {limit} byte{'s' if limit != 1 else ''}")


def too_many(path: str, count: int, limit: int) -> Cause:
    return Cause(path, f"Too many: {count}: must have at most {limit} item{'s' if limit != 1 else ''}")


def immutable(path: str, value: Any) -> Cause:
    return invalid(path, value, "field is immutable")
