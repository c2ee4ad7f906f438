"""WB111: an object has both a name and a generateName, which Helm 4 refuses."""

from watchbill.lifecycle.objects import Object
from watchbill.lifecycle.properties import FAILURES
from watchbill.rules.mends import every, without
from watchbill.rules.rule import Claim, Path, Pointer, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

WORDS = "metadata.name and metadata.generateName cannot both be set"
PATH: Path = ("metadata", "generateName")


def _claim(sighting: Sighting) -> Claim | None:
    if sighting.broke not in FAILURES or WORDS not in sighting.what:
        return None
    # Helm's message does not say which object it means. It asks plain objects only, and stops at the first.
    twice = [one.key for one in sighting.rendered.manifests if _has_both(one.body.object)]
    if not twice:
        return None
    first, *others = twice
    return Claim(
        subject=first,
        title=f"{sighting.operation} fails: {named(first)} has both a name and a generateName",
        because="Helm 4 refuses an object with both; Helm 3 and the API server use the name",
        fix="remove metadata.generateName: the object keeps its name",
        mends=(every(_with_one_name), without(*twice)),
        path=PATH,
        related=tuple(Pointer(other, PATH, "has both as well") for other in others),
    )


def _has_both(thing: Object) -> bool:
    metadata = thing.get("metadata") or {}
    return bool(metadata.get("name") and metadata.get("generateName"))


def _with_one_name(thing: Object) -> Object:
    if not _has_both(thing):
        return thing
    metadata = {field: value for field, value in thing["metadata"].items() if field != "generateName"}
    return {**thing, "metadata": metadata}


RULE = Rule(
    "WB111", "two-names", "an object has both a name and a generateName, and Helm 4 refuses it", (), _claim
)
