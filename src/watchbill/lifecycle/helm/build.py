"""Manifests become requests only if the API server knows their kinds and their metadata can be read."""

from functools import lru_cache

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.helm.operation import Failed
from watchbill.lifecycle.kube import catalog
from watchbill.lifecycle.objects import Body
from watchbill.lifecycle.world import Manifest


def build(client: Client, manifests: tuple[Manifest, ...], prefix: str = "") -> None:
    """Fails with everything that cannot be built, as client-go's resource builder puts it together."""
    if builds_everywhere(manifests):
        return
    problems = dict.fromkeys(words for manifest in manifests if (words := _problem(client, manifest)))
    if problems:
        words = next(iter(problems)) if len(problems) == 1 else f"[{', '.join(problems)}]"
        raise Failed(f"{prefix}{words}")


@lru_cache(1 << 12)
def builds_everywhere(manifests: tuple[Manifest, ...]) -> bool:
    """Whatever the world is like: nothing but readable objects of built-in kinds."""
    return all(
        catalog.find(manifest.body.api_version, manifest.body.kind) is not None
        and not _unreadable(manifest.body)
        for manifest in manifests
    )


def _problem(client: Client, manifest: Manifest) -> str:
    body = manifest.body
    if unreadable := _unreadable(body):
        return unreadable
    if not client.serves(body):
        return (
            f'resource mapping not found for name: "{body.name}" namespace: "{manifest.stated}" from "": '
            f'no matches for kind "{body.kind}" in version "{body.api_version}"\n'
            "ensure CRDs are installed first"
        )
    return ""


@lru_cache(1 << 14)
def _unreadable(body: Body) -> str:
    unset = [
        f"{field} not set" if field not in body.object else f"{field} isn't string type"
        for field in ("apiVersion", "kind")
        if not body.object.get(field) or not isinstance(body.object[field], str)
    ]
    if unset:
        words = unset[0] if len(unset) == 1 else f"[{', '.join(unset)}]"
        return f'error validating "": error validating data: {words}'
    for field in ("name", "namespace", "generateName"):
        found = body.metadata.get(field)
        if found is not None and not isinstance(found, str):
            return _undecodable(found, field, "string")
    for field in ("annotations", "labels"):
        found = body.metadata.get(field)
        if found is not None and not isinstance(found, dict):
            return _undecodable(found, field, "map[string]string")
        for value in (found or {}).values():
            if not isinstance(value, str):
                return _undecodable(value, field, "string")
    return ""


def _undecodable(value: object, field: str, wanted: str) -> str:
    return (
        f'unable to decode "": json: cannot unmarshal {_json_type(value)} into Go struct field '
        f"ObjectMeta.metadata.{field} of type {wanted}"
    )


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, list):
        return "array"
    if isinstance(value, str):
        return "string"
    return "object"
