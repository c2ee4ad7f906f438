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
    "no hook runs, so their work must be done already",
    tools=(HELM,),
    operations=("install",),
)
_LOOK = Way(
    "see what it waits for, fix that, delete it, then retry",
    (
        "kubectl describe {kind} {name}{in_namespace}",
        "kubectl get events{in_namespace} --sort-by=.lastTimestamp",
        "kubectl delete {kind} {name}{in_namespace} --ignore-not-found",
        "{again}",
    ),
    "it is stopped and starts again: it repeats its work so far",
    mended=True,
)
_BEHIND_A_WAIT = ("WB203", "WB204", "WB207", "WB208", "WB209", "WB303", "WB307")

HOOKS = (
    KnownError(
        "dropped-hook",
        ("skipping unknown hooks?",),
        "Helm drops a document with an unknown hook event",
        "The helm.sh/hook of a document names an event that Helm does not know (crd-install of Helm 2, a typo, an "
        "empty item). Helm drops the whole document and continues. This does not make the operation fail, but the "
        "missing object may.",
        (),
        "use one of the events pre- or post-install, -upgrade, -rollback, -delete, or test; put "
        "CustomResourceDefinitions into crds/",
        rule="WB210",
        stage=Stage.ANYWHERE,
        tools=(HELM, FLUX),
    ),
    KnownError(
        "crd-hook-exists",
        (rf'{_STILL_THERE}customresourcedefinitions\.apiextensions\.k8s\.io "<name>" already exists',),
        'Hook {event} failed: CustomResourceDefinition "{name}" already exists',
        'The chart contains CustomResourceDefinition "{name}" as a hook. Helm never deletes a CustomResourceDefinition before it creates it again, '
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
        "{What} is still being deleted",
        "Helm deleted {what} of the last run (before-hook-creation), but it still exists: a finalizer holds it, or "
        "its pods need time to stop. In the second case, wait and retry. Nothing with its name can be created until "
        "it is gone.",
        (
            Way(
                "remove its finalizers, then retry",
                (
                    """kubectl patch {kind} {name}{in_namespace} --type=merge -p '{{"metadata":{{"finalizers":null}}}}'""",
                    "{again}",
                ),
                "the owner of the finalizer does not do its clean-up",
                when="it does not disappear: `kubectl get {kind} {name}{in_namespace} -o yaml` names its finalizers",
            ),
        ),
        "use Helm 3.14 or newer, or Helm 4 with --wait, which wait for the deletion; put no finalizers on hooks",
        rule="WB213",
        tools=(HELM, FLUX),
        of_hook=True,
        kind="Job",
    ),
    KnownError(
        "hook-exists",
        (rf'{_STILL_THERE}<resource> "<name>" already exists',),
        'Hook {event} failed: {Kind} "{name}" already exists',
        "The hook's {what} of the last run still exists, because its delete policy does not contain "
        "before-hook-creation. With hook-succeeded or hook-failed it stays if Helm is stopped or cannot create it. "
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
        "{what} ran longer than its activeDeadlineSeconds allows. Kubernetes deleted the pod that was running, and "
        "its logs with it.",
        (MEND_AND_AGAIN, *WITHOUT_HOOKS, DONE_BY_HAND, GO_BACK),
        "set the deadline in the pod template instead (spec.template.spec.activeDeadlineSeconds), which keeps the "
        "pod and its logs",
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
        "{what} ran and failed. The problem is in the Job itself, not in how you deploy it. Its logs show the "
        "reason, unless the delete policy hook-failed has deleted it.",
        (MEND_AND_AGAIN, *WITHOUT_HOOKS, DONE_BY_HAND, GO_BACK),
        "set restartPolicy: Never and remove hook-failed, so that the logs of a failure stay",
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
        "{what} was deleted before Helm 4 saw it end: its ttlSecondsAfterFinished is too short, or somebody deleted "
        "it. Helm waits for it until its --timeout, although it may have succeeded.",
        (
            Way(
                "retry",
                ("{again}",),
                "the Job does its work again",
                when="it was deleted by hand, once",
            ),
            *WITHOUT_HOOKS,
        ),
        "remove its ttlSecondsAfterFinished, or set it to some minutes",
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
        "Helm waited for {what} until its --timeout (by default 5 minutes for each hook). Either the hook needs "
        "longer, or its pod cannot start: an object that it needs is created after the hook, an image cannot be "
        "pulled, or a quota is full. The hook keeps running in the cluster.",
        (_LOOK, PLAIN_OBJECTS_FIRST, *WITHOUT_HOOKS, DONE_BY_HAND, GO_BACK),
        "make the objects that the hook's pod needs hooks with a lower weight, and set activeDeadlineSeconds so "
        "that the hook fails by itself",
        see=_BEHIND_A_WAIT,
        of_hook=True,
        kind="Job",
    ),
    KnownError(
        "sync-waits-for-hook",
        ("waiting for completion of hook batch/(?P<kind>Job)/<last>",),
        'waiting for completion of hook Job "{name}"',
        "Argo CD waits for {what} without a time limit: it still runs, its pod cannot start, or it was deleted "
        "before Argo CD saw it end.",
        (
            Way(
                "stop the sync, see what it waits for, sync again",
                (
                    "argocd app terminate-op APP",
                    "kubectl describe job {name}{in_namespace}",
                    "argocd app sync APP",
                ),
                "this deletes the running hook Jobs",
                mended=True,
            ),
        ),
        "set activeDeadlineSeconds on it, and put the objects that its pod needs into an earlier wave",
        see=_BEHIND_A_WAIT,
        tools=(ARGO,),
        kind="Job",
    ),
    KnownError(
        "retries-exhausted",
        ("(?:install|upgrade) retries exhausted",),
        "retries exhausted",
        "Flux has used up the retries of spec.install.remediation or spec.upgrade.remediation. The conditions and "
        "events of the HelmRelease show what failed; this line does not.",
        (
            Way(
                "find out what failed, fix that, then let Flux retry",
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
