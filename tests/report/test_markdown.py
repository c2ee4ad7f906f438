"""A comment on a pull request: within GitHub's limit, and only our own markup in it."""

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from tests.report.golden import OPTIONS, names, read
from tests.report.samples import HUGE, WORDS, crowd, monster, run_of
from watchbill.checking.result import Run
from watchbill.report import markdown

LIMIT = 65_536
READER = MarkdownIt("commonmark").enable("table")
OURS = {
    *("h3", "table", "thead", "tbody", "tr", "th", "td", "strong", "code", "br", "span"),
    *("details", "summary", "p", "ul", "li", "pre"),
}


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not attrs or (tag, attrs) == ("code", [("class", "language-yaml")]), (tag, attrs)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", names())
def test_it_is_made_of_our_own_markup(name: str) -> None:
    tags = Tags()
    tags.feed(READER.render(markdown.report(read(name), OPTIONS)))
    assert tags.seen <= OURS
    assert not tags.open


@pytest.mark.parametrize("name", names())
def test_every_table_has_its_rows(name: str) -> None:
    run = read(name)
    html = READER.render(markdown.report(run, OPTIONS))
    rows = re.findall(r"<tr>\n<td><strong>(?:error|warning|note)</strong></td>", html)
    assert len(rows) == len(run.findings)
    for row in re.findall(r"<tr>\n(.*?)</tr>", html, re.DOTALL):
        assert len(re.findall("<t[hd]>", row)) in (4, 5)


@pytest.mark.parametrize(
    "run", [crowd(3000), run_of(monster(HUGE)), run_of(*[monster(WORDS)] * 3)], ids=["crowd", "huge", "words"]
)
def test_it_fits_into_a_comment(run: Run) -> None:
    written = markdown.report(run, OPTIONS)
    assert len(written) < LIMIT
    tags = Tags()
    tags.feed(READER.render(written))
    assert not tags.open


def test_it_says_how_many_it_leaves_out() -> None:
    assert re.search(
        r"^and \d+ more: `watchbill check` shows all$", markdown.report(crowd(3000), OPTIONS), re.MULTILINE
    )


def test_a_script_finds_its_comment_again() -> None:
    assert all(markdown.report(read(name), OPTIONS).startswith(f"{markdown.MARK}\n") for name in names())
