"""What no chart can change: facts of the tools. `matrix` and `check -v` tell them, nothing counts them."""

from watchbill.lifecycle.contracts import EVICTED
from watchbill.lifecycle.properties import FAILURES, Property
from watchbill.rules.sighting import Sighting

# Words of an error, and what they mean for every release there is.
FACTS = (
    (
        "another operation (install/upgrade/rollback) is in progress",
        "a helm that is killed leaves its release pending, and every upgrade is refused until a rollback or an uninstall",
    ),
    (
        "has no deployed releases",
        "a release whose uninstall did not get through cannot be upgraded any more, only uninstalled",
    ),
    (
        "cannot use server-side apply and force replace together",
        "Helm 4 refuses --force-replace while it applies server-side, which it does unless told otherwise",
    ),
    (
        "cannot re-use a name that is still in use",
        "a release that was installed, even in vain, is upgraded or uninstalled, never installed again",
    ),
)
REPLACED = (
    "a pod that is evicted is replaced while it still ends, unless its Job says podReplacementPolicy: Failed"
)
STOPPED = "whoever uninstalls a release stops its Jobs"
KILLED = "what a helm that was killed has started goes on, and the next try deletes it while it runs"
ORPHANED = (
    "a helm that is killed leaves its work half done: what it created and what it was about to delete stay"
)
LEFT = "what a failed operation has created may stay when its release is gone"
DROPPED = "kubectl apply deletes nothing that a version does not bring any more, unless it is told to prune"
OUTLASTED = (
    "when Helm gives up waiting for a hook, it deletes what hook-succeeded says of the hooks before it"
)
TAKEN_BACK = "going back deletes what the older version does not bring, also where something still names it"
MIXED = (
    "going back after a failure mixes two versions of an object, and Kubernetes may refuse what comes of it"
)
HELD = "an object with a finalizer stays until whoever put that there takes it away"
OF_BEFORE = "what the version before does with its own hooks, a later version cannot change"
STUCK = "a release can be left in a state that only another operation gets it out of"


def fact_of(sighting: Sighting) -> str | None:
    """The fact behind a violation, if it is one."""
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
