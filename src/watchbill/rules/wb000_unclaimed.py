"""WB000: something goes wrong that no rule explains yet; its trace is shown all the same."""

from watchbill.lifecycle.objects import Key
from watchbill.rules.mends import without
from watchbill.rules.rule import Claim, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

NOBODY = Key("", "", "", "")


def claim(sighting: Sighting) -> Claim:
    key = sighting.key or NOBODY
    about = f"{named(key)}: " if sighting.key else ""
    return Claim(
        subject=key,
        title=f"{sighting.operation}: {about}{_first_line(sighting.what)}",
        because=f"this must hold and does not: {sighting.broke.value}",
        fix="no rule explains this yet: please report it, with the chart if you can",
        mends=(without(key),),
        cause=sighting.broke.name,
    )


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


RULE = Rule("WB000", "unclaimed", "something goes wrong that no rule explains yet")
