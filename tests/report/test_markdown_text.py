"""Held to markdown-it: what stood in the chart stands on the page, and nothing else."""

import re
from html import unescape

import pytest
from markdown_it import MarkdownIt

from watchbill.report.markdown_text import block, code, escaped, table

HOSTILE = [
    "plain words",
    "a | b || c",
    "*bold* _em_ ~~gone~~ `code` ``two`` ``` three",
    "[link](https://example.org) ![image](x)",
    "<script>alert(1)</script> &amp; <!-- no -->",
    "# heading",
    "- item",
    "+ item",
    "1. first",
    "2) second",
    "=====",
    "back\\slash \\| \\\\| end\\",
    "]]> --> '''",
    "$x^2$ and `$`",
    "unicode é 数据 😀",
    "trailing space ",
    "`",
    "|",
]
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def shown(markdown: str) -> str:
    """What a reader sees of one paragraph."""
    html = READER.render(markdown)
    assert re.fullmatch(r"(?s)<p>.*</p>\n", html), html
    return unescape(re.sub(r"<!-- -->|</?(p|span|code)>", "", html)).rstrip("\n")


@pytest.mark.parametrize("text", HOSTILE)
def test_text_reads_as_written(text: str) -> None:
    assert shown(escaped(text)) == text.strip()


@pytest.mark.parametrize("text", HOSTILE)
def test_code_reads_as_written(text: str) -> None:
    markdown = code(text)
    assert shown(markdown) == text.strip()
    assert "<code>" in READER.render(markdown)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("how", [escaped, code])
def test_a_cell_stays_one_cell(text: str, how: type[str]) -> None:
    html = READER.render("\n".join(table(["head", "next"], [[how(text), "x"]])))
    cells = re.findall("(?s)<td>(.*?)</td>", html)
    assert [unescape(re.sub(r"<!-- -->|</?(span|code)>", "", cell)) for cell in cells] == [text.strip(), "x"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_block_holds_every_text(text: str) -> None:
    html = READER.render("\n".join(block([text, "end"])))
    assert unescape(re.sub("</?(pre|code)>", "", html)) == f"{text}\nend\n\n"


def test_nobody_is_called() -> None:
    assert "@someone" not in escaped("ask @someone, see #12")
    assert "#12" not in escaped("ask @someone, see #12")


def test_plain_code_is_readable_in_the_source() -> None:
    assert code("templates/job.yaml:4") == "`templates/job.yaml:4`"
