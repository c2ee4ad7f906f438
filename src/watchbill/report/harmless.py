"""All that was found, with every text of strangers fit to be printed."""

from typing import Any, TypeVar

import msgspec

from watchbill.report.terminal import LONGEST_LINE, LONGEST_WORD, printable, shortened

T = TypeVar("T", bound=msgspec.Struct)

_HAVE_LINES = frozenset({"error", "fix", "override", "then", "what", "where"})


def harmless(found: T) -> T:
    return msgspec.convert(_harmless(msgspec.to_builtins(found)), type(found))


def _harmless(thing: Any, field: str = "") -> Any:
    match thing:
        case str() if field in _HAVE_LINES:
            return "\n".join(_line(line.expandtabs(2).rstrip()) for line in thing.split("\n"))
        case str():
            return _line(thing)
        case list() | tuple():
            return [_harmless(item, field) for item in thing]
        case dict():
            return {key: _harmless(value, key) for key, value in thing.items()}
        case _:
            return thing


def _line(text: str) -> str:
    if len(text) > LONGEST_WORD:
        text = shortened(text, LONGEST_LINE)
        words = text.split(" ")
        text = " ".join(shortened(word, LONGEST_WORD) if len(word) > LONGEST_WORD else word for word in words)
    return printable(text)
