"""A template's source, as far as one can read it without rendering: comments, documents, defines.

Templates may be of strangers, so that everything here takes time in proportion to their length.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate

from msgspec import Struct

from watchbill.patterns import regex

_COMMENT = regex(r"\{\{-?\s*/\*")
_DEFINE = regex(r"\{\{-?\s*define\s")
_PRINTS_NOTHING = regex(
    r"\{\{-?\s*(?:(?:if|else|end|range|with|define|block|break|continue)\b|\$\w*\s*(?:,\s*\$\w+\s*)?:?=)"
)


class _Action(Struct, frozen=True):
    """What stands in double braces."""

    start: int
    end: int
    text: str
    is_comment: bool


class TemplateSource:
    def __init__(self, text: str) -> None:
        self._text = text.removesuffix("\n")
        self._actions = list(_actions(self._text))
        self._starts = [0, *accumulate(len(line) + 1 for line in self._text.split("\n"))]

    @property
    def lines(self) -> range:
        """All of them, from one."""
        return range(1, len(self._starts))

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    @property
    def comments(self) -> Iterator[tuple[int, str]]:
        """Those of the template: offset and text."""
        for action in self._actions:
            if action.is_comment:
                begin = action.text.index("/*") + 2
                yield action.start + begin, action.text[begin : action.text.index("*/", begin)]

    @cached_property
    def without_comments(self) -> str:
        """Blanks in their place: everything else stands where it stood."""
        return self._without([action for action in self._actions if action.is_comment])

    def part(self, line: int) -> range:
        """The lines of the document or define that a line belongs to."""
        return self._parts[bisect_right(self._parts, line, key=lambda part: part.start) - 1]

    @cached_property
    def _parts(self) -> list[range]:
        """One without content belongs to the next."""
        content = self._content()
        starts = sorted({0, *self._separators(), *self._defines()})
        parts: list[range] = []
        begin = 0
        for start, stop in zip(starts, [*starts[1:], len(content)], strict=True):
            if any(content[start:stop]) or stop == len(content):
                parts.append(range(begin + 1, stop + 1))
                begin = stop
        return parts

    def _content(self) -> list[bool]:
        """Of each line: whether it gives more than comments and separators."""
        silent = [
            action for action in self._actions if action.is_comment or _PRINTS_NOTHING.match(action.text)
        ]
        lines = (line.strip().removeprefix("---").lstrip() for line in self._without(silent).split("\n"))
        return [line != "" and not line.startswith("#") for line in lines]

    def _separators(self) -> Iterator[int]:
        """Also behind an action: `{{ if .more }}---{{ end }}`."""
        written, printed = self._text.split("\n"), self._without(self._actions).split("\n")
        for at, (before, after) in enumerate(zip(written, printed, strict=True)):
            if before.startswith(("---", "{{")) and after.lstrip().startswith("---"):
                yield at

    def _defines(self) -> Iterator[int]:
        """Where each begins: with the comment above it."""
        lines = self.without_comments.split("\n")
        for action in self._actions:
            if not _DEFINE.match(action.text):
                continue
            at = self.line(action.start) - 1
            while at > 0 and (not lines[at - 1].strip() or lines[at - 1].lstrip().startswith("#")):
                at -= 1
            yield at

    def _without(self, actions: list[_Action]) -> str:
        """Blanks in their place."""
        kept, at = list[str](), 0
        for action in actions:
            kept += (self._text[at : action.start], re.sub(r"[^\n]", " ", action.text))
            at = action.end
        return "".join((*kept, self._text[at:]))


def _actions(text: str) -> Iterator[_Action]:
    at = 0
    while (start := text.find("{{", at)) >= 0:
        comment = _COMMENT.match(text, start)
        closing = text.find("*/", comment.end()) if comment else start
        end = text.find("}}", closing) if closing >= 0 else -1
        if end < 0:  # never closed: no template, and rendering will say so
            return
        at = end + 2
        yield _Action(start, at, text[start:at], comment is not None)
