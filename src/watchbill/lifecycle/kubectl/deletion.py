"""`kubectl delete -f -` (pkg/cmd/delete): document by document, as they are printed; then it waits."""

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.kubectl.options import Options
from watchbill.lifecycle.kubectl.reading import read
from watchbill.lifecycle.kubectl.words import Problem, refused, when
from watchbill.lifecycle.server import Reason, Refused, plural_of, resource_words
from watchbill.lifecycle.world import Manifest


def delete(
    client: Client, manifests: tuple[Manifest, ...], namespace: str, options: Options
) -> list[Problem]:
    problems = []
    deleted = []
    for found in read(client, manifests, namespace, options.selector):
        problem = found if isinstance(found, Problem) else _delete(client, found)
        if problem is None:
            assert isinstance(found, Manifest)
            deleted.append(found)
        elif not (options.ignore_not_found and problem.reason is Reason.NOT_FOUND):
            problems.append(problem)
    if not problems and options.wait:
        problems += _stuck(client, deleted)
    return problems


def _delete(client: Client, manifest: Manifest) -> Problem | None:
    if not manifest.key.name:
        return Problem(when("deleting") + "resource name may not be empty")
    if client.get(manifest.key) is None:
        client.deleted_nothing(manifest.key)
        words = f"{resource_words(client.world, manifest.body, manifest.key.name)} not found"
        return refused(Refused(Reason.NOT_FOUND, words), when("deleting"))
    try:
        client.delete(manifest)
    except Refused as error:
        return refused(error, when("deleting"))
    return None


def _stuck(client: Client, deleted: list[Manifest]) -> list[Problem]:
    """The first that does not go; what nobody releases is waited for until the time is over."""
    for manifest in deleted:
        if client.get(manifest.key) is not None:
            plural = plural_of(client.world, manifest.body.api_version, manifest.body.kind)
            return [Problem(f"timed out waiting for the condition on {plural}/{manifest.key.name}")]
    return []
