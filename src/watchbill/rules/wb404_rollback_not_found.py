"""WB404: a rollback stumbles over an object that is still there, but not in the revision that failed."""

from watchbill.lifecycle.helm.requests import KEEP
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.world import Manifest, Release
from watchbill.patterns import regex
from watchbill.rules.mends import restored, without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

NOT_FOUND = regex(r'(?:no|original object) (\S+) with the name "([^"]+)" (?:not )?found')


def _claim(sighting: Sighting) -> Claim | None:
    """A rollback that finds an object in its way: Helm 3 says it finds none, Helm 4 cannot make a hook's Job plain."""
    key = _in_the_way(sighting)
    # What is new in this version is in the way too, but every version has something new: nobody could avoid that.
    if key is None or (old := _as_it_was(sighting, key)) is None:
        return None
    kept = old.body.annotations.get(KEEP) == "keep" and all(one.ok for one in sighting.plays[:-1])
    when = "" if kept and sighting.move.verb == "rollback" else "after a failed upgrade "
    return Claim(
        subject=key,
        title=f"{when}{_operation(sighting)} fails: {named(key)} is in the way",
        because="plain in the version before and not in this one: it is to be kept (helm.sh/resource-policy), so it is still there"
        if kept
        else "plain in the version before, dropped or a hook in this one: where the upgrade fails early, it is still there",
        fix="render it in every version, on upgrades too; Helm 4.2 and newer takes over what is not a Job"
        if kept
        else "drop it in a version of its own, or keep it plain; Helm 4.2 and newer takes over what is not a Job",
        mends=(restored(old), without(key)),
        severity=Severity.NOTE if _changed_nothing(sighting) else Severity.WARNING,
    )


def _changed_nothing(sighting: Sighting) -> bool:
    """Whether the upgrade that failed did so in its first hooks: then there is nothing to go back from."""
    failed = next((one for one in reversed(sighting.plays) if one.error and one.move.verb == "upgrade"), None)
    if failed is None or failed is sighting.last or failed.release is None:
        return False
    plain = {manifest.key for manifest in failed.release.rendered.manifests}
    return not any(step.key in plain for step in failed.steps)


def _in_the_way(sighting: Sighting) -> Key | None:
    if 'with the name "' in sighting.error and (found := NOT_FOUND.search(sighting.error)):
        return next((one for one in sighting.before.objects if (one.kind, one.name) == found.groups()), None)
    key = sighting.key
    if key is None or sighting.broke not in FAILURES:
        return None
    if sighting.move.verb == "rollback":
        failed = _history(sighting)[-1].rendered
    elif sighting.move.flags.atomic:
        failed = sighting.rendered
    else:
        return None
    return None if any(one.key == key for one in failed.manifests) else key


def _as_it_was(sighting: Sighting, key: Key) -> Manifest | None:
    """In the newest revision that has it as a plain object."""
    for known in reversed(_history(sighting)):
        for manifest in known.rendered.manifests:
            if manifest.key == key:
                return manifest
    return None


def _history(sighting: Sighting) -> tuple[Release, ...]:
    return sighting.before.history(sighting.lab.records(sighting.lab.named(sighting.move.release)))


def _operation(sighting: Sighting) -> str:
    return "the automatic rollback" if sighting.move.verb == "upgrade" else sighting.operation


RULE = Rule(
    "WB404", "rollback-not-found", "a rollback fails because of what a failed upgrade left", (14, 15), _claim
)
