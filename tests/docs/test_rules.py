"""docs/rules.md is true: every rule and every reported defect is there, and pages show what was recorded."""

import re
from pathlib import Path

import pytest

from dev import rules
from dev.rules import LISTED, ROOT, page_of
from tests.support import txtar
from watchbill.report.page import sections
from watchbill.rules.registry import RULES
from watchbill.rules.rule import Rule

TAPES = ROOT / "tests/tapes/rules"
DEFECTS = range(1, 66)
# No chart does these and none prevents them; or only Argo CD and Flux show them, which check does not play.
NOBODYS_FAULT = {37, 47, 58, 63}
LATER = {5, 6, 21, 22, 23, 25, 36, 38, 39, 50, 51, 59, 60, 61, 62}

SECTIONS = ["What happens", "Why", "Reported in", "Example", "Fixed", "Live with it today", "Options"]
_ROW = re.compile(r"^\| (?P<number>\d+) \| (?P<seen>.+) \| (?P<rule>.+) \|$", re.MULTILINE)
_ID = re.compile(r"\[(WB\d{3})\]")
_BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()[^)\s]+|(?<=^\[WB...\]: )\S+", re.MULTILINE)


def catalogue() -> list[tuple[int, str]]:
    """Numbers of reported defects with what is said of each: its rules, or the reason why there is none."""
    return [(int(row["number"]), row["rule"]) for row in _ROW.finditer(rules.PAGE.read_text())]


def section(rule: Rule, title: str) -> str:
    return next(part.text for part in sections(page_of(rule).read_text()) if part.title == title)


def test_every_rule_is_in_the_table_with_its_summary() -> None:
    text = rules.PAGE.read_text()
    assert rules.renewed(text) == text, "run: python -m dev.rules"


def test_every_reported_defect_is_there_once() -> None:
    assert [number for number, _ in catalogue()] == list(DEFECTS)


def test_the_rules_of_a_defect_are_those_that_say_so() -> None:
    claimed = {number: {rule.id for rule in RULES if number in rule.rows} for number in DEFECTS}
    assert {number: set(_ID.findall(said)) for number, said in catalogue()} == claimed
    assert {number for rule in RULES for number in rule.rows} <= set(DEFECTS)


def test_a_reason_stands_only_where_there_cannot_be_a_rule() -> None:
    reasons = {number: said for number, said in catalogue() if not _ID.search(said)}
    assert reasons.keys() <= NOBODYS_FAULT | LATER
    assert {number for number, said in reasons.items() if said == "not yet: needs Argo CD support"} <= LATER


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
class TestThePageOfARule:
    def test_has_all_sections_in_their_order(self, rule: Rule) -> None:
        page = page_of(rule).read_text()
        assert page.startswith(f"# {rule.id} {rule.name}\n")
        assert [part.title for part in sections(page)] == SECTIONS

    def test_names_the_reports_it_comes_from(self, rule: Rule) -> None:
        reports = re.findall(
            r"https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+", section(rule, "Reported in")
        )
        assert reports or not rule.rows

    @pytest.mark.parametrize(("title", "which"), [("Example", "bad"), ("Fixed", "good")])
    def test_shows_what_was_recorded(self, rule: Rule, title: str, which: str) -> None:
        files = txtar.read(TAPES / f"{rule.id.lower()}-{which}.txtar").files
        recorded = [b"\n" + content for name, content in files.items() if name.startswith("v")]
        shown = _BLOCK.findall(section(rule, title))
        assert shown
        for block in shown:
            assert any(f"\n{block}".encode() in file for file in recorded), f"is not in the tape:\n{block}"


@pytest.mark.parametrize("page", [rules.PAGE, *map(page_of, LISTED)], ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    files = [link.partition("#")[0] for link in _LINK.findall(page.read_text()) if "://" not in link]
    assert [link for link in files if link and not (page.parent / link).exists()] == []


def test_no_page_is_left_of_a_rule_that_is_gone() -> None:
    assert set(rules.RULE_PAGES.glob("wb*.md")) == set(map(page_of, LISTED))
