"""Where a play takes place: the API server, a namespace of its own, and nothing left behind."""

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dev.cluster.api import MERGE, Api, ApiError
from dev.cluster.client import eventually
from dev.tapes.catalog import Catalog, Kind
from dev.tapes.naming import Ref
from dev.tapes.snapshot import Unrest, World

# The API server's own; objects of a play in them are removed one by one.
SYSTEM = {"default", "kube-system", "kube-public", "kube-node-lease"}
BOOTSTRAP = "kubernetes.io/bootstrapping"
# Made by the API server and its controllers, and again when they are removed.
_SERVERS_OWN = re.compile(
    r"^/api/v1/namespaces/(default|kube-system|kube-public|kube-node-lease)$"
    r"|/serviceaccounts/default$|/configmaps/kube-root-ca\.crt$"
    r"|/priorityclasses/system-(cluster|node)-critical$|/system:[^/]*$"
)
GONE_WITHIN = 60


@dataclass(frozen=True)
class Server:
    """One API server, for all plays of a session."""

    kubeconfig: Path
    api: Api
    catalog: Catalog
    # Namespaces that stay until the session ends: removing one costs the server more than a whole play.
    kept: list[str] | None = None

    @classmethod
    @contextmanager
    def of(cls, kubeconfig: Path, *, keep: bool = False) -> Iterator["Server"]:
        api = Api(kubeconfig)
        server = cls(kubeconfig, api, Catalog(api), [] if keep else None)
        try:
            yield server
        finally:
            for name in server.kept or ():
                api.request("DELETE", f"/api/v1/namespaces/{name}")
            api.close()

    def namespaced(self, ref: Ref) -> bool:
        return self.catalog.namespaced(ref.api_version, ref.kind)


@contextmanager
def namespace(server: Server, name: str, first: set[Ref], rest: set[Ref]) -> Iterator[World]:
    """The new one of that name, and every other namespace that is named but not created by the first version itself."""
    world = World(server.api, server.catalog, name, first | rest)
    _sweep(server, world)  # of a play that was killed
    _open_namespace(server, world.namespace)
    made = {ref.name for ref in first if ref.kind == "Namespace"}
    try:
        for other in sorted(_others(server, world) - SYSTEM - made):
            _open_namespace(server, other)
        yield world
    finally:
        _release(server.api, world)
        _sweep(server, world)
        if server.kept is None:
            server.api.request("DELETE", f"/api/v1/namespaces/{world.namespace}")
        else:
            server.kept.append(world.namespace)


def give(server: Server, refs: Iterable[Ref]) -> None:
    """Create objects with as little in them as the API server accepts."""
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    for ref in refs:
        kind = server.catalog.of_kind(ref.api_version, ref.kind)
        if kind is None:
            raise Unrest(f"there is no kind {ref.kind}")
        body: dict[str, Any] = {"metadata": {"name": ref.name}}
        if ref.kind == "PersistentVolumeClaim":
            body["spec"] = claim
        server.api.ensure(kind.collection(ref.namespace), body)


def _open_namespace(server: Server, name: str) -> None:
    server.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
    # Pods are refused before it exists.
    if eventually(lambda: server.api.find(account), GONE_WITHIN) is None:
        raise Unrest(f"namespace {name} gets no default service account")


def _others(server: Server, world: World) -> set[str]:
    """Namespaces that documents name."""
    return {
        ref.namespace
        for ref in world.named
        if ref.namespace not in ("", world.namespace) and server.namespaced(ref)
    }


def _sweep(server: Server, world: World) -> None:
    """Remove what is outside the namespace."""
    outside = [
        f"{kind.collection(within)}/{name}"
        for (kind, within), names in world.places().items()
        if within != world.namespace
        for name in names
    ]
    outside += [f"/api/v1/namespaces/{name}" for name in _others(server, world)]
    doomed = [path for path in sorted(set(outside)) if _delete(server.api, path)]
    deadline = time.monotonic() + GONE_WITHIN
    while left := [path for path in doomed if server.api.find(path) is not None]:
        if time.monotonic() > deadline:
            raise Unrest(f"these cannot be removed: {left}")
        for path in left:
            _unhold(server.api, path)
        time.sleep(0.3)


def _delete(api: Api, path: str) -> bool:
    """False if there is nothing to remove, or it belongs to the API server."""
    found = api.find(path)
    if found is None or _SERVERS_OWN.search(path) or BOOTSTRAP in (found["metadata"].get("labels") or {}):
        return False
    try:
        api.request("DELETE", path, {"propagationPolicy": "Background"})
    except ApiError as error:
        if error.status != 404:
            raise
    return True


def _release(api: Api, world: World) -> None:
    """Finalizers that nobody serves would hold the namespace for ever."""
    for (kind, within), names in _in_namespace(world):
        for item in api.find_metadata(kind.collection(within)):
            if item["metadata"]["name"] in names and item["metadata"].get("finalizers"):
                _unhold(api, f"{kind.collection(within)}/{item['metadata']['name']}")


def _in_namespace(world: World) -> Iterable[tuple[tuple[Kind, str], set[str]]]:
    return [place for place in world.places().items() if place[0][1] == world.namespace]


def _unhold(api: Api, path: str) -> None:
    try:
        api.request("PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
    except ApiError as error:
        if error.status not in (404, 409):
            raise
