"""WB405: a hook object that running pods use is deleted under them, upgrade by upgrade."""

from watchbill.lifecycle.properties import Property
from watchbill.rules.mends import as_plain, without
from watchbill.rules.policies import EVENTS
from watchbill.rules.rule import Claim, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.users import users
from watchbill.rules.words import named, short


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.SPARES:
        return None
    hook = sighting.hook(key)
    using = users(sighting, key)
    if hook is None or not using:
        return None
    recreated = key in sighting.last.world.objects
    # A pod keeps the ConfigMap or Secret it has read; a token dies with its account.
    severity = Severity.ERROR if key.kind == "ServiceAccount" or not recreated else Severity.WARNING
    if all(sighting.hook(user) is not None for user in using):
        severity = Severity.NOTE  # they are there only because they are hooks themselves: WB407
    again = " and creates it again" if recreated else ""
    return Claim(
        subject=key,
        title=f"{sighting.operation} deletes {named(key)}{again}; running pods need it",
        because=f"a hook of {','.join(hook.events)}; {short(using[0])} uses it",
        fix="make it plain, and give the hook an object of its own under another name",
        mends=(as_plain(key), without(key)),
        path=EVENTS,
        related=tuple(Pointer(user, (), f"{short(user)} uses it") for user in using),
        severity=severity,
    )


RULE = Rule(
    "WB405",
    "hook-object-in-use",
    "a hook object that running pods need is deleted",
    (26,),
    _claim,
    joins_objects=True,
)
