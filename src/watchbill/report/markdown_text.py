"""Text of strangers in Markdown: it reads as written and means nothing to GitHub or GitLab."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from typing import TypeVar

from watchbill.patterns import regex
from watchbill.report.terminal import printable

T = TypeVar("T")
_SPECIAL = regex(r"[\\`*_\[\]<>&|~]")
_ONLY_FIRST = regex(r"^(?=[#+=-])|^(\d+)(?=[.)])")  # a heading, a list: only where they begin a text
# Mentions, references and formulas are looked for in what is already rendered: an escape does not stop them.
_AFTER_RENDERING = str.maketrans({"@": "@<!-- -->", "#": "#<!-- -->", "$": "<span>$</span>"})
_PLAIN = regex(r"[\w ./:@=,;\"'()+$#*<>&~\[\]{}-]+")
_NO_LETTER = regex(r"[^\w ]|_")


def escaped(text: str) -> str:
    """In a paragraph, a list or a table's cell."""
    harmless = _SPECIAL.sub(_backslash, printable(text))
    return _ONLY_FIRST.sub(r"\1\\", harmless).translate(_AFTER_RENDERING)


def code(text: str) -> str:
    """As code, also in a table's cell. What cannot stand between backquotes everywhere does as HTML."""
    text = printable(text).strip()
    if not text:
        return ""
    if _PLAIN.fullmatch(text):
        return f"`{text}`"
    return f"<code>{_NO_LETTER.sub(_entity, text)}</code>"


def in_html(text: str) -> str:
    """Inside of HTML, where Markdown is not read."""
    return escape(printable(text), quote=False).translate(_AFTER_RENDERING)


def block(lines: Sequence[str], language: str = "") -> Iterator[str]:
    """Lines as they are, between fences longer than any in them."""
    lines = [printable(line) for line in lines]
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{language}"
    yield from lines
    yield fence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Cells are Markdown already."""
    yield row(head)
    yield row(["---"] * len(head))
    yield from map(row, rows)


def row(cells: Sequence[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cells)} |"


def within(
    shown: Callable[[T], Iterable[str]], things: Sequence[T], room: int, command: str
) -> Iterator[str]:
    """As many as there is room for. The first are the worst: those are shown."""
    for number, thing in enumerate(things):
        lines = list(shown(thing))
        room -= sum(len(line) + 1 for line in lines)
        if room < 0:
            yield from ("", f"and {len(things) - number} more: `{command}` shows all", "")
            return
        yield from lines


def _backslash(found: re.Match[str]) -> str:
    return f"\\{found[0]}"


def _entity(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"
