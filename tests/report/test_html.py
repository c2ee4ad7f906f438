"""HTML: text of strangers stays text, and the page needs nothing from elsewhere."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from tests.report.golden import OPTIONS, names, read
from tests.report.samples import HUGE, PLAIN, monster, run_of
from watchbill.checking.result import GIVEN, Row, Trace
from watchbill.report import html
from watchbill.report.html_text import Markup, element
from watchbill.report.options import ReportOptions
from watchbill.report.rule_pages import read_page
from watchbill.rules.registry import RULES

ATTACK = "</style></title></pre><script>alert(1)</script><img src=x onerror=alert(1)>\"' onload='x"
# What may stand in a page: no element that loads or runs anything.
TAGS = set(
    "html head meta title style body main footer h1 h2 h3 p ul ol li div span section article code pre strong "
    "a br details summary table thead tbody tr th td".split()
)
ATTRIBUTES = {
    "charset",
    "class",
    "content",
    "href",
    "http-equiv",
    "id",
    "lang",
    "name",
    "scope",
    "tabindex",
    "value",
}


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags, self.attributes, self.links, self.ids = set[str](), set[str](), set[str](), set[str]()
        self.texts = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value or "" for name, value in attrs if name == "href"}
        self.ids |= {value or "" for name, value in attrs if name == "id"}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def parsed(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


@pytest.mark.parametrize(
    "finding", [monster(ATTACK), monster(HUGE), replace(PLAIN, rule=ATTACK, name=ATTACK)]
)
def test_text_of_strangers_is_no_markup(finding: object) -> None:
    page = parsed(html.report(run_of(finding, path=ATTACK), OPTIONS))  # type: ignore[arg-type]
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES


def test_it_is_shown_as_it_is() -> None:
    page = parsed(html.report(run_of(replace(PLAIN, title=ATTACK)), OPTIONS))
    assert any(ATTACK in text for text in page.texts)


@pytest.mark.parametrize("name", names())
def test_every_link_leads_to_a_place_in_the_page(name: str) -> None:
    page = parsed(html.report(read(name), OPTIONS))
    assert {link.removeprefix("#") for link in page.links} <= page.ids


def test_the_policy_allows_this_style_sheet_and_nothing_else() -> None:
    text = html.report(run_of(PLAIN), OPTIONS)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src &#x27;none&#x27;; style-src &#x27;sha256-{digest}&#x27;" in text
    assert "url(" not in style
    assert "@import" not in style


def test_the_pages_of_the_rules_come_along() -> None:
    text = html.report(run_of(PLAIN), ReportOptions(rules=RULES, page_of=read_page))
    assert "Live with it today" in text


def test_an_assumption_of_a_trace_is_no_step() -> None:
    rows = (Row(f"{GIVEN}every Job fails", works=None), Row("install", works=False))
    text = html.report(run_of(replace(PLAIN, trace=Trace("helm@4.3.1", rows, ()))), OPTIONS)
    assert '<li class="given">given: every Job fails</li><li><strong>install</strong>' in text


def test_only_markup_is_not_escaped() -> None:
    assert element("p", "<b>", Markup("<i>x</i>"), class_='"') == '<p class="&quot;">&lt;b&gt;<i>x</i></p>'
