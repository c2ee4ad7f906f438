"""Limitations of the tools that no chart can change. `matrix` and `check -v` show them; they are not findings."""

from watchbill.lifecycle.contracts import EVICTED
from watchbill.lifecycle.properties import FAILURES, Property
from watchbill.rules.sighting import Sighting

# Words of an error, and what they mean for every release.
FACTS = (
    (
        "another operation (install/upgrade/rollback) is in progress",
        "if helm is killed, the release stays pending: upgrades fail until a rollback or an uninstall",
    ),
    (
        "has no deployed releases",
        "after an uninstall that failed, a release cannot be upgraded, only uninstalled",
    ),
    (
        "cannot use server-side apply and force replace together",
        "Helm 4 refuses --force-replace together with server-side apply, its default",
    ),
    (
        "cannot re-use a name that is still in use",
        "after an install, even a failed one, a release can only be upgraded or uninstalled",
    ),
)
REPLACED = (
    "Kubernetes replaces an evicted pod before it has ended, unless its Job has podReplacementPolicy: Failed"
)
STOPPED = "an uninstall stops the release's Jobs"
KILLED = "if helm is killed, its hook Job keeps running, and the next attempt deletes it while it runs"
ORPHANED = "if helm is killed, objects that it created and objects that it was about to delete stay"
LEFT = "objects that a failed operation created may stay after the release is uninstalled"
DROPPED = (
    "kubectl apply does not delete objects that a new version no longer contains, unless you use --prune"
)
OUTLASTED = "when Helm gives up waiting for a hook, it deletes earlier hooks that have hook-succeeded"
TAKEN_BACK = "a rollback deletes objects that the older version does not contain, even if something still refers to them"
MIXED = "a rollback after a failure mixes two versions of an object, and Kubernetes may refuse the result"
HELD = "an object with a finalizer stays until the owner of the finalizer removes it"
OF_BEFORE = "a new version cannot change how the version before treats its own hooks"
STUCK = "after a failure, only another operation can bring the release back into a good state"


def fact_of(sighting: Sighting) -> str | None:
    """Return the limitation behind a violation, or None."""
    told = next((fact for words, fact in FACTS if words in sighting.what), None)
    if told is not None:
        return told
    if is_of_every_job(sighting):
        return REPLACED
    if "kill" in sighting.faults:
        return ORPHANED
    if is_a_mixture(sighting):
        return MIXED
    return _of_property(sighting)


def _of_property(sighting: Sighting) -> str | None:
    back = sighting.move.verb == "rollback"
    match sighting.broke:
        case Property.CLEANS_UP if sighting.is_of_kubectl and not sighting.faults:
            return DROPPED
        case Property.CLEANS_UP:
            return LEFT if sighting.faults else HELD if _is_held(sighting) else None
        case Property.SPARES | Property.KEEPS if back:
            return TAKEN_BACK
        case Property.SPARES if sighting.faults & {"hang", "late"}:
            return OUTLASTED
        case Property.SPARES if not sighting.last.ok:
            return TAKEN_BACK
        case Property.LOGS if sighting.key is not None and sighting.hook(sighting.key) is None:
            return OF_BEFORE
        case Property.FINISHES | Property.ALONE:
            return STOPPED if sighting.move.verb in ("uninstall", "delete") else KILLED
        case Property.RETURNS:
            # Why the operation before failed is a violation of its own; that nothing else helps adds nothing to it.
            return STUCK
    return None


def is_of_every_job(sighting: Sighting) -> bool:
    """Shown whenever a Job is created. Whether it matters only a contract can say (WB602): no rule claims it."""
    return sighting.broke is Property.ALONE and sighting.what == EVICTED


def is_a_mixture(sighting: Sighting) -> bool:
    """A rollback that is refused after something else went wrong: what is there is neither one version nor the other."""
    step = sighting.step
    refused = sighting.broke in FAILURES and step is not None and bool(step.refused)
    return refused and sighting.move.verb == "rollback" and bool(sighting.faults)


def _is_held(sighting: Sighting) -> bool:
    live = sighting.last.world.objects.get(sighting.key) if sighting.key is not None else None
    return live is not None and live.terminating
