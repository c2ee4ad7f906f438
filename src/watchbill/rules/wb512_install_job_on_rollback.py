"""WB512: a plain Job that only installs render runs again when the release is rolled back to its first revision."""

from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.reruns import INSTALL_ONLY
from watchbill.rules.mends import as_hook, without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.ONCE or sighting.what != INSTALL_ONLY:
        return None
    return Claim(
        subject=key,
        title=f"a rollback to the first revision runs {named(key)} again",
        because="only installs render this plain Job: an upgrade deletes it, and a rollback to the install creates it again",
        fix="make it a hook (post-install,post-upgrade) that sees whether its work is done: no rollback runs it",
        mends=(as_hook(key, events=("post-install",)), without(key)),
        severity=Severity.NOTE,
    )


RULE = Rule(
    "WB512",
    "install-job-on-rollback",
    "a plain Job that only installs render runs again at a rollback to the first revision",
    claim=_claim,
)
