"""WB507: a plain Job failed; an upgrade that does not change it leaves it as it is."""

from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.reruns import STILL_FAILED
from watchbill.rules.mends import as_hook, without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.CATCHES_UP or sighting.what != STILL_FAILED:
        return None
    return Claim(
        subject=key,
        title=f"once {named(key)} has failed, an upgrade does not run it again",
        because="a plain Job that an upgrade does not change stays as it is, and the release counts as deployed",
        fix="make it a hook, which runs at every upgrade; or delete the failed Job before the next upgrade",
        mends=(as_hook(key), without(key)),
        severity=Severity.NOTE,
    )


RULE = Rule(
    "WB507",
    "failed-job-not-retried",
    "a plain Job that failed is not run again by an upgrade that does not change it",
    claim=_claim,
)
