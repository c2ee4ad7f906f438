"""WB403: an object that a hook left behind belongs to nobody, so Helm does not take it over."""

from watchbill.lifecycle.properties import Property
from watchbill.rules.mends import renamed, without
from watchbill.rules.rule import Claim, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

REFUSED = "cannot be imported into the current release"


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke not in (Property.WORKS, Property.RETRIES, Property.RECOVERS):
        return None
    if REFUSED not in sighting.error or not sighting.is_plain(key):
        return None
    if sighting.move.release:  # that a second release may not have what the first one has is as it should be
        return None
    return Claim(
        subject=key,
        title=f"{sighting.operation} fails: {named(key)} was a hook and belongs to no release",
        because="plain in this version; a hook created the existing object, so no release owns it",
        fix="give the plain object another name; once, by hand: delete the old one, or upgrade with --take-ownership",
        mends=(renamed(key, f"{key.name}-plain"), without(key)),
        path=("metadata", "name"),
    )


RULE = Rule(
    "WB403",
    "hook-to-plain",
    "an object that was a hook cannot become plain",
    (13,),
    _claim,
    covers=("WB404",),
)
