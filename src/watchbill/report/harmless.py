"""All that was found, with every text of strangers fit to be printed."""

from typing import Any, TypeVar, cast

import msgspec
from msgspec.structs import replace

from watchbill.report.terminal import LONGEST_LINE, LONGEST_WORD, printable, shortened

T = TypeVar("T", bound=msgspec.Struct)

_HAVE_LINES = frozenset({"error", "fix", "override", "then", "what", "where"})


def harmless(found: T) -> T:
    return cast(T, _harmless(found))


def _harmless(thing: Any, field: str = "") -> Any:
    match thing:
        case str() if field in _HAVE_LINES:
            return "\n".join(_line(line.expandtabs(2).rstrip()) for line in thing.split("\n"))
        case str():
            return _line(thing)
        case tuple():
            return tuple([_harmless(item, field) for item in thing])
        case list():
            return [_harmless(item, field) for item in thing]
        case dict():
            return {key: _harmless(value, key) for key, value in thing.items()}
        case msgspec.Struct():
            return replace(
                thing, **{name: _harmless(getattr(thing, name), name) for name in thing.__struct_fields__}
            )
        case _:
            return thing


def _line(text: str) -> str:
    if len(text) > LONGEST_WORD:
        text = shortened(text, LONGEST_LINE)
        words = text.split(" ")
        text = " ".join(shortened(word, LONGEST_WORD) if len(word) > LONGEST_WORD else word for word in words)
    return printable(text)
