"""Hooks that cannot be made, fail, or do not come to an end."""

from watchbill.rules.errors.known import ARGO, FLUX, HELM, KnownError, Stage, Way
from watchbill.rules.errors.ways import (
    DELETE_AND_AGAIN,
    DONE_BY_HAND,
    GO_BACK,
    MEND_AND_AGAIN,
    PLAIN_OBJECTS_FIRST,
    WITHOUT_HOOKS,
)

_POLICY = "helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded"
_STILL_THERE = r"Hook <event> <few>failed: <few>\b"
_INSTALL_WITHOUT_HOOKS = Way(
    "install without hooks",
    ("helm uninstall {release} -n {namespace}", "helm install {release} CHART -n {namespace} --no-hooks"),
    "no hook runs: what they do has to be there already",
    tools=(HELM,),
    operations=("install",),
)
_LOOK = Way(
    "see what it waits for, mend that, delete it, then the same again",
    (
        "kubectl describe {kind} {name}{in_namespace}",
        "kubectl get events{in_namespace} --sort-by=.lastTimestamp",
        "kubectl delete {kind} {name}{in_namespace} --ignore-not-found",
        "{again}",
    ),
    "it is stopped and starts anew: what it did so far is done once more",
    mended=True,
)
_BEHIND_A_WAIT = ("WB203", "WB204", "WB207", "WB208", "WB209", "WB303", "WB307")

HOOKS = (
    KnownError(
        "dropped-hook",
        ("skipping unknown hooks?",),
        "a document with an unknown hook event is left out",
        "The helm.sh/hook of a document names an event that Helm does not know (crd-install of Helm 2, a typing error, an empty "
        "item): Helm leaves the whole document out and goes on. This is no reason to fail by itself; what is left out may be.",
        (),
        "events are: pre- and post-install, -upgrade, -rollback, -delete, and test; definitions go into crds/",
        rule="WB210",
        stage=Stage.ANYWHERE,
        tools=(HELM, FLUX),
    ),
    KnownError(
        "crd-hook-exists",
        (rf'{_STILL_THERE}customresourcedefinitions\.apiextensions\.k8s\.io "<name>" already exists',),
        'Hook {event} failed: CustomResourceDefinition "{name}" already exists',
        'The chart brings the definition "{name}" as a hook. Helm never deletes a definition before it makes it anew, '
        "whatever the delete policy says, so the hook works once and never again.",
        (*WITHOUT_HOOKS, _INSTALL_WITHOUT_HOOKS),
        "move the definition into the chart's crds/ folder, or apply it in a Job",
        rule="WB202",
        kind="CustomResourceDefinition",
    ),
    KnownError(
        "hook-terminating",
        (
            r'object is being deleted: <resource> "<name>" already exists',
            r"(?:hooks failed|failed <event>): resource <kind>/<namespace>/<name> still exists\. status: Terminating",
            r"(?:hooks failed|failed <event>): context deadline exceeded",
        ),
        "{What} is being deleted and is still there",
        "Helm deleted {what} of the last time (before-hook-creation) and it has not gone: a finalizer holds it, or its pods "
        "take their time: then wait, and do the same again. Nothing can be made under its name until it is gone.",
        (
            Way(
                "take away its finalizers, then the same again",
                (
                    """kubectl patch {kind} {name}{in_namespace} --type=merge -p '{{"metadata":{{"finalizers":null}}}}'""",
                    "{again}",
                ),
                "what the owner of the finalizer would do first is not done",
                when="it does not go: `kubectl get {kind} {name}{in_namespace} -o yaml` names its finalizers",
            ),
        ),
        "Helm 3.14 or newer, or Helm 4 with --wait: they wait for what they delete; no finalizers on hooks",
        rule="WB213",
        tools=(HELM, FLUX),
        of_hook=True,
        kind="Job",
    ),
    KnownError(
        "hook-exists",
        (rf'{_STILL_THERE}<resource> "<name>" already exists',),
        'Hook {event} failed: {Kind} "{name}" already exists',
        "The hook's {what} is still there from the last time, because its delete policy does not hold "
        "before-hook-creation: hook-succeeded and hook-failed leave it behind when Helm is stopped or cannot make it. "
        "Every retry fails the same way.",
        (DELETE_AND_AGAIN, *WITHOUT_HOOKS, DONE_BY_HAND, GO_BACK),
        _POLICY,
        rule="WB201",
    ),
    KnownError(
        "hook-deadline",
        (
            "(?P<kind>[jJ]ob) (?:<name> )?failed: DeadlineExceeded",
            "Job was active longer than specified deadline",
        ),
        'Job "{name}" failed: DeadlineExceeded',
        "{what} ran longer than its activeDeadlineSeconds allows. Kubernetes deleted the pod that was running, and its logs with it.",
        (MEND_AND_AGAIN, *WITHOUT_HOOKS, DONE_BY_HAND, GO_BACK),
        "the deadline in the pod template (spec.template.spec.activeDeadlineSeconds) instead: it keeps the pod and its logs",
        rule="WB305",
        kind="Job",
    ),
    KnownError(
        "hook-failed",
        (
            "(?P<kind>[jJ]ob) (?:<name> )?failed: (?P<reason>BackoffLimitExceeded|PodFailurePolicy|FailedIndexes|MaxFailedIndexesExceeded)",
            r"resource (?P<kind>Job|Pod)/<namespace>/<name> not ready\. status: Failed",
            "resource not ready, name: <name>, kind: (?P<kind>Job|Pod), status: Failed",
            r"\* (?P<kind>pod) <name> failed",
            r"(?P<kind>Job) has reached the specified backoff limit",
        ),
        '{Kind} "{name}" failed',
        "{what} ran and failed by itself; no way of deploying it makes that go away. What it says is in its logs, if it is "
        "still there: with the delete policy hook-failed it is not.",
        (MEND_AND_AGAIN, *WITHOUT_HOOKS, DONE_BY_HAND, GO_BACK),
        "restartPolicy Never and no hook-failed: then the logs of a failure can still be read",
        see=("WB301", "WB305"),
        of_hook=True,
        kind="Job",
    ),
    KnownError(
        "hook-gone",
        (
            r"resource (?P<kind>Job|Pod)/<namespace>/<name> not ready\. status: NotFound",
            "resource not ready, name: <name>, kind: (?P<kind>Job|Pod), status: NotFound",
        ),
        '{Kind} "{name}" not ready: NotFound',
        "{what} was gone before Helm 4 saw it end: its ttlSecondsAfterFinished is over at once, or somebody deleted it. Helm "
        "waits for it until its time is over, although it may well have done its work.",
        (
            Way(
                "the same again",
                ("{again}",),
                "what the Job does is done once more",
                when="it was deleted by hand, once",
            ),
            *WITHOUT_HOOKS,
        ),
        "no ttlSecondsAfterFinished on it, or one of minutes",
        rule="WB501",
        of_hook=True,
        kind="Job",
    ),
    KnownError(
        "hook-waits",
        (
            r"\* timed out waiting for the condition",
            "(?:hooks failed|failed <event>): timed out waiting for the condition",
            r"resource (?P<kind>Job|Pod)/<namespace>/<name> not ready\. status: (?:InProgress|Unknown)",
            "resource not ready, name: <name>, kind: (?P<kind>Job|Pod), status: (?:InProgress|Unknown)",
        ),
        "{What} did not end in time",
        "Helm waited for {what} until its --timeout was over (5 minutes each hook). Either it needs longer, or its pod cannot "
        "start: what it needs is made after the hook, an image cannot be pulled, a quota is full. It runs on in the cluster.",
        (_LOOK, PLAIN_OBJECTS_FIRST, *WITHOUT_HOOKS, DONE_BY_HAND, GO_BACK),
        "what the hook's pod needs as hooks of a lower weight, and activeDeadlineSeconds so that it fails by itself",
        see=_BEHIND_A_WAIT,
        of_hook=True,
        kind="Job",
    ),
    KnownError(
        "sync-waits-for-hook",
        ("waiting for completion of hook batch/(?P<kind>Job)/<last>",),
        'waiting for completion of hook Job "{name}"',
        "Argo CD waits for {what}, without an end: it runs, or its pod cannot start, or it is gone before Argo CD saw it end.",
        (
            Way(
                "stop the sync, see what it waits for, sync again",
                (
                    "argocd app terminate-op APP",
                    "kubectl describe job {name}{in_namespace}",
                    "argocd app sync APP",
                ),
                "stopping it deletes the hook Jobs that run",
                mended=True,
            ),
        ),
        "activeDeadlineSeconds on it, and what its pod needs in an earlier wave",
        see=_BEHIND_A_WAIT,
        tools=(ARGO,),
        kind="Job",
    ),
    KnownError(
        "retries-exhausted",
        ("(?:install|upgrade) retries exhausted",),
        "retries exhausted",
        "Flux has tried as often as spec.install.remediation and spec.upgrade.remediation let it, and stops. What failed "
        "stands in the conditions and events of the HelmRelease, not in this line.",
        (
            Way(
                "find out what failed, mend that, let Flux try again",
                (
                    "kubectl describe helmrelease {release} -n {namespace}",
                    "flux reconcile helmrelease {release} -n {namespace} --reset",
                ),
                "nothing",
                mended=True,
            ),
        ),
        tools=(FLUX,),
        vague=True,
    ),
)
