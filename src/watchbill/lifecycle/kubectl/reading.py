"""What `helm template` prints, read as kubectl reads it (cli-runtime's resource builder)."""

from collections.abc import Iterator

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.kubectl.selector import Selector, fits
from watchbill.lifecycle.kubectl.words import SOURCE, Problem
from watchbill.lifecycle.lab import Render
from watchbill.lifecycle.objects import Body
from watchbill.lifecycle.world import Manifest, World

# Fields of the metadata, or what they hold, that must be text.
TEXTS = frozenset({"annotations", "labels", "name", "namespace", "generateName"})


class Stop(Exception):  # noqa: N818 - nothing behind this document is read
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def documents(render: Render) -> tuple[Manifest, ...]:
    """An install, each time: `helm template` knows no cluster. First what is plain, then every hook.

    Nothing if it does not render, and nothing of the folder crds/.
    """
    rendered = render(upgrade=False, revision=1, world=World())
    return (*rendered.manifests, *(manifest for hook in rendered.hooks for manifest in hook.objects))


def read(
    client: Client, manifests: tuple[Manifest, ...], namespace: str, selector: Selector
) -> Iterator[Manifest | Problem]:
    """Each document, or what is wrong with it."""
    for manifest in manifests:
        if words := _undecodable(manifest.body):
            yield Problem(f"unable to decode {SOURCE}: {words}")
        elif not client.serves(manifest.body):
            yield Problem(_not_served(manifest))
        elif not fits(selector, manifest.body.labels):
            continue
        elif manifest.key.namespace not in ("", namespace):
            yield Problem(_elsewhere(manifest.key.namespace, namespace))
        else:
            yield manifest


def checked(manifests: tuple[Manifest, ...]) -> Iterator[Manifest]:
    """`apply` looks at each document before it goes on to the next."""
    for manifest in manifests:
        missing = [
            f"{field} not set"
            for field, text in (("apiVersion", manifest.body.api_version), ("kind", manifest.body.kind))
            if not text
        ]
        if missing:
            words = missing[0] if len(missing) == 1 else f"[{', '.join(missing)}]"
            raise Stop(
                Problem(
                    f"error validating {SOURCE}: error validating data: {words}; if you choose to ignore "
                    "these errors, turn validation off with --validate=false"
                )
            )
        yield manifest


def _undecodable(body: Body) -> str:
    """kubectl reads the metadata of every document, whatever its kind; the first thing wrong is told."""
    for field, value in sorted(body.metadata.items()):
        texts = value.values() if field in ("annotations", "labels") and isinstance(value, dict) else [value]
        for text in texts if field in TEXTS else ():
            if text is not None and not isinstance(text, str):
                return (
                    f"json: cannot unmarshal {_json_type(text)} into Go struct field "
                    f"ObjectMeta.metadata.{field} of type string"
                )
    return ""


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return "array" if isinstance(value, list) else "object"


def _not_served(manifest: Manifest) -> str:
    body = manifest.body
    return (
        f'resource mapping not found for name: "{body.name}" namespace: "{manifest.stated}" '
        f'from {SOURCE}: no matches for kind "{body.kind}" in version "{body.api_version}"\n'
        "ensure CRDs are installed first"
    )


def _elsewhere(own: str, namespace: str) -> str:
    return (
        f'the namespace from the provided object "{own}" does not match the namespace "{namespace}". '
        f"You must pass '--namespace={own}' to perform this operation."
    )
