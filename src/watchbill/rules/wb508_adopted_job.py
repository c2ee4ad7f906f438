"""WB508: a Job that only a failed upgrade contained outlives its release, and a later one takes it for its own."""

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.world import Manifest
from watchbill.rules.mends import as_hook, with_spec, without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

DAY = 86_400


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or not _is_left_or_adopted(sighting, key):
        return None
    adopted = sighting.broke is Property.OWN
    then = f"{sighting.operation} takes it for its own" if adopted else "uninstall leaves it behind"
    subject = sighting.as_checked(key)
    return Claim(
        subject=subject,
        title=f"a failed upgrade leaves {named(subject)}: {then}",
        because="Helm deletes what the last working revision and the newest one contain; this Job is in neither",
        fix="make it a hook with before-hook-creation; or go back with helm rollback, which deletes it",
        mends=(as_hook(key), with_spec(key, ttlSecondsAfterFinished=DAY), without(key)),
        severity=Severity.WARNING,
    )


def _is_left_or_adopted(sighting: Sighting, key: Key) -> bool:
    if sighting.broke is Property.OWN:
        return True
    if sighting.broke is not Property.CLEANS_UP or key.kind != "Job":
        return False
    return "fail" in sighting.faults and any(one.key == key for one in _plain(sighting))


def _plain(sighting: Sighting) -> list[Manifest]:
    """Plain objects of all versions that the trace has to do with."""
    versions = {move.version for move in sighting.violation.trace if move.of_tool}
    return [one for version in sorted(versions) for one in sighting.version(version).manifests]


RULE = Rule(
    "WB508",
    "adopted-job",
    "a plain Job of a failed upgrade outlives its release, and the next install takes it for its own",
    claim=_claim,
)
