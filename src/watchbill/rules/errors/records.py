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
        "{what} exists and is in the version to roll back to, but not in the last revision's manifest: that "
        "revision removed it or made it a hook, and failed before Helm deleted it. Helm 3 and Helm 4.1 fail on such "
        "an object.",
        (DELETE_AND_AGAIN,),
        "use Helm 4.2 or newer, which adopts it; and do not make an object a hook under the same name",
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
        "The last revision is pending: an operation is still running, or one was stopped before it could record how "
        "it ended (CI cancelled, laptop closed, or a rollback's hook failed). Helm does not wait for it and refuses.",
        (
            Way(
                "wait",
                (_HISTORY,),
                "time",
                when="the last revision is minutes old and somebody else is deploying",
            ),
            Way(
                "roll back to the last good revision, then upgrade again",
                (
                    _HISTORY,
                    "helm rollback {release} {revision} -n {namespace}",
                    "helm upgrade {release} CHART -n {namespace}",
                ),
                "the changes of the stopped operation are undone, and rollback hooks run",
                when="an earlier revision was deployed (pending-upgrade, pending-rollback)",
            ),
            Way(
                "forget the stopped operation, then retry",
                (
                    f"kubectl delete secret -n {{namespace}} -l '{_PENDING}'",
                    "{again}",
                ),
                "its changes are not undone; Helm's record of it is gone",
                when="nobody is deploying, and Helm stores its records in Secrets (the default)",
            ),
            Way(
                "uninstall, then install again",
                (_UNINSTALL, _INSTALL),
                "all its objects are deleted; volumes of StatefulSets stay",
                when="there is no other revision (pending-install)",
            ),
        ),
        "give the operation time to end: let CI cancel gently, set activeDeadlineSeconds on hooks, and set "
        "--timeout below the time limit of the CI job",
        tools=(HELM, FLUX),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "no-deployed-release",
        ('"[^"]{1,53}" has no deployed releases',),
        '"{release}" has no deployed releases',
        "No revision of the release is deployed: it was never installed under this name in this namespace, or an "
        "uninstall did not finish (a pre-delete hook failed), or it was uninstalled with --keep-history.",
        (
            Way(
                "install it",
                ("helm list --all -n {namespace}", "helm upgrade --install {release} CHART -n {namespace}"),
                "nothing",
                when="`helm list --all` does not list it, or lists it as uninstalled",
            ),
            Way(
                "finish the uninstall, then install again",
                (f"{_UNINSTALL} --no-hooks", _INSTALL),
                "all its objects are deleted, and its pre-delete and post-delete hooks do not run",
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
        "A release with this name already exists. A failed install also leaves one.",
        (
            Way(
                "upgrade it",
                ("helm upgrade {release} CHART -n {namespace}",),
                "pre-install and post-install hooks do not run, because it is an upgrade",
                when="it is not pending",
            ),
            Way(
                "uninstall it, then install again",
                (_UNINSTALL, _INSTALL),
                "all its objects are deleted; volumes of StatefulSets stay",
            ),
        ),
        "use helm upgrade --install, and give hooks the upgrade event too, because a failed install is retried as "
        "an upgrade",
        see=("WB504",),
        operations=("install",),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "no-such-revision",
        ("release has no <revision> version",),
        "release has no {revision} version",
        "This revision does not exist. Without a number, Helm rolls back to the revision before the last one. Helm "
        "keeps ten revisions (--history-max).",
        (
            Way(
                "choose a revision that exists",
                (_HISTORY, "helm rollback {release} REVISION -n {namespace}"),
                "nothing",
                when="one of them is good",
            ),
            Way(
                "upgrade instead",
                ("helm upgrade {release} CHART -n {namespace}",),
                "upgrade hooks run, including migrations",
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
        "There is no such release in this namespace, or it is already uninstalled.",
        (
            Way("look for it", ("helm list --all --all-namespaces",), "nothing"),
            Way(
                "install it",
                ("helm upgrade --install {release} CHART -n {namespace}",),
                "objects that an earlier installation left may make it fail",
            ),
        ),
        see=("WB304",),
        stage=Stage.BEFORE,
    ),
    KnownError(
        "race",
        (r'secrets? "sh\.helm\.release\.v1\.<release>\.v\d+" already exists',),
        "the record of the next revision already exists",
        "Somebody else started an operation on the same release at the same moment.",
        (Way("wait for the other operation, then retry", (_HISTORY, "{again}"), "time"),),
        "deploy a release only once at a time, for example with a concurrency group in CI",
        stage=Stage.BEFORE,
    ),
    KnownError(
        "record-too-big",
        (r'Secret "sh\.helm\.release\.v1\.<release>\.v\d+" is invalid: data: Too long',),
        "the release's record is too large",
        "Helm stores the chart and the manifests of a revision in one Secret, which cannot be larger than 1 MiB.",
        (),
        "make files of the chart smaller (dashboards, schemas), or split the chart",
        stage=Stage.BEFORE,
    ),
    KnownError(
        "cannot-delete-release",
        ("failed to delete release: ",),
        "failed to delete release",
        "Helm can no longer read an object in the release's manifest. Usually the cluster no longer serves its "
        "kind: its CustomResourceDefinition was deleted first, or Kubernetes removed the API version. Helm stops "
        "before it deletes anything.",
        (
            Way(
                "restore the definition, then retry",
                ("kubectl apply -f DEFINITION", "{again}"),
                "nothing",
                when="the CustomResourceDefinition was deleted",
                mended=True,
            ),
        ),
        alone="uninstall",
        stage=Stage.CHANGING,
    ),
)
