"""Writes of kubectl: it asks the server to refuse what it would otherwise only warn of."""

from functools import lru_cache

from watchbill.lifecycle.client import Client, Step
from watchbill.lifecycle.kube.decode import strict_error
from watchbill.lifecycle.kube.patched import patch_error
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.server import Reason, Refused
from watchbill.lifecycle.world import Manifest


def create(client: Client, manifest: Manifest, why: str = "") -> None:
    if words := _unreadable(manifest.body):
        refuse(client, "create", manifest.key, Refused(Reason.BAD_REQUEST, words), why)
    client.create(manifest, why)


def patch(client: Client, key: Key, merged: Body, why: str = "") -> None:
    if words := _unreadable_patch(merged):
        refuse(client, "patch", key, Refused(Reason.INVALID, words), why)
    client.patch(key, merged, why)


def refuse(client: Client, verb: str, key: Key, error: Refused, why: str = "") -> None:
    """A write that the server does not take, for a reason the model of it does not see."""
    client.steps.append(Step(verb, client.world, key, why, refused=error.words))
    raise error


@lru_cache(1 << 14)
def _unreadable(body: Body) -> str | None:
    return strict_error(body.object)


@lru_cache(1 << 14)
def _unreadable_patch(merged: Body) -> str | None:
    return patch_error(merged.object, strict=True)
