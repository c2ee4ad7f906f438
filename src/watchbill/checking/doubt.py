"""Manifests do not tell where a name comes from: one that goes by the revision or the clock is another one next time.

`helm template` renders every release as its first revision, and two versions within a moment.
"""

from msgspec.structs import replace

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.lifecycle.properties import FAILURES, Property
from watchbill.patterns import regex
from watchbill.rules.rule import Claim
from watchbill.rules.sighting import Sighting

MET_AGAIN = (*FAILURES, Property.RUNS)  # what can only be wrong with an object that is there already
_BY_REVISION = regex(r".+[-.]1")
_BY_CLOCK = regex(r".+?(?:19|20)\d\d[-.]?[01]\d[-.]?[0-3]\d[-.t]?[0-2]\d[-.]?[0-5]\d([-.]?[0-5]\d)?")


def doubted(claim: Claim, sighting: Sighting) -> Claim | None:
    """The claim with the doubt in it, if there is one: what it is about is met again under such a name."""
    key = claim.subject
    if sighting.broke not in MET_AGAIN or key.kind not in RUNS_TO_COMPLETION:
        return None
    if key not in sighting.before.objects:
        return None
    whence = _whence(key.name)
    if not whence:
        return None
    return replace(claim, because=f"{claim.because}; unless its name goes by {whence}", confidence="medium")


def _whence(name: str) -> str:
    if _BY_CLOCK.fullmatch(name):
        return "the clock"
    return "the release's revision" if _BY_REVISION.fullmatch(name) else ""
