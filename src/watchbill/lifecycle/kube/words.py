"""Real texts of servers and tools, brought into the form in which the model writes them.

Dumps of values differ from version to version and say nothing that the path does not: each becomes `…`.
Scalars stay.
"""

from watchbill.lifecycle.kube.causes import ELIDED
from watchbill.patterns import regex

# What stands before a value in the server's messages.
_BEFORE = regex(
    r"(?:Invalid value|Unsupported value|Duplicate value|Not found|Too many|Too few): |expected [^\n,]+, got "
)
# How a dump begins: JSON, or a Go value with its type.
_OPENING = regex(
    r"[&*]*(?:\[\])*(?:map\[[\w.*]+\](?:\[\])*)?[&*]*(?:[A-Za-z_][\w./]*)?(?=[{])|map(?=\[)|(?=[\[{])"
)
_NOTHING = regex(r"null\b|<nil>|\(\*?[\w.\[\]*]+\)\((?:nil|0x[0-9a-f]+)\)")
_QUOTED_OBJECT = regex(r'"\{\\"(?:[^"\\]|\\.)*"')
_SCALAR = regex(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|' + ELIDED)
# Sentences that end with a listing of differences, one a line.
_DIFFERENCES = regex(
    r"((?:for bound claims|is immutable after creation|previously negative\))\n)"
    r"(?:[ @\u00a0\t+-][^\n]*\n?|\n)+"
)
_PAIRS = {"{": "}", "[": "]", "(": ")"}


def normalise(text: str) -> str:
    """Idempotent."""
    if "\n" in text:
        text = _DIFFERENCES.sub(lambda match: match[1] + ELIDED, text)
    parts: list[str] = []
    position = 0
    for match in _BEFORE.finditer(text):
        if match.start() < position:
            continue
        end = _dump(text, match.end())
        if end is not None:
            parts += [text[position : match.end()], ELIDED]
            position = end
    return "".join([*parts, text[position:]])


def _dump(text: str, start: int) -> int | None:
    """Where the dump ends that begins here; None where a scalar stands, or words."""
    if quoted := _QUOTED_OBJECT.match(text, start):
        return quoted.end()
    if _SCALAR.match(text, start):
        return None
    if nothing := _NOTHING.match(text, start):
        return nothing.end()
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    closing: list[str] = []
    position = opening.end()
    while position < len(text):
        letter = text[position]
        if letter == '"':
            string = _SCALAR.match(text, position)
            if string is None:
                return None
            position = string.end()
            continue
        if letter in _PAIRS:
            closing.append(_PAIRS[letter])
        elif closing and letter == closing[-1]:
            closing.pop()
            if not closing:
                return position + 1
        position += 1
    return None
