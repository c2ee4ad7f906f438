"""Ways out that several errors share, and what it costs to delete an object."""

from watchbill.rules.errors.known import HELM, Stage, Way

# By kind: what is lost, or stands still, until the object is made anew.
_COSTS = {
    "Job": "its pods are stopped and their logs are gone; made anew, it runs again",
    "Pod": "it is stopped and its logs are gone; made anew, it runs again",
    "ConfigMap": "pods that start before it is made anew wait for it",
    "Secret": "pods that start before it is made anew wait for it; what was generated in it is generated anew",
    "ServiceAccount": "pods that use it lose their login to the API until they are restarted",
    "Deployment": "its pods stop: the application is down until the new ones are ready",
    "DaemonSet": "its pods stop on every node until the new ones are ready",
    "ReplicaSet": "its pods stop until the new ones are ready",
    "StatefulSet": "its pods stop until the new ones are ready; their volumes stay",
    "CronJob": "runs that have not ended are stopped, its history is gone",
    "Service": "it gets another address, and connections through it break",
    "Ingress": "nothing gets in through it until it is made anew",
    "Role": "who has its rights has none until it is made anew",
    "RoleBinding": "who has its rights has none until it is made anew",
    "ClusterRole": "who has its rights has none until it is made anew",
    "ClusterRoleBinding": "who has its rights has none until it is made anew",
}
_COST = "it is gone until it is made anew, and so is what depends on it"
# Not to be deleted by anybody in a hurry: data goes with them.
PRECIOUS = {
    "PersistentVolumeClaim": "its data",
    "PersistentVolume": "its data",
    "CustomResourceDefinition": "every object of its kind, in every namespace",
    "Namespace": "everything in it",
}


def cost_of_deleting(kind: str) -> str:
    if kind in PRECIOUS:
        return f"{PRECIOUS[kind]} is deleted with it: save that first"
    return _COSTS.get(kind, _COST)


_HOOKS = (Stage.FIRST_HOOKS, Stage.LAST_HOOKS)

DELETE_AND_AGAIN = Way(
    "delete it, then the same again",
    ("kubectl delete {kind} {name}{in_namespace}", "{again}"),
    "{deletion}",
)
GO_BACK = Way(
    "go back to the version before",
    ("helm history {release} -n {namespace}", "helm rollback {release} {revision} -n {namespace}"),
    "the new version is not deployed, and what a migration did to the data stays done; should it say that there is no object "
    "with some name, delete that one and roll back again",
    tools=(HELM,),
    operations=("upgrade",),
    stages=(Stage.CHANGING, Stage.WAITING, Stage.LAST_HOOKS),
    takes_back=True,
)
MEND_AND_AGAIN = Way(
    "read why it failed, mend that, delete it, then the same again",
    (
        "kubectl logs {kind}/{name}{in_namespace}",
        "kubectl delete {kind} {name}{in_namespace} --ignore-not-found",
        "{again}",
    ),
    "its logs are gone; what it did before it failed is done, and is done once more",
    mended=True,
)
UPGRADE_WITHOUT_HOOKS = Way(
    "upgrade without hooks",
    ("helm upgrade {release} CHART -n {namespace} --no-hooks",),
    "no hook runs, so no migration either: only where it is done already, or not needed",
    tools=(HELM,),
    operations=("upgrade",),
    stages=_HOOKS,
)
ROLL_BACK_WITHOUT_HOOKS = Way(
    "roll back without hooks",
    ("helm rollback {release} {revision} -n {namespace} --no-hooks",),
    "what the pre-rollback and post-rollback hooks do is not done",
    tools=(HELM,),
    operations=("rollback",),
    stages=_HOOKS,
)
UNINSTALL_WITHOUT_HOOKS = Way(
    "uninstall without hooks",
    ("helm uninstall {release} -n {namespace} --no-hooks",),
    "what the pre-delete and post-delete hooks do is not done: backups, clean-up, deregistration",
    tools=(HELM,),
    operations=("uninstall",),
    stages=(Stage.FIRST_HOOKS,),
)
DONE_BY_HAND = Way(
    "do its work by hand, delete what is left of it",
    (
        "kubectl logs {kind}/{name}{in_namespace}",
        "kubectl delete {kind} {name}{in_namespace} --ignore-not-found",
    ),
    "its logs are gone; nothing else is left of the release",
    operations=("uninstall",),
    stages=(Stage.LAST_HOOKS,),
)
WITHOUT_HOOKS = (UPGRADE_WITHOUT_HOOKS, ROLL_BACK_WITHOUT_HOOKS, UNINSTALL_WITHOUT_HOOKS)
PLAIN_OBJECTS_FIRST = Way(
    "make the plain objects first, and run the hooks with an upgrade",
    (
        "kubectl delete {kind} {name}{in_namespace} --ignore-not-found",
        "helm uninstall {release} -n {namespace}",
        "helm install {release} CHART -n {namespace} --no-hooks",
        "helm upgrade {release} CHART -n {namespace}",
    ),
    "the application starts before the hook has run; hooks that name no upgrade event do not run at all",
    when="it needs an object of the same chart, and runs before upgrades too",
    tools=(HELM,),
    operations=("install",),
)
