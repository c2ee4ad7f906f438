"""WB402: an object that becomes a hook of the install is deleted by the upgrade, and nothing brings it back."""

from watchbill.lifecycle.properties import Property
from watchbill.rules.mends import as_plain, without
from watchbill.rules.policies import AGAIN, EVENTS
from watchbill.rules.rule import Claim, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.wb411_workload_waits import lacked
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    key = lacked(sighting) or sighting.key
    if key is None or sighting.broke not in (Property.KEEPS, Property.SPARES, Property.STARTS):
        return None
    hook = sighting.hook(key)
    was_plain = any(one.key == key for one in sighting.version(0).manifests)
    if hook is None or not AGAIN.isdisjoint(hook.events) or not was_plain:
        return None
    events = ",".join(hook.events)
    return Claim(
        subject=key,
        title=f"{sighting.operation} deletes {named(key)}, and nothing creates it again",
        because=f"plain in the version before; now a hook of {events}, which no upgrade runs",
        fix="leave it plain, or name an upgrade event too (then see WB401)",
        mends=(as_plain(key), without(key)),
        path=EVENTS,
    )


RULE = Rule(
    "WB402",
    "plain-to-install-hook",
    "an object that becomes an install hook is lost on upgrade",
    (12,),
    _claim,
    covers=("WB404", "WB405", "WB411"),
)
