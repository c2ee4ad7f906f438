"""`kubectl apply -f -` (pkg/cmd/apply): everything is read first, then applied one by one, whatever fails."""

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.kubectl import client_side, server_side
from watchbill.lifecycle.kubectl.options import Options
from watchbill.lifecycle.kubectl.pruning import prune
from watchbill.lifecycle.kubectl.reading import misplaced, read
from watchbill.lifecycle.kubectl.words import Error, Problem, gathered
from watchbill.lifecycle.world import Manifest


def apply(client: Client, manifests: tuple[Manifest, ...], namespace: str, options: Options) -> Error | None:
    found = read(client, manifests, options.selector, validate=True)
    elsewhere = [problem for document in found.documents if (problem := misplaced(document, namespace))]
    unread = gathered([*elsewhere, *found.errors])
    here = [document for document in found.documents if not misplaced(document, namespace)]
    if not unread and not here:
        return Problem("no objects passed to apply")
    failed = [problem for document in here if (problem := _apply(client, document, options))]
    if unread or failed:
        return gathered([*([unread] if unread else []), *failed])
    if options.prune:
        prune(client, {document.key for document in here}, namespace, options.selector)
    return None


def _apply(client: Client, manifest: Manifest, options: Options) -> Problem | None:
    generated = manifest.body.metadata.get("generateName", "")
    if generated and not manifest.key.name:
        return Problem(f"from {generated}: cannot use generate name with apply")
    if options.server_side:
        return server_side.apply(client, manifest, force=options.force_conflicts)
    return client_side.apply(client, manifest, force=options.force)
