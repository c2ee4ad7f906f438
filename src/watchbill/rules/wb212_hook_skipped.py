"""WB212: Helm 4 finds the Job of the last run, takes its success for that of the new one, and runs nothing."""

from watchbill.lifecycle.properties import Property
from watchbill.rules.mends import with_before, without
from watchbill.rules.policies import POLICY
from watchbill.rules.rule import Claim, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.wb201_hook_already_exists import because, fix, met
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    hook, key = met(sighting), sighting.key
    if hook is None or key is None or sighting.broke is not Property.RUNS:
        return None
    # After a failure, or a client that died, Helm 3 fails at the same object: that is told once, as WB201.
    if sighting.faults or not sighting.last.ok:
        return None
    return Claim(
        subject=key,
        title=f"{sighting.operation} works, but hook {named(key)} does not run: it did once",
        because=f"{because(hook)}; Helm 4 applies the Job to the one that is there, and that is complete",
        fix=fix(hook),
        mends=(with_before(key), without(key)),
        path=POLICY,
    )


RULE = Rule(
    "WB212",
    "hook-skipped",
    "Helm 4 takes the Job of an earlier run for the new one and does not run it",
    claim=_claim,
    after_kills=True,
)
