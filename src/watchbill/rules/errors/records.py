"""What Helm remembers of a release: revisions, their status, and operations that never ended."""

from watchbill.rules.errors.known import FLUX, HELM, KnownError, Stage, Way
from watchbill.rules.errors.ways import DELETE_AND_AGAIN

_HISTORY = "helm history {release} -n {namespace}"
_INSTALL = "helm install {release} CHART -n {namespace}"
_UNINSTALL = "helm uninstall {release} -n {namespace}"
_PENDING = "owner=helm,name={release},status in (pending-install,pending-upgrade,pending-rollback)"

RECORDS = (
    KnownError(
        "rollback-not-found",
        (
            'no <kind> with the name "<name>" found',
            'original object <kind> with the name "<name>" not found',
        ),
        'no {Kind} with the name "{name}" found',
        "{what} is there, is in the version to go to, and is not in the last revision's manifest: the version between dropped it "
        "or made it a hook, and failed before it was deleted. Helm 3 and Helm 4.1 stop at such an object.",
        (DELETE_AND_AGAIN,),
        "Helm 4.2 or newer takes it over; and do not drop an object, or make it a hook, under the same name",
        rule="WB404",
        alone="rollback",
        stage=Stage.CHANGING,
    ),
    KnownError(
        "pending",
        (
            "another operation (?:\\(install/upgrade/rollback\\) )?is in progress",
            "pending-(?:install|upgrade|rollback)",  # as helm status, history and list --all have it
        ),
        "another operation (install/upgrade/rollback) is in progress",
        "The last revision is pending: an operation is running just now, or one was stopped before it could write down how it "
        "ended (CI cancelled, laptop closed, or a rollback's hook failed). Helm waits for nobody and refuses.",
        (
            Way(
                "wait",
                (_HISTORY,),
                "time",
                when="the last revision is minutes old and somebody else is deploying",
            ),
            Way(
                "go back to the last good revision, then upgrade again",
                (
                    _HISTORY,
                    "helm rollback {release} {revision} -n {namespace}",
                    "helm upgrade {release} CHART -n {namespace}",
                ),
                "what the stopped operation had changed is changed back, and rollback hooks run",
                when="an earlier revision was deployed once (pending-upgrade, pending-rollback)",
            ),
            Way(
                "forget the stopped operation, then the same again",
                (
                    f"kubectl delete secret -n {{namespace}} -l '{_PENDING}'",
                    "{again}",
                ),
                "none of what it had changed is changed back; Helm's record of it is gone",
                when="nobody is deploying, and Helm keeps its records in Secrets, as it does by default",
            ),
            Way(
                "uninstall, then install again",
                (_UNINSTALL, _INSTALL),
                "all its objects are deleted; volumes of StatefulSets stay",
                when="there is no other revision (pending-install)",
            ),
        ),
        "time for the operation to end: CI that cancels gently, activeDeadlineSeconds on hooks, --timeout below that of the CI job",
        tools=(HELM, FLUX),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "no-deployed-release",
        ('"[^"]{1,53}" has no deployed releases',),
        '"{release}" has no deployed releases',
        "None of the release's revisions is deployed: it was never installed under this name in this namespace, or an uninstall "
        "was begun and did not end (a pre-delete hook failed), or its history was kept when it was uninstalled.",
        (
            Way(
                "install it",
                ("helm list --all -n {namespace}", "helm upgrade --install {release} CHART -n {namespace}"),
                "nothing",
                when="`helm list --all` does not know it, or calls it uninstalled",
            ),
            Way(
                "bring the uninstall to its end, then install again",
                (f"{_UNINSTALL} --no-hooks", _INSTALL),
                "all its objects are deleted, and what its pre-delete and post-delete hooks do is not done",
                when="its status is uninstalling",
            ),
        ),
        see=("WB206",),
        operations=("upgrade",),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "name-in-use",
        ("cannot re-?use a name that is still in use",),
        "cannot reuse a name that is still in use",
        "Helm knows a release of this name already; after an install that failed, too.",
        (
            Way(
                "upgrade it",
                ("helm upgrade {release} CHART -n {namespace}",),
                "it counts as an upgrade: pre-install and post-install hooks do not run",
                when="it is not pending",
            ),
            Way(
                "uninstall it, then install again",
                (_UNINSTALL, _INSTALL),
                "all its objects are deleted; volumes of StatefulSets stay",
            ),
        ),
        "helm upgrade --install, and hooks that also name the upgrade event: a failed install is retried as an upgrade",
        see=("WB504",),
        operations=("install",),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "no-such-revision",
        ("release has no <revision> version",),
        "release has no {revision} version",
        "There is no such revision to roll back to: without a number it is the one before the last, and Helm keeps ten "
        "(--history-max).",
        (
            Way(
                "choose one that is there",
                (_HISTORY, "helm rollback {release} REVISION -n {namespace}"),
                "nothing",
                when="there is a good one",
            ),
            Way(
                "go forward instead",
                ("helm upgrade {release} CHART -n {namespace}",),
                "upgrade hooks run, migrations among them",
                when="the release is not pending",
            ),
        ),
        alone="rollback",
        stage=Stage.BEFORE,
    ),
    KnownError(
        "release-not-found",
        ("release: not found", 'release named "[^"]{1,53}" is already deleted'),
        "release: not found",
        "Helm knows no such release in this namespace, or it is uninstalled already.",
        (
            Way("look for it", ("helm list --all --all-namespaces",), "nothing"),
            Way(
                "install it",
                ("helm upgrade --install {release} CHART -n {namespace}",),
                "what an earlier installation left behind may be in the way",
            ),
        ),
        see=("WB304",),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "race",
        (r'secrets? "sh\.helm\.release\.v1\.<release>\.v\d+" already exists',),
        "the next revision's record already exists",
        "Somebody else began an operation on the same release at the same moment.",
        (Way("wait for the other one, then the same again", (_HISTORY, "{again}"), "time"),),
        "one deployment of a release at a time: a concurrency group in CI",
        stage=Stage.BEFORE,
    ),
    KnownError(
        "record-too-big",
        (r'Secret "sh\.helm\.release\.v1\.<release>\.v\d+" is invalid: data: Too long',),
        "the release's record is too long",
        "Helm keeps chart and manifests of a revision in one Secret, which may not be larger than 1 MiB.",
        (),
        "smaller files in the chart (dashboards, schemas) or several charts",
        stage=Stage.BEFORE,
    ),
    KnownError(
        "cannot-delete-release",
        ("failed to delete release: ",),
        "failed to delete release",
        "An object in the release's manifest cannot be read any more: most often its kind is not served (its definition was "
        "deleted first, or Kubernetes dropped the version). Helm stops before it deletes anything.",
        (
            Way(
                "bring the definition back, then the same again",
                ("kubectl apply -f DEFINITION", "{again}"),
                "nothing",
                when="the kind's definition (CRD) was deleted",
                mended=True,
            ),
        ),
        alone="uninstall",
        stage=Stage.CHANGING,
    ),
)
