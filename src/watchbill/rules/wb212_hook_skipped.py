"""WB212: Helm 4 finds the Job of the last run, takes its success for that of the new one, and runs nothing."""

from watchbill.lifecycle.objects import Key, at
from watchbill.lifecycle.properties import Property
from watchbill.rules.mends import with_before, without
from watchbill.rules.policies import POLICY
from watchbill.rules.rule import Claim, Rule
from watchbill.rules.sighting import Sighting, hook_of
from watchbill.rules.wb201_hook_already_exists import because, fix, met
from watchbill.rules.words import named, title


def _claim(sighting: Sighting) -> Claim | None:
    hook, key = met(sighting), sighting.key
    if hook is None or key is None or sighting.broke is not Property.RUNS:
        return None
    # Where it takes a fault, or where another version changes the Job, there is a failure with the same cause,
    # and that is WB201.
    if sighting.faults or not sighting.last.ok or _changes(sighting, key):
        return None
    return Claim(
        subject=key,
        title=title(f"{sighting.operation} works, but hook {named(key)} does not run: it did once", key),
        because=f"{because(hook)}; Helm 4 applies the Job to the one that is there, and that is complete",
        fix=fix(hook),
        mends=(with_before(key), without(key)),
        path=POLICY,
    )


def _changes(sighting: Sighting, key: Key) -> bool:
    """Whether it is another Job in some version."""
    hooks = (hook_of(sighting.version(version), key) for version in range(len(sighting.lab.versions)))
    templates = [
        at(one.body.object, "spec", "template")
        for hook in hooks
        if hook is not None
        for one in hook.objects
        if one.key == key
    ]
    return any(template != templates[0] for template in templates)


RULE = Rule(
    "WB212",
    "hook-skipped",
    "Helm 4 takes the Job of an earlier run for the new one and does not run it",
    claim=_claim,
    after_kills=True,
)
