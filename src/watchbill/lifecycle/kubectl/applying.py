"""`kubectl apply -f -` (pkg/cmd/apply): everything is read first, then applied one by one, whatever fails."""

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.kubectl import client_side, server_side
from watchbill.lifecycle.kubectl.options import Options
from watchbill.lifecycle.kubectl.pruning import prune
from watchbill.lifecycle.kubectl.reading import Stop, checked, read
from watchbill.lifecycle.kubectl.words import Problem, together
from watchbill.lifecycle.world import Manifest


def apply(client: Client, manifests: tuple[Manifest, ...], namespace: str, options: Options) -> list[Problem]:
    unread, found = _read(client, manifests, namespace, options)
    if not unread and not found:
        return [Problem("no objects passed to apply")]
    failed = [problem for manifest in found if (problem := _apply(client, manifest, options))]
    if unread or failed:
        return [*together(unread), *failed] if failed else unread
    if options.prune:
        prune(client, {manifest.key for manifest in found}, namespace, options.selector)
    return []


def _read(
    client: Client, manifests: tuple[Manifest, ...], namespace: str, options: Options
) -> tuple[list[Problem], list[Manifest]]:
    """Kinds are looked up now: what a definition among the documents brings is not known yet."""
    readable: list[Manifest] = []
    stopped: list[Problem] = []
    try:
        readable.extend(checked(manifests))
    except Stop as stop:
        stopped = [stop.problem]
    documents = list(read(client, tuple(readable), namespace, options.selector))
    problems = [document for document in documents if isinstance(document, Problem)]
    return [*problems, *stopped], [document for document in documents if isinstance(document, Manifest)]


def _apply(client: Client, manifest: Manifest, options: Options) -> Problem | None:
    generated = manifest.body.metadata.get("generateName", "")
    if generated and not manifest.key.name:
        return Problem(f"from {generated}: cannot use generate name with apply")
    if options.server_side:
        return server_side.apply(client, manifest, force=options.force_conflicts)
    return client_side.apply(client, manifest, force=options.force)
