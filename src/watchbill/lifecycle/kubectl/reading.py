"""What `helm template` prints, read as kubectl reads it (cli-runtime's resource builder)."""

from functools import lru_cache
from typing import NamedTuple

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.kubectl.last_applied import encoded
from watchbill.lifecycle.kubectl.selector import Selector, fits
from watchbill.lifecycle.kubectl.words import SOURCE, Error, Problem, Several
from watchbill.lifecycle.lab import Render
from watchbill.lifecycle.objects import Body
from watchbill.lifecycle.world import Manifest, World

# Fields of the metadata, or what they hold, that must be text.
TEXTS = frozenset({"annotations", "labels", "name", "namespace", "generateName"})


def documents(render: Render) -> tuple[Manifest, ...]:
    """An install, each time: `helm template` knows no cluster. First what is plain, then every hook.

    Nothing if it does not render, and nothing of the folder crds/.
    """
    rendered = render(upgrade=False, revision=1, world=World())
    return (*rendered.manifests, *(manifest for hook in rendered.hooks for manifest in hook.objects))


class Read(NamedTuple):
    documents: list[Manifest]
    unread: list[Problem]

    @property
    def errors(self) -> list[Error]:
        """What was wrong with documents comes last, and travels as one."""
        return [Several(tuple(self.unread))] if self.unread else []


def read(client: Client, manifests: tuple[Manifest, ...], selector: Selector, *, validate: bool) -> Read:
    """Kinds are looked up now: what a definition among the documents brings is not known yet.

    To validate is to look whether a document is one at all; nothing is read behind one that is not.
    """
    result = Read([], [])
    for manifest in manifests:
        if validate and (words := _unset(manifest.body)):
            result.unread.append(Problem(words))
            break
        if words := _undecodable(manifest.body) or _kindless(manifest):
            result.unread.append(Problem(f"unable to decode {SOURCE}: {words}"))
        elif not client.serves(manifest.body):
            result.unread.append(Problem(_not_served(manifest)))
        elif fits(selector, manifest.body.labels):
            result.documents.append(manifest)
    return result


def misplaced(manifest: Manifest, namespace: str) -> Problem | None:
    own = manifest.key.namespace
    if own in ("", namespace):
        return None
    return Problem(
        f'the namespace from the provided object "{own}" does not match the namespace "{namespace}". '
        f"You must pass '--namespace={own}' to perform this operation."
    )


def _unset(body: Body) -> str:
    unset = [
        f"{field} not set"
        for field, text in (("apiVersion", body.api_version), ("kind", body.kind))
        if not text
    ]
    if not unset:
        return ""
    words = unset[0] if len(unset) == 1 else f"[{', '.join(unset)}]"
    return (
        f"error validating {SOURCE}: error validating data: {words}; if you choose to ignore these errors, "
        "turn validation off with --validate=false"
    )


@lru_cache(1 << 14)
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


def _kindless(manifest: Manifest) -> str:
    if manifest.body.kind:
        return ""
    metadata = manifest.body.metadata
    if not manifest.stated:  # then the document has none; the namespace was filled in since
        metadata = {field: value for field, value in metadata.items() if field != "namespace"}
    document = {**manifest.body.object, "metadata": metadata}
    return f"Object 'Kind' is missing in '{encoded(document).strip()}'"


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
