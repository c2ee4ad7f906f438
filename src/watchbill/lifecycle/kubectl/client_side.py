"""Client-side apply (pkg/cmd/apply: applyOneObject and patcher.go): create, or a three-way patch."""

from functools import lru_cache

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.kube import catalog, merge
from watchbill.lifecycle.kubectl.last_applied import annotated, annotated_for_creation, last_applied
from watchbill.lifecycle.kubectl.requests import create, patch, refuse
from watchbill.lifecycle.kubectl.words import Problem, identified, refused, when, when_patching
from watchbill.lifecycle.objects import Body, at
from watchbill.lifecycle.server import Reason, Refused
from watchbill.lifecycle.world import Live, Manifest

MANAGER = "kubectl-client-side-apply"
FORCED = "--force"
RESTORED = "restores it"


def apply(client: Client, manifest: Manifest, *, force: bool) -> Problem | None:
    client.manager = MANAGER
    if not manifest.key.name:
        around = f"retrieving current configuration of:\n{identified(client, manifest)}\nfrom server for:"
        return Problem(when(around) + "resource name may not be empty")
    live = client.get(manifest.key)
    if live is None:
        try:
            create(client, Manifest(manifest.key, annotated_for_creation(manifest.body)))
        except Refused as error:
            return refused(error, when("creating"))
        return None
    return _change(client, manifest, live, force)


def _change(client: Client, manifest: Manifest, live: Live, force: bool) -> Problem | None:
    try:
        merged = _merged(live.body, annotated(manifest.body))
        if merged is not None:
            patch(client, manifest.key, merged)
    except merge.Unpatchable as error:
        return Problem(when_patching(client, manifest) + when("patching") + error.words)
    except Refused as error:
        if force and error.reason in (Reason.INVALID, Reason.CONFLICT):
            return _recreate(client, manifest, live)
        return refused(error, when_patching(client, manifest) + when("patching"))
    return None


def _recreate(client: Client, manifest: Manifest, live: Live) -> Problem | None:
    """Deletes and creates; if it cannot be created, tries to bring back what was there."""
    around = when_patching(client, manifest)
    client.delete(manifest, why=FORCED)
    if client.get(manifest.key) is not None:
        return Problem(around + "context deadline exceeded")
    try:
        create(client, Manifest(manifest.key, annotated(manifest.body)), why=FORCED)
    except Refused as error:
        try:
            _restore(client, manifest, live)
        except Refused as unrestored:
            return Problem(
                f"{around}An error occurred force-replacing the existing object with the newly provided one:"
                f"\n\n{error.words}.\n\n"
                f"Additionally, an error occurred attempting to restore the original object:"
                f"\n\n{unrestored.words}"
            )
        return refused(error, around)
    return None


def _restore(client: Client, manifest: Manifest, live: Live) -> None:
    if manifest.key[:2] == ("batch", "Job") and not at(live.body.object, "spec", "manualSelector"):
        # It carries the uid of the Job that was deleted, and the server gave the new one another.
        words = (
            f'Job.batch "{manifest.key.name}" is invalid: [spec.template.metadata.labels[controller-uid]: '
            "Invalid value: …: must be 'UID', spec.template.metadata.labels[batch.kubernetes.io/controller-uid]: "
            "Invalid value: …: must be 'UID', spec.selector: Invalid value: …: `selector` not auto-generated]"
        )
        refuse(client, "create", manifest.key, Refused(Reason.INVALID, words), RESTORED)
    create(client, Manifest(manifest.key, live.body), why=RESTORED)


@lru_cache(1 << 16)
def _merged(live: Body, modified: Body) -> Body | None:
    """The live object with kubectl's patch in it; None if there is nothing to send."""
    original = last_applied(live)
    if catalog.find(modified.api_version, modified.kind) is not None:
        merged = merge.strategic(modified.api_version, modified.kind, original, modified.object, live.object)
    else:
        merged = merge.json_three_way(original, modified.object, live.object)
    return None if merged is live.object else Body.of(merged)
