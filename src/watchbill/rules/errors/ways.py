"""Ways out that several errors share, and what it costs to delete an object."""

from watchbill.rules.errors.known import HELM, Stage, Way

# By kind: what is lost, or does not work, until the object is created again.
_COSTS = {
    "Job": "its pods are stopped and their logs are lost; after it is created again, it runs again",
    "Pod": "it is stopped and its logs are lost; after it is created again, it runs again",
    "ConfigMap": "pods that start before it is created again wait for it",
    "Secret": "pods that start before it is created again wait for it; generated passwords and keys in it change",
    "ServiceAccount": "pods that use it lose access to the API until they are restarted",
    "Deployment": "its pods stop: the application is down until the new ones are ready",
    "DaemonSet": "its pods stop on every node until the new ones are ready",
    "ReplicaSet": "its pods stop until the new ones are ready",
    "StatefulSet": "its pods stop until the new ones are ready; their volumes stay",
    "CronJob": "unfinished runs are stopped, and its history is lost",
    "Service": "it gets another address, and connections to it break",
    "Ingress": "it routes no traffic until it is created again",
    "Role": "its users lack these permissions until it is created again",
    "RoleBinding": "its users lack these permissions until it is created again",
    "ClusterRole": "its users lack these permissions until it is created again",
    "ClusterRoleBinding": "its users lack these permissions until it is created again",
}
_COST = "it is missing until it is created again, and so is everything that depends on it"
# Not to be deleted by anybody in a hurry: data goes with them.
PRECIOUS = {
    "PersistentVolumeClaim": "its data",
    "PersistentVolume": "its data",
    "CustomResourceDefinition": "every object of its kind, in every namespace",
    "Namespace": "everything in it",
}


def cost_of_deleting(kind: str) -> str:
    if kind in PRECIOUS:
        return f"{PRECIOUS[kind]} is deleted with it: make a backup first"
    return _COSTS.get(kind, _COST)


_HOOKS = (Stage.FIRST_HOOKS, Stage.LAST_HOOKS)

DELETE_AND_AGAIN = Way(
    "delete it, then retry",
    ("kubectl delete {kind} {name}{in_namespace}", "{again}"),
    "{deletion}",
)
GO_BACK = Way(
    "roll back to the previous version",
    ("helm history {release} -n {namespace}", "helm rollback {release} {revision} -n {namespace}"),
    "the new version is not deployed, and changes that a migration made to the data stay; if the rollback fails "
    "with `no ... with the name ... found`, delete that object and roll back again",
    tools=(HELM,),
    operations=("upgrade",),
    stages=(Stage.CHANGING, Stage.WAITING, Stage.LAST_HOOKS),
    takes_back=True,
)
MEND_AND_AGAIN = Way(
    "read why it failed, fix that, delete it, then retry",
    (
        "kubectl logs {kind}/{name}{in_namespace}",
        "kubectl delete {kind} {name}{in_namespace} --ignore-not-found",
        "{again}",
    ),
    "its logs are lost; it repeats the work that it did before it failed",
    mended=True,
)
UPGRADE_WITHOUT_HOOKS = Way(
    "upgrade without hooks",
    ("helm upgrade {release} CHART -n {namespace} --no-hooks",),
    "no hook runs, and so no migration: only if it is already done or not needed",
    tools=(HELM,),
    operations=("upgrade",),
    stages=_HOOKS,
)
ROLL_BACK_WITHOUT_HOOKS = Way(
    "roll back without hooks",
    ("helm rollback {release} {revision} -n {namespace} --no-hooks",),
    "pre-rollback and post-rollback hooks do not run",
    tools=(HELM,),
    operations=("rollback",),
    stages=_HOOKS,
)
UNINSTALL_WITHOUT_HOOKS = Way(
    "uninstall without hooks",
    ("helm uninstall {release} -n {namespace} --no-hooks",),
    "pre-delete and post-delete hooks do not run: backups, clean-up, deregistration",
    tools=(HELM,),
    operations=("uninstall",),
    stages=(Stage.FIRST_HOOKS,),
)
DONE_BY_HAND = Way(
    "do its work by hand, then delete it",
    (
        "kubectl logs {kind}/{name}{in_namespace}",
        "kubectl delete {kind} {name}{in_namespace} --ignore-not-found",
    ),
    "its logs are lost; nothing else is left of the release",
    operations=("uninstall",),
    stages=(Stage.LAST_HOOKS,),
)
WITHOUT_HOOKS = (UPGRADE_WITHOUT_HOOKS, ROLL_BACK_WITHOUT_HOOKS, UNINSTALL_WITHOUT_HOOKS)
PLAIN_OBJECTS_FIRST = Way(
    "create the plain objects first, then run the hooks with an upgrade",
    (
        "kubectl delete {kind} {name}{in_namespace} --ignore-not-found",
        "helm uninstall {release} -n {namespace}",
        "helm install {release} CHART -n {namespace} --no-hooks",
        "helm upgrade {release} CHART -n {namespace}",
    ),
    "the application starts before the hook has run; hooks without an upgrade event do not run at all",
    when="it needs an object of the same chart, and also runs before upgrades",
    tools=(HELM,),
    operations=("install",),
)
