"""WB502: Helm 3 waits for a Job that has failed until its time is over."""

from watchbill.lifecycle.objects import Object
from watchbill.lifecycle.properties import Property
from watchbill.rules.fields import put
from watchbill.rules.mends import as_hook, changed, with_deadline_of_pods, without
from watchbill.rules.rule import Claim, Mend, Path, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.wb501_wait_ttl import with_waiting
from watchbill.rules.words import named

RESTARTS: Path = ("spec", "template", "spec", "restartPolicy")
PODS_DEADLINE = "set activeDeadlineSeconds in the pod's spec, and the Job's own behind all attempts"


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.TELLS:
        return None
    restarts = sighting.what == "restartPolicy"
    mend: Mend = changed(key, _never_restarted) if restarts else with_deadline_of_pods(key)
    why = (
        "restartPolicy OnFailure: its one pod fails once"
        if restarts
        else "its own deadline ends it before all attempts are made"
    )
    return Claim(
        subject=key,
        title=f"{with_waiting(sighting)} waits until its timeout although {named(key)} has failed",
        because=f"{why}, and Helm 3 counts failed pods: there must be more than backoffLimit",
        fix=f"{'set restartPolicy: Never' if restarts else PODS_DEADLINE}, or make it a hook, or use Helm 4",
        mends=(mend, as_hook(key), without(key)),
        path=RESTARTS if restarts else ("spec", "activeDeadlineSeconds"),
        severity=Severity.WARNING,
    )


def _never_restarted(thing: Object) -> Object:
    return put(thing, RESTARTS, "Never")


RULE = Rule(
    "WB502",
    "wait-failed-job",
    "Helm 3 with --wait-for-jobs does not see that a Job has failed, and waits until its timeout",
    rows=(42,),
    claim=_claim,
)
