"""WB108: an object that is rendered on install only: the next upgrade deletes it, and pods need it."""

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.world import World
from watchbill.rules.mends import changed, without
from watchbill.rules.rule import Claim, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named, short

POLICY = "helm.sh/resource-policy"


def _claim(sighting: Sighting) -> Claim | None:
    pair = _needed(sighting)
    if pair is None:
        return None
    key, user = pair
    move, lab = sighting.move, sighting.lab
    installed = lab.versions.render(
        move.version, lab.named(move.release), upgrade=False, revision=1, world=World()
    )
    if sighting.manifest(key) is not None or not any(one.key == key for one in installed.manifests):
        return None
    return Claim(
        subject=key,
        title=f"an upgrade deletes {named(key)}, which pods of {short(user)} need",
        because="an install renders it and an upgrade does not, so Helm deletes it",
        fix="render it on upgrades too, and reuse the existing values (lookup); or annotate it with "
        f"{POLICY}: keep",
        mends=(
            changed(
                key,
                lambda thing: {
                    **thing,
                    "metadata": {
                        **thing["metadata"],
                        "annotations": {**(thing["metadata"].get("annotations") or {}), POLICY: "keep"},
                    },
                },
            ),
            without(key),
        ),
        path=("metadata", "name"),
    )


def _needed(sighting: Sighting) -> tuple[Key, Key] | None:
    """What is taken away, and from whom."""
    if sighting.move.verb != "upgrade" or sighting.key is None:
        return None
    if sighting.broke is Property.SPARES:
        other = sighting.before.objects
        user = next((user for user in other if sighting.what == f"needed by {user}"), None)
        return (sighting.key, user) if user else None
    if sighting.broke is Property.STARTS:
        needed = needs(sighting.last.world.objects[sighting.key].body, sighting.key.namespace)
        key = next((key for key in needed if sighting.what == f"needs {key}"), None)
        return (key, sighting.key) if key else None
    return None


RULE = Rule(
    "WB108",
    "install-only-object",
    "an object that only an install renders is deleted by the next upgrade, while pods need it",
    rows=(52,),
    claim=_claim,
)
