"""`kubectl delete -f -` (pkg/cmd/delete): document by document, as they are printed; then it waits."""

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.kubectl.options import Options
from watchbill.lifecycle.kubectl.reading import misplaced, read
from watchbill.lifecycle.kubectl.words import Error, Problem, gathered, refused, when, without
from watchbill.lifecycle.server import Reason, Refused, plural_of, resource_words
from watchbill.lifecycle.world import Manifest


def delete(client: Client, manifests: tuple[Manifest, ...], namespace: str, options: Options) -> Error | None:
    found = read(client, manifests, options.selector, validate=False)
    problems = [
        problem
        for document in found.documents
        if (problem := misplaced(document, namespace) or _delete(client, document))
    ]
    error = gathered([*problems, *found.errors])
    if options.ignore_not_found:
        error = without(error, Reason.NOT_FOUND)
    if error is None and options.wait:
        return _stuck(client, found.documents)
    return error


def _delete(client: Client, manifest: Manifest) -> Problem | None:
    if not manifest.key.name:
        return Problem(when("deleting") + "resource name may not be empty")
    if client.delete(manifest):
        return None
    words = f"{resource_words(client.world, manifest.body, manifest.key.name)} not found"
    return refused(Refused(Reason.NOT_FOUND, words), when("deleting"))


def _stuck(client: Client, deleted: list[Manifest]) -> Problem | None:
    """The first that does not go; what nobody releases is waited for until the time is over."""
    for manifest in deleted:
        if client.get(manifest.key) is not None:
            plural = plural_of(client.world, manifest.body.api_version, manifest.body.kind)
            return Problem(f"timed out waiting for the condition on {plural}/{manifest.key.name}")
    return None
