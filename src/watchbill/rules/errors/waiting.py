"""Helm waited for plain objects (--wait, --wait-for-jobs, --atomic; Flux always does) and gave up."""

from watchbill.rules.errors.known import FLUX, HELM, KnownError, Stage, Way
from watchbill.rules.errors.ways import GO_BACK, MEND_AND_AGAIN

_UNREADY = Way(
    "see what it waits for, mend that, then the same again",
    (
        "kubectl describe {kind} {name}{in_namespace}",
        "kubectl get events{in_namespace} --sort-by=.lastTimestamp",
        "{again}",
    ),
    "nothing",
    mended=True,
)
_NOT_WAITING = Way(
    "upgrade without waiting",
    ("helm upgrade {release} CHART -n {namespace}",),
    "nobody says whether it becomes ready",
    when="--wait is not needed",
    tools=(HELM,),
    operations=("upgrade",),
)

WAITING_FOR_PLAIN = (
    KnownError(
        "waited-failed-job",
        (
            "job is failed: <namespace>/<last>",
            r"resource (?P<kind>Job)/<namespace>/<name> not ready\. status: Failed",
            "resource not ready, name: <name>, kind: (?P<kind>Job), status: Failed",
        ),
        'Job "{name}" failed',
        "{what} is a plain Job that failed, and Helm was told to wait. Helm 4 also fails at one that failed long ago and "
        "that this version does not change.",
        (MEND_AND_AGAIN, GO_BACK),
        "make it a hook: a hook is waited for by itself, and is made anew each time",
        rule="WB502",
        of_hook=False,
        stage=Stage.WAITING,
        kind="Job",
    ),
    KnownError(
        "waited-expired-job",
        (
            r'(?:FAILED|failed|set|error|chart [^ ]{1,200}): jobs\.batch "<name>" not found',
            r"resource (?P<kind>Job)/<namespace>/<name> not ready\. status: NotFound",
            "resource not ready, name: <name>, kind: (?P<kind>Job), status: NotFound",
        ),
        'Job "{name}" not found',
        "Helm was told to wait for {what}, which had its ttlSecondsAfterFinished over and was deleted before Helm looked. "
        "It may well have done its work.",
        (_NOT_WAITING, GO_BACK),
        "drop ttlSecondsAfterFinished, or make the Job a hook with hook-succeeded",
        rule="WB501",
        of_hook=False,
        tools=(HELM, FLUX),
        operations=("install", "upgrade", "rollback"),
        stage=Stage.WAITING,
        kind="Job",
    ),
    KnownError(
        "not-ready",
        (
            r"resource <kind>/<namespace>/<name> not ready\. status: (?:InProgress|Failed|NotFound|Unknown|Terminating)",
            "resource not ready, name: <name>, kind: <kind>, status: (?:InProgress|Failed|NotFound|Unknown)",
            r"timeout waiting for: \[<kind>/<namespace>/<name> status: ",
        ),
        '{Kind} "{name}" not ready',
        "Helm was told to wait, and {what} did not become ready in time.",
        (_UNREADY, _NOT_WAITING, GO_BACK),
        "if its pods wait for what a post-install or post-upgrade hook does, they wait for ever: such a Job must be a "
        "plain one, or a hook before",
        see=("WB506",),
        of_hook=False,
        stage=Stage.WAITING,
    ),
    KnownError(
        "still-there",
        (
            r"resource <kind>/<namespace>/<name> still exists\. status: Terminating",
            "resource still exists, name: <name>, kind: <kind>, status: Terminating",
        ),
        '{Kind} "{name}" still exists',
        "Helm deleted {what} and was told to wait until it is gone. A finalizer holds it.",
        (
            Way(
                "take away its finalizers",
                (
                    """kubectl patch {kind} {name}{in_namespace} --type=merge -p '{{"metadata":{{"finalizers":null}}}}'""",
                ),
                "what the owner of the finalizer would do first is not done",
                when="its owner is gone: `kubectl get {kind} {name}{in_namespace} -o yaml` names it",
            ),
        ),
        stage=Stage.WAITING,
    ),
    KnownError(
        "time-is-over",
        ("context deadline exceeded", "timed out waiting for the condition"),
        "the time is over",
        "The time to wait (--timeout) was over. This text does not say for what: something did not become ready, or "
        "the API server did not answer.",
        (
            Way(
                "see what is not ready, mend that, then the same again",
                (
                    "kubectl get pods,jobs -n {namespace}",
                    "kubectl get events -n {namespace} --sort-by=.lastTimestamp",
                    "{again}",
                ),
                "nothing",
                mended=True,
            ),
            GO_BACK,
        ),
        see=("WB506", "WB203"),
        stage=Stage.WAITING,
        vague=True,
    ),
)
