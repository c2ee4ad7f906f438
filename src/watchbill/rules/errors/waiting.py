"""Helm waited for plain objects (--wait, --wait-for-jobs, --atomic; Flux always does) and gave up."""

from watchbill.rules.errors.known import FLUX, HELM, KnownError, Stage, Way
from watchbill.rules.errors.ways import GO_BACK, MEND_AND_AGAIN

_UNREADY = Way(
    "see what it waits for, fix that, then retry",
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
    "you do not learn whether it becomes ready",
    when="you do not need --wait",
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
        "{what} is a plain Job that failed, and Helm waited for it. Helm 4 also fails if the Job failed long ago "
        "and this version does not change it.",
        (MEND_AND_AGAIN, GO_BACK),
        "make it a hook: Helm always waits for a hook, and creates it again each time",
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
        "Helm waited for {what}, but its ttlSecondsAfterFinished deleted it before Helm looked. It may have succeeded.",
        (_NOT_WAITING, GO_BACK),
        "remove ttlSecondsAfterFinished, or make the Job a hook with hook-succeeded",
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
        "Helm waited for {what}, which did not become ready before the --timeout.",
        (_UNREADY, _NOT_WAITING, GO_BACK),
        "if its pods wait for a post-install or post-upgrade hook, they wait forever: make that hook a plain Job, "
        "or run it before the pods start",
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
        "Helm deleted {what} and waited until it is gone, but a finalizer holds it.",
        (
            Way(
                "remove its finalizers",
                (
                    """kubectl patch {kind} {name}{in_namespace} --type=merge -p '{{"metadata":{{"finalizers":null}}}}'""",
                ),
                "the owner of the finalizer does not do its clean-up",
                when="its owner is gone: `kubectl get {kind} {name}{in_namespace} -o yaml` names it",
            ),
        ),
        stage=Stage.WAITING,
    ),
    KnownError(
        "time-is-over",
        ("context deadline exceeded", "timed out waiting for the condition"),
        "timed out",
        "Helm waited until its --timeout. The message does not say for what: something did not become ready, or the "
        "API server did not answer.",
        (
            Way(
                "see what is not ready, fix that, then retry",
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
