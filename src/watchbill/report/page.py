"""A page of the documentation in a terminal: Markdown as far as our pages use it."""

import re
from collections.abc import Iterator

from msgspec import Struct

from watchbill.patterns import regex
from watchbill.report.styles import style
from watchbill.report.table import table
from watchbill.report.terminal import wrapped

_HEADING = regex(r"(?P<level>#+) +(?P<text>.*)")
_ITEM = regex(r"(?P<indent> *)(?P<mark>[-*]|\d+\.) +(?P<text>.*)")
_ROW = regex(r"\|(?P<cells>.*)\|\s*")
_RULE = regex(r"\|[\s:|-]+\|\s*")
_LINK = regex(r"\[(?P<text>[^\]]+)\]\((?P<url>[^)\s]+)\)")
_STRONG = regex(r"\*\*(?P<text>[^*]+)\*\*")
_CODE_INDENT = "    "


class Section(Struct, frozen=True):
    title: str
    text: str


def sections(page: str) -> tuple[Section, ...]:
    """What stands under each `## ` heading, as it is written."""
    _, *parts = re.split(r"^## +", page, flags=re.MULTILINE)
    return tuple(
        Section(title.strip(), text.strip()) for title, _, text in (p.partition("\n") for p in parts)
    )


def in_terminal(page: str, columns: int) -> Iterator[str]:
    """Its lines: headings bold, code indented, paragraphs wrapped, links with their address."""
    lines = page.strip().split("\n")
    while lines:
        line = lines.pop(0)
        if line.startswith("```"):
            while lines and not lines[0].startswith("```"):
                yield (_CODE_INDENT + lines.pop(0)).rstrip()
            del lines[:1]
        elif line.startswith(_CODE_INDENT):
            yield line.rstrip()
        elif heading := _HEADING.fullmatch(line):
            yield style(_plain(heading["text"]), bold=True)
        elif _ROW.fullmatch(line):
            rows = [line, *_taken(lines, _ROW)]
            yield from table([_cells(row) for row in rows if not _RULE.fullmatch(row)], columns=columns)
        elif item := _ITEM.fullmatch(line):
            first = f"{item['indent']}{item['mark']} "
            yield from wrapped(_flowing(item["text"], lines), columns, first=first, then=" " * len(first))
        elif line.strip():
            yield from wrapped(_flowing(line, lines), columns)
        else:
            yield ""


def _flowing(first: str, lines: list[str]) -> str:
    """A paragraph or an item goes on until something else begins."""
    words = [first.strip()]
    while lines and lines[0].strip() and not _begins(lines[0]):
        words.append(lines.pop(0).strip())
    return _plain(" ".join(words))


def _begins(line: str) -> bool:
    return line.startswith("```") or any(pattern.fullmatch(line) for pattern in (_HEADING, _ITEM, _ROW))


def _taken(lines: list[str], pattern: re.Pattern[str]) -> Iterator[str]:
    while lines and pattern.fullmatch(lines[0]):
        yield lines.pop(0)


def _cells(row: str) -> list[str]:
    found = _ROW.fullmatch(row)
    assert found is not None
    return [_plain(cell.strip()) for cell in found["cells"].split("|")]


def _plain(text: str) -> str:
    text = _LINK.sub(lambda link: _address(link["text"], link["url"]), text)
    return _STRONG.sub(lambda strong: style(strong["text"], bold=True), text)


def _address(text: str, url: str) -> str:
    """Other pages of ours are found by what the link says: a rule's id."""
    if "://" not in url:
        return text
    return url if text in url else f"{text} ({url})"
