"""Text of strangers on a terminal: harmless, and as wide as it looks."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from watchbill.patterns import regex
from watchbill.report.styles import unstyle

ESCAPE = "\x1b"
CUT = "…"  # our own, for what was left out
# Columns. A name in Kubernetes is not longer, a path not much; whatever is, nobody will read.
LONGEST_WORD, LONGEST_LINE = 253, 4_000
_CLAUSE = regex(r"(?<=[;:,.]) ")
# What begins a line like this, after blanks, GitHub's and Azure's runners obey: any word may come to begin one.
_COMMAND = regex(r"(?<!\S):(?=:[A-Za-z])|##(?=(?:vso)?\[)")


def printable(text: str) -> str:
    """Text of a chart must not reach a terminal or a CI's log as commands to it, nor break a table's rows."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return _COMMAND.sub(r"\g<0> ", text) if "::" in text or "##" in text else text


def width(text: str) -> int:
    """Columns on a terminal: characters of East Asian scripts take two, accents and our colours none."""
    if text.isascii():
        return len(unstyle(text)) if ESCAPE in text else len(text)
    plain = unstyle(text)
    special = [character for character in set(plain) if not character.isascii() and character != CUT]
    return len(plain) + sum(plain.count(character) * (_columns(character) - 1) for character in special)


@lru_cache(1 << 10)
def _columns(character: str) -> int:
    from unicodedata import category, east_asian_width

    if category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def shortened(text: str, columns: int) -> str:
    """Both ends tell names apart, so the middle goes. For text without colours."""
    if width(text) <= columns:
        return text
    head, tail = (columns - 1) // 2, columns // 2
    return f"{_fitting(text, head)}{CUT}{_fitting(text[::-1], tail)[::-1]}"


def abridged(text: str, columns: int) -> str:
    """Leave whole clauses out of a text that is too long. The last clause stays: it gives an error's reason.

    A first clause that is too long by itself ends after a whole word.
    """
    if width(text) <= columns:
        return text
    first, *others = _CLAUSE.split(text)
    last = others.pop() if others else ""
    kept = [first]
    while others and width(" ".join((*kept, others[0], _left_out(len(others)), last))) <= columns:
        kept.append(others.pop(0))
    shown = " ".join((*kept, _left_out(len(others)), last))
    if others and width(shown) <= columns:
        return shown
    return f"{_whole_words(text, columns - width(_THE_REST) - 1)} {_THE_REST}"


_THE_REST = "(the rest: -v)"


def _left_out(clauses: int) -> str:
    return f"({clauses} more: -v)"


def _whole_words(text: str, columns: int) -> str:
    """As many words from the start as fit, and at least one."""
    words = text.split(" ")
    shown = words[0]
    for word in words[1:]:
        if width(shown) + 1 + width(word) > columns:
            break
        shown = f"{shown} {word}"
    return shown


def wrapped(text: str, columns: int, *, first: str = "", then: str = "") -> Iterator[str]:
    """Lines of whole words, `first` before the first and `then` before the others.

    A word that is too long stands in a line of its own: half a name or path is of no use to who copies it.
    """
    line, empty = first, True
    for word in text.split(" "):
        if not empty and width(line) + 1 + width(word) > columns:
            yield line.rstrip()
            line, empty = then, True
        line = f"{line}{word}" if empty else f"{line} {word}"
        empty = False
    yield line.rstrip()


def fit(lines: Iterable[str], columns: int) -> Iterator[str]:
    """Wrap the lines that are too long, below their own indent. 0 columns leave all as they are."""
    for line in lines:
        if not columns or width(line) <= columns:
            yield line
            continue
        indent = " " * (len(line) - len(line.lstrip(" ")))
        yield from wrapped(line.lstrip(" "), columns, first=indent, then=f"{indent}    ")


def _fitting(text: str, columns: int) -> str:
    if text.isascii():
        return text[:columns]
    taken = 0
    for place, character in enumerate(text):
        taken += width(character)
        if taken > columns:
            return text[:place]
    return text
