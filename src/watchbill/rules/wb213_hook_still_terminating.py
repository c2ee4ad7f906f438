"""WB213: what a hook's last run left is deleted, but does not go at once: a finalizer holds it, or a pod still ends."""

from collections.abc import Iterator

from watchbill.lifecycle.objects import Key, Object, at
from watchbill.lifecycle.properties import FAILURES, Property
from watchbill.rules.look import Look
from watchbill.rules.mends import changed, without
from watchbill.rules.policies import BEFORE, EVENTS, is_test, policies
from watchbill.rules.rule import Claim, Mend, Path, Rule, Severity
from watchbill.rules.sighting import Sighting, hook_of
from watchbill.rules.words import named

FINALIZERS: Path = ("metadata", "finalizers")
SHOWN_BY = (*FAILURES, Property.RUNS)


def _claim(sighting: Sighting) -> Claim | None:
    if sighting.broke not in SHOWN_BY or (key := _held(sighting)) is None:
        return None
    consequence = "works, but nothing runs" if sighting.last.ok else "fails"
    return Claim(
        subject=key,
        title=f"{sighting.operation} {consequence}: hook {named(key)} is held by its finalizer",
        because="Helm deletes it before its next run, but it stays until its finalizer is removed",
        fix="remove metadata.finalizers from the hook",
        mends=(_without_finalizers(key), without(key)),
        path=FINALIZERS,
    )


def _held(sighting: Sighting) -> Key | None:
    """The hook that waits for its own end: Helm 3 waits for it and names nobody, Helm 4 does not wait."""
    for key, live in sighting.last.world.objects.items():
        if live.terminating and hook_of(sighting.recorded, key) is not None:
            return key if sighting.key in (key, None) else None
    return None


def _without_finalizers(key: Key) -> Mend:
    def change(thing: Object) -> Object:
        kept = {field: value for field, value in thing["metadata"].items() if field != FINALIZERS[-1]}
        return {**thing, "metadata": kept}

    return changed(key, change)


def _inspect(look: Look) -> Iterator[Claim]:
    """A pod that still runs takes its grace period to end; no other kind does, and Helm 3 waits for it.

    The pods of the model are gone at once, so no play shows it; a real kubelet does.
    """
    tool = look.lab.tool
    if tool.name != "helm" or tool.version.startswith("3."):
        return
    for manifest, hook in look.manifests():
        # A test that hangs is looked at by somebody, who tries again later.
        if hook is None or manifest.key.kind != "Pod" or is_test(hook) or BEFORE not in policies(hook):
            continue
        if at(manifest.body.object, "spec", "terminationGracePeriodSeconds") == 0:
            continue
        yield Claim(
            subject=manifest.key,
            title=f"the retry after a timeout fails: hook {named(manifest.key)} is still terminating",
            because="a Pod as a hook; Helm 4 deletes the one that hangs and does not wait until it has ended",
            fix="make it a Job: a deleted Job is gone at once",
            mends=(without(manifest.key),),
            path=EVENTS,
            severity=Severity.WARNING,
        )


RULE = Rule(
    "WB213",
    "hook-still-terminating",
    "the object of a hook's last run is still being deleted when the hook runs again",
    rows=(9,),
    claim=_claim,
    inspect=_inspect,
)
