"""WB105: an object without a name of its own, which Helm cannot find again and kubectl does not apply."""

from watchbill.lifecycle.objects import Object, at
from watchbill.lifecycle.properties import FAILURES
from watchbill.rules.mends import every, without
from watchbill.rules.rule import Claim, Pointer, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

WORDS = ("resource name may not be empty", "cannot use generate name with apply")
PATH = ("metadata", "generateName")


def _claim(sighting: Sighting) -> Claim | None:
    if sighting.broke not in FAILURES or not any(words in sighting.what for words in WORDS):
        return None
    nameless = [one for one in sighting.rendered.everything() if not one.key.name]
    if not nameless:
        return None
    # Known by what it has instead of a name: that is also how it is found in the chart.
    first, *others = [one.key._replace(name=_prefix(one.body.object)) for one in nameless]
    which = f"{named(first)} has no name, only a generateName"
    if not first.name:
        which = f"a {first.kind} has no name"
    return Claim(
        subject=first,
        title=f"{sighting.operation} fails: {which}",
        because="Helm and kubectl apply find objects by their names, and here the server chooses the name",
        fix="give it a name; a hook with before-hook-creation can run each time under the same name",
        mends=(every(_named), without(nameless[0].key)),
        path=PATH if first.name else ("metadata",),
        related=tuple(Pointer(other, PATH, "no name either") for other in others),
    )


def _prefix(thing: Object) -> str:
    prefix = at(thing, "metadata", "generateName")
    return prefix if isinstance(prefix, str) else ""


def _named(thing: Object) -> Object:
    metadata = thing.get("metadata") or {}
    if metadata.get("name"):
        return thing
    rest = {field: value for field, value in metadata.items() if field != "generateName"}
    return {**thing, "metadata": {**rest, "name": f"{_prefix(thing)}fixed"}}


RULE = Rule(
    "WB105",
    "generate-name",
    "an object with generateName cannot be installed: Helm needs names",
    rows=(57,),
    claim=_claim,
)
