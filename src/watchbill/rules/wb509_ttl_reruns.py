"""WB509: the TTL of a plain Job deletes it, and the next upgrade runs it again although nothing changed."""

from watchbill.lifecycle.objects import at
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.reruns import EXPIRED
from watchbill.rules.mends import as_hook, with_spec, without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

PATH = ("spec", "ttlSecondsAfterFinished")


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.ONCE or sighting.what != EXPIRED:
        return None
    manifest = sighting.manifest(key)
    ttl = at(manifest.body.object, *PATH) if manifest is not None else None
    return Claim(
        subject=key,
        title=f"an upgrade later than {ttl} s after its end runs {named(key)} again",
        because=f"ttlSecondsAfterFinished: {ttl} deletes the Job, and Helm creates a plain object that is missing",
        fix="remove ttlSecondsAfterFinished: uninstall deletes a plain Job; or make it a hook",
        mends=(with_spec(key, ttlSecondsAfterFinished=None), as_hook(key), without(key)),
        path=PATH,
        severity=Severity.NOTE,
    )


RULE = Rule(
    "WB509",
    "ttl-reruns",
    "a plain Job with a TTL runs again at a later upgrade, although nothing changed",
    claim=_claim,
)
