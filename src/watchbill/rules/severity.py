"""How bad it is: what needs a flag, a fault or an older tool is less bad than what happens to everybody.

error: an operation without special flags fails, hangs, cannot be tried again, or deletes what running pods need.
warning: it needs a circumstance. note: it needs a flag that the user does not use.
"""

from collections.abc import Collection

from watchbill.lifecycle.helm.traits import KNOWN
from watchbill.lifecycle.lab import Tool
from watchbill.lifecycle.properties import Property
from watchbill.rules.rule import Claim, Severity
from watchbill.rules.sighting import Sighting

# That a migration fails is what must be reckoned with: not to get on afterwards is as bad as to fail.
MUST_HOLD_AFTER_A_FAILURE = (Property.RETRIES, Property.RETURNS)
# Whoever declares something means it whatever happens.
DECLARED = (Property.KEEPS_ITS_WORD, Property.ALONE_AS_SAID)
# What a flag does besides, and what it is called in the other major version.
IMPLIED = {
    "--atomic": ("--wait", "--rollback-on-failure"),
    "--rollback-on-failure": ("--wait", "--atomic"),
    "--force": ("--force-replace", "--server-side"),
    "--force-replace": ("--force", "--server-side"),
}


def weigh(claim: Claim, sighting: Sighting | None, in_use: Collection[str]) -> Severity:
    """`in_use`: flags that the user says to use."""
    worst = claim.severity
    flags = claim.flags if sighting is None else sighting.flags
    if not flags <= _with_what_they_imply(in_use):
        return min(worst, Severity.NOTE)
    if flags:
        return min(worst, Severity.WARNING)
    if sighting is None or sighting.broke in DECLARED:
        return worst
    if not _newest(sighting.lab.tool):
        return min(worst, Severity.WARNING)
    if sighting.faults and not (sighting.faults <= {"fail"} and sighting.broke in MUST_HOLD_AFTER_A_FAILURE):
        return min(worst, Severity.WARNING)
    return worst


def _with_what_they_imply(in_use: Collection[str]) -> frozenset[str]:
    return frozenset(in_use).union(*(IMPLIED.get(flag, ()) for flag in in_use))


def _newest(tool: Tool) -> bool:
    """The newest of its major version, which is what one may ask people to use."""
    if tool.name != "helm":
        return True
    major = tool.version.partition(".")[0]
    return tool.version == next(known for known in KNOWN if known.partition(".")[0] == major)
