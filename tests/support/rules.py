"""A few rules, as settings know them: tests of settings need no others."""

from typing import NamedTuple

from watchbill.checking.settings.rule_names import RuleNames


class Rule(NamedTuple):
    id: str
    name: str


RULES = RuleNames(
    [Rule("WB101", "immutable-job"), Rule("WB301", "failed-logs-deleted"), Rule("WB304", "left-behind")]
)
