"""WB305: a failed Job stays, but its pod does not, and the logs are the pod's."""

from watchbill.lifecycle.properties import Property
from watchbill.rules.fields import put
from watchbill.rules.mends import changed, with_deadline_of_pods, with_spec
from watchbill.rules.rule import Claim, Mend, Path, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

RESTARTS: Path = ("spec", "template", "spec", "restartPolicy")
# By what the logs go: the field, what it does, and what to do about it.
WAYS: dict[str, tuple[Path, str, str]] = {
    "restartPolicy": (
        RESTARTS,
        "with restartPolicy OnFailure the pod is deleted when the back-off limit is reached",
        "restartPolicy: Never keeps a pod for each attempt",
    ),
    "activeDeadlineSeconds": (
        ("spec", "activeDeadlineSeconds"),
        "the Job's activeDeadlineSeconds deletes the pod that runs when it is over",
        "set activeDeadlineSeconds in the pod's spec, which keeps the pod; if the Job has one too, make it longer than all attempts",
    ),
    "ttlSecondsAfterFinished": (
        ("spec", "ttlSecondsAfterFinished"),
        "its ttlSecondsAfterFinished deletes it as soon as it has failed",
        "give it a ttlSecondsAfterFinished of hours",
    ),
}


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if sighting.broke is not Property.LOGS or key is None or sighting.what not in WAYS:
        return None
    path, because, fix = WAYS[sighting.what]
    at_once = sighting.what == "ttlSecondsAfterFinished"
    return Claim(
        subject=key,
        title=f"when {named(key)} fails for good, its logs are gone",
        because=because,
        fix=fix,
        mends=(_mend(sighting),),
        cause=sighting.what,
        path=path,
        severity=Severity.WARNING if at_once else Severity.NOTE,
    )


def _mend(sighting: Sighting) -> Mend:
    key = sighting.key
    assert key is not None
    if sighting.what == "ttlSecondsAfterFinished":
        return with_spec(key, ttlSecondsAfterFinished=86_400)
    if sighting.what == "restartPolicy":
        return changed(key, lambda thing: put(thing, RESTARTS, "Never"))
    return with_deadline_of_pods(key)


RULE = Rule("WB305", "logs-lost", "the pod of a failed Job is deleted with its logs", (45,), _claim)
