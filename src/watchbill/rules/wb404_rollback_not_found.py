"""WB404: Helm 3 cannot roll back to an object that is still there, but not in the revision that failed."""

import re

from msgspec.structs import replace

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.world import Manifest, Rendered
from watchbill.rules.mends import without
from watchbill.rules.rule import Claim, Mend, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named, title

NOT_FOUND = re.compile(r'(?:no|original object) (\S+) with the name "([^"]+)" (?:not )?found')


def _claim(sighting: Sighting) -> Claim | None:
    found = NOT_FOUND.search(sighting.error)
    if found is None:
        return None
    key = next((one for one in sighting.before.objects if (one.kind, one.name) == found.groups()), None)
    # What is new in this version is in the way too, but every version has something new: nobody could avoid that.
    if key is None or not any(one.key == key for one in sighting.version(0).manifests):
        return None
    return Claim(
        subject=key,
        title=title(f"after a failed upgrade {_operation(sighting)} fails: {named(key)} is not found", key),
        because="this version drops it, or makes it a hook; where the upgrade fails before it is deleted, it is in the way",
        fix="drop an object in a version of its own, or upgrade Helm: 4.2 takes over what is there",
        mends=(_restored(sighting, key), without(key)),
        severity=Severity.WARNING,
    )


def _operation(sighting: Sighting) -> str:
    return "the automatic rollback" if sighting.move.verb == "upgrade" else sighting.operation


def _restored(sighting: Sighting, key: Key) -> Mend:
    """As the version before has it."""
    old: Manifest | None = next((one for one in sighting.version(0).manifests if one.key == key), None)

    def mend(rendered: Rendered) -> Rendered:
        if old is None or any(one.key == key for one in rendered.manifests):
            return rendered
        return replace(without(key)(rendered), manifests=(*without(key)(rendered).manifests, old))

    return mend


RULE = Rule(
    "WB404", "rollback-not-found", "a rollback stumbles over what a failed upgrade left", (14, 15), _claim
)
