"""Writes what docs/rules.md says of each rule: the table of all rules, and where their pages are.

python -m dev.rules
"""

from pathlib import Path

from watchbill.rules import wb000_unclaimed
from watchbill.rules.registry import RULES
from watchbill.rules.rule import Rule

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/rules.md"
RULE_PAGES = ROOT / "src/watchbill/rules"
LISTED = sorted([*RULES, wb000_unclaimed.RULE], key=lambda rule: rule.id)


def page_of(rule: Rule) -> Path:
    """Beside its module."""
    return RULE_PAGES / f"{rule.id.lower()}_{rule.name.replace('-', '_')}.md"


def table() -> str:
    rows = [f"| [{rule.id}] | {rule.name} | {_cell(rule.summary)} |" for rule in LISTED]
    return "\n".join(["| rule | name | what it is about |", "|---|---|---|", *rows])


def links() -> str:
    return "\n".join(f"[{rule.id}]: ../{page_of(rule).relative_to(ROOT)}" for rule in LISTED)


def renewed(text: str) -> str:
    return _between("pages", links(), _between("rules", table(), text))


def _between(mark: str, part: str, text: str) -> str:
    before, opening, rest = text.partition(f"<!-- {mark} -->\n")
    _, closing, after = rest.partition("<!-- end -->\n")
    assert opening, f"{PAGE.name} has no <!-- {mark} -->"
    assert closing, f"{PAGE.name} has no <!-- end --> after <!-- {mark} -->"
    return f"{before}{opening}{part}\n{closing}{after}"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
