"""The table of reports: whoever says that one cannot be explained says why, and rules exist."""

from dev.tapes import reported
from watchbill.rules.registry import RULES


def test_every_entry_gives_a_reason() -> None:
    assert all(report.why for report in reported.read().values())


def test_named_rules_exist_and_are_looked_for_in_a_check_that_is_made() -> None:
    known = {rule.id for rule in RULES}
    for report in reported.read().values():
        assert known.issuperset(report.rules), report.pair
        assert report.check in ("upgrade", "new", "old"), report.pair
