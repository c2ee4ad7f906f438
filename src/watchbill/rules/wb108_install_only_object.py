"""WB108: an object that is rendered on install only: the next upgrade deletes it, and pods need it."""

from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.world import World
from watchbill.rules.mends import changed, without
from watchbill.rules.rule import Claim, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named, title

POLICY = "helm.sh/resource-policy"


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.SPARES or sighting.move.verb != "upgrade":
        return None
    move, lab = sighting.move, sighting.lab
    installed = lab.versions.render(
        move.version, lab.named(move.release), upgrade=False, revision=1, world=World()
    )
    if sighting.manifest(key) is not None or not any(one.key == key for one in installed.manifests):
        return None
    user = sighting.what.rpartition("/")[2]
    return Claim(
        subject=key,
        title=title(f'{sighting.operation} deletes {named(key)}, which pods of "{user}" need', key),
        because="an install renders it and an upgrade does not, so Helm takes it away",
        fix="render it on upgrades too, with the values that are there (lookup); or annotate it with "
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


RULE = Rule(
    "WB108",
    "install-only-object",
    "an object that only an install renders is deleted by the next upgrade, while pods need it",
    rows=(52,),
    claim=_claim,
)
