"""WB409: a hook with a fixed name deletes the object of another release."""

from watchbill.lifecycle.properties import Property
from watchbill.rules.mends import renamed, without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if sighting.broke is not Property.NEIGHBOURS or key is None:
        return None
    where = "in any namespace" if not key.namespace else "in the same namespace"
    return Claim(
        subject=key,
        title=f"a second release {where} deletes {named(key)} of the first",
        because="a hook whose name is the same in every release; Helm deletes the old object, whichever release it belongs to",
        fix="include the release's name in the object's name, for a cluster-wide object also the namespace",
        mends=(renamed(key, f"{key.name}-mended"), without(key)),
        path=("metadata", "name"),
        severity=Severity.WARNING,
    )


RULE = Rule(
    "WB409",
    "neighbour",
    "a second release deletes what the first one needs",
    claim=_claim,
    joins_objects=True,
)
