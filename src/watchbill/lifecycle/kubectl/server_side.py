"""Server-side apply (pkg/cmd/apply: applyOneObject), and how it takes over from client-side apply."""

from functools import lru_cache

from msgspec.structs import replace

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.kube.apply import LAST_APPLIED, Manager, Managers
from watchbill.lifecycle.kubectl.words import Problem, refused
from watchbill.lifecycle.objects import Body
from watchbill.lifecycle.server import Reason, Refused
from watchbill.lifecycle.world import Live, Manifest

MANAGER = "kubectl"
KEEPER = "kubectl-last-applied"
ANNOTATION = ("metadata", "annotations", LAST_APPLIED)
TAKEOVER = "takes over from client-side apply"
ADVICE = """
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts"""


def apply(client: Client, manifest: Manifest, *, force: bool) -> Problem | None:
    if not manifest.key.name:
        return Problem("resource name may not be empty")
    client.manager = MANAGER
    try:
        client.apply(manifest, force=force)
    except Refused as error:
        if error.reason is Reason.CONFLICT:
            return Problem(error.words + ADVICE)
        return refused(error)
    _take_over(client, manifest, force)
    return None


def _take_over(client: Client, manifest: Manifest, force: bool) -> None:
    """The object is applied by now: whatever fails here is a warning at most."""
    try:
        _keep_annotation(client, manifest)
        if _migrate(client, manifest):
            client.apply(manifest, force=force, why=TAKEOVER)
    except Refused:
        pass
    finally:
        client.manager = MANAGER


def _keep_annotation(client: Client, manifest: Manifest) -> None:
    """Somebody has to own the annotation of client-side apply, or it would go with its last owner."""
    live = _live(client, manifest)
    text = live.body.annotations.get(LAST_APPLIED)
    if text is None or _owners(live.managers, "Apply"):
        return
    metadata = {
        **{
            field: live.body.metadata[field] for field in ("name", "namespace") if field in live.body.metadata
        },
        "annotations": {LAST_APPLIED: text},
    }
    body = {"apiVersion": manifest.body.api_version, "kind": manifest.body.kind, "metadata": metadata}
    client.manager = KEEPER
    client.apply(Manifest(manifest.key, Body.of(body)), force=False, why=TAKEOVER)
    client.manager = MANAGER


def _migrate(client: Client, manifest: Manifest) -> bool:
    """What client-side apply owns becomes server-side apply's; without that it could never be dropped."""
    live = _live(client, manifest)
    managers = _migrated(live.managers)
    if managers == live.managers:
        return False
    client.put(manifest.key, replace(live, managers=managers), why=TAKEOVER)
    return True


def _live(client: Client, manifest: Manifest) -> Live:
    return client.world.objects[manifest.key]


def _owners(managers: Managers, operation: str) -> set[str]:
    return {
        manager.name
        for manager in managers
        if manager.operation == operation and ANNOTATION in manager.fields
    }


@lru_cache(1 << 14)
def _migrated(managers: Managers) -> Managers:
    names = _owners(managers, "Update")

    def left(manager: Manager) -> bool:
        return manager.operation == "Update" and manager.name in names

    result = []
    for manager in managers:
        if manager.operation == "Apply" and manager.name == MANAGER:
            inherited = [
                other.fields for other in managers if left(other) and other.api_version == manager.api_version
            ]
            result.append(replace(manager, fields=manager.fields.union(*inherited)))
        elif not left(manager):
            result.append(manager)
    return tuple(result)
