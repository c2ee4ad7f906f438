"""Every rule, in the order in which they may claim a violation: the more particular ones first."""

from watchbill.rules import wb101_immutable_job, wb102_forced_upgrade, wb103_immutable_field
from watchbill.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    wb101_immutable_job.RULE,
    wb103_immutable_field.RULE,
    wb102_forced_upgrade.RULE,
)
