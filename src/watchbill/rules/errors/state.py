"""What a failed operation leaves behind, and what it takes to do the same once more."""

from msgspec import Struct

from watchbill.rules.errors.context import Context
from watchbill.rules.errors.known import ARGO, FLUX, KUBECTL, Stage


class State(Struct, frozen=True):
    words: str
    status: tuple[str, ...] = ()  # of the last revision, one of these; none: as it was, or there is none
    stored: bool = True  # Helm remembers the attempt


_INSTALL_AGAIN = "A new `helm install` fails because the name is still in use."
_STATES = {
    ("install", Stage.BEFORE): State("Nothing was created, and Helm stored no revision.", stored=False),
    ("install", Stage.FIRST_HOOKS): State(
        f"Revision 1 is failed, and no plain object was created. {_INSTALL_AGAIN}", ("failed",)
    ),
    ("install", Stage.CHANGING): State(
        f"Revision 1 is failed, and some of its objects exist. {_INSTALL_AGAIN}", ("failed",)
    ),
    ("install", Stage.WAITING): State(
        f"Revision 1 is failed, and all its objects exist. {_INSTALL_AGAIN}", ("failed",)
    ),
    ("install", Stage.LAST_HOOKS): State(
        f"Revision 1 is failed, and all its objects exist. {_INSTALL_AGAIN}", ("failed",)
    ),
    ("upgrade", Stage.BEFORE): State("Nothing was changed.", stored=False),
    ("upgrade", Stage.FIRST_HOOKS): State(
        "The new revision is failed, the previous one is still deployed. No plain object was changed.",
        ("failed",),
    ),
    ("upgrade", Stage.CHANGING): State(
        "The new revision is failed, the previous one still counts as deployed. But Helm has already changed other "
        "objects (Deployments come before Jobs), so the new version may be running.",
        ("failed",),
    ),
    ("upgrade", Stage.WAITING): State(
        "All objects are changed, and the new version runs as far as it can. Its revision is failed.",
        ("failed",),
    ),
    ("upgrade", Stage.LAST_HOOKS): State(
        "All objects are changed, and the new version is running. Its revision is failed.", ("failed",)
    ),
    ("rollback", Stage.BEFORE): State("Nothing was changed.", stored=False),
    ("rollback", Stage.FIRST_HOOKS): State(
        "The rollback's revision is pending-rollback. Until a rollback works, upgrades fail because another "
        "operation is in progress.",
        ("pending-rollback",),
    ),
    ("rollback", Stage.CHANGING): State(
        "The rollback's revision is failed, and no revision counts as deployed.", ("failed",)
    ),
    ("rollback", Stage.WAITING): State(
        "The objects are rolled back, but the rollback's revision is failed.", ("failed",)
    ),
    ("rollback", Stage.LAST_HOOKS): State(
        "The objects are rolled back, but the rollback's revision is pending-rollback. Until a rollback works, "
        "upgrades fail because another operation is in progress.",
        ("pending-rollback",),
    ),
    ("uninstall", Stage.BEFORE): State("Nothing was deleted.", stored=False),
    ("uninstall", Stage.FIRST_HOOKS): State(
        "Nothing was deleted, but the release is marked as uninstalling, so an upgrade fails with `has no deployed "
        "releases`. Every uninstall fails until the hook works.",
        ("uninstalling",),
    ),
    ("uninstall", Stage.CHANGING): State(
        "Some objects are deleted; the release is marked as uninstalling.", ("uninstalling",)
    ),
    ("uninstall", Stage.LAST_HOOKS): State(
        "The release and its objects are deleted. Only the work of the hook is not done.",
        stored=False,
    ),
    ("test", Stage.LAST_HOOKS): State("The release is unchanged: a test does not change it.", stored=False),
}
_UNDONE = {
    "rolled back": State(
        "Helm has rolled the release back: the previous version is running again, as a new revision.",
        ("deployed",),
    ),
    "uninstalled": State("Helm has uninstalled the release again: only hook objects are left.", stored=False),
    "rollback failed": State(
        "Helm tried to roll back and failed again: some objects are of the new version.",
        ("failed", "pending-rollback"),
    ),
    "uninstall failed": State(
        "Helm tried to uninstall the release and failed again.", ("failed", "uninstalling")
    ),
    "nothing to roll back to": State(
        "There was no good revision to roll back to. The new revision is failed.", ("failed",)
    ),
}
_OTHER_TOOLS = {
    ARGO: "The sync failed; objects that were applied before stay. Argo CD retries a few times, then waits for a new commit.",
    KUBECTL: "kubectl has applied the other objects, and does not undo that.",
}
_UNKNOWN = State("")
_STAGES = {"pre": Stage.FIRST_HOOKS, "post": Stage.LAST_HOOKS, "test": Stage.LAST_HOOKS}


def stage_of(context: Context, stage: Stage | None) -> Stage:
    """An event tells where it happened; without one, `stage` does."""
    if context.operation == "test":
        return Stage.LAST_HOOKS
    if context.before:
        return Stage.BEFORE
    return _STAGES.get(context.event.partition("-")[0], stage or Stage.CHANGING)


def state_of(context: Context, stage: Stage | None) -> State:
    if stage is Stage.ANYWHERE:
        return _UNKNOWN
    if other := _OTHER_TOOLS.get(context.tool):
        return State(other)
    if context.undone:
        return _UNDONE[context.undone]
    return _STATES.get((context.operation, stage_of(context, stage)), _UNKNOWN)


def again(context: Context, state: State) -> tuple[str, ...]:
    """The commands that do the same once more."""
    if context.tool == KUBECTL:
        return ("kubectl apply -f FILE",)
    if context.tool == ARGO:
        return ("argocd app sync APP",)
    if context.tool == FLUX:
        if context.operation == "apply":
            return ("flux reconcile kustomization KUSTOMIZATION",)
        return ("flux reconcile helmrelease {release} -n {namespace} --reset",)
    match context.operation:
        case "uninstall" if context.event == "post-delete":
            return ()  # there is nothing left to uninstall
        case "install":
            install = "helm install {release} CHART -n {namespace}"
            return ("helm uninstall {release} -n {namespace}", install) if state.stored else (install,)
        case "rollback":
            return ("helm rollback {release} {revision} -n {namespace}",)
        case "uninstall":
            return ("helm uninstall {release} -n {namespace}",)
        case "test":
            return ("helm test {release} -n {namespace}",)
        case "":
            return ()  # nobody knows
        case _:
            return ("helm upgrade {release} CHART -n {namespace}",)
