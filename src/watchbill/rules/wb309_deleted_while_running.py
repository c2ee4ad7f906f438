"""WB309: the next upgrade deletes a plain Job that still runs."""

from watchbill.lifecycle.properties import Property
from watchbill.rules.mends import as_hook, without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if sighting.broke not in (Property.FINISHES, Property.ALONE) or key is None or key.kind != "Job":
        return None
    if not sighting.what.startswith("deleted while it ran") or not sighting.is_plain(key):
        return None
    # Whoever uninstalls wants it to end.
    if sighting.move.verb in ("uninstall", "delete"):
        return None
    again = sighting.broke is Property.ALONE
    also = " and starts another" if again else ""
    return Claim(
        subject=key,
        title=f"{sighting.operation} deletes {named(key)} while it runs{also}",
        because="nothing makes an upgrade wait for it",
        fix="make it a hook, which Helm waits for; or make sure that it can be stopped at any moment",
        mends=(as_hook(key), without(key)),
        severity=Severity.NOTE,
    )


RULE = Rule("WB309", "deleted-while-running", "an upgrade deletes a Job that still runs", claim=_claim)
