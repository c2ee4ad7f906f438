"""What the API server serves at this moment: which path a kind has, which kind a path speaks of."""

import threading
from dataclasses import dataclass

from dev.cluster.api import Api, ApiError


@dataclass(frozen=True)
class Kind:
    group: str
    version: str
    kind: str
    resource: str
    namespaced: bool

    def collection(self, namespace: str) -> str:
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        within = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{within}/{self.resource}"


class Catalog:
    """Read once, and again when something is asked for that was not there: custom kinds come and go."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._lock = threading.Lock()
        self._by_kind: dict[tuple[str, str], Kind] = {}
        self._by_resource: dict[tuple[str, str], Kind] = {}
        self._read()

    def of_kind(self, api_version: str, kind: str) -> Kind | None:
        """In the group's preferred version, whichever version is asked for: an object is live in all of them."""
        return self._by_kind.get((api_version.rpartition("/")[0], kind))

    def namespaced(self, api_version: str, kind: str) -> bool:
        """A kind that nobody serves (yet) is taken for a namespaced one."""
        found = self.of_kind(api_version, kind)
        return found is None or found.namespaced

    def of_resource(self, group: str, resource: str) -> Kind | None:
        if (group, resource) not in self._by_resource:
            self.refresh()
        return self._by_resource.get((group, resource))

    def refresh(self) -> None:
        with self._lock:
            self._read()

    def _read(self) -> None:
        kinds: list[Kind] = []
        groups = self._api.get("/apis")["groups"]
        versions = [("", "v1", "/api/v1")]
        for group in groups:
            # The preferred one first: later ones add only kinds that it does not have.
            preferred = group["preferredVersion"]["version"]
            names = [preferred, *(v["version"] for v in group["versions"] if v["version"] != preferred)]
            versions += [(group["name"], name, f"/apis/{group['name']}/{name}") for name in names]
        for name, version, path in versions:
            try:
                resources = self._api.get(path)["resources"]
            except ApiError:
                continue  # gone since, or an aggregated API that nobody serves
            kinds += [
                Kind(name, version, found["kind"], found["name"], found["namespaced"])
                for found in resources
                if "/" not in found["name"]
            ]
        by_kind: dict[tuple[str, str], Kind] = {}
        by_resource: dict[tuple[str, str], Kind] = {}
        for kind in kinds:
            by_kind.setdefault((kind.group, kind.kind), kind)
            by_resource.setdefault((kind.group, kind.resource), kind)
        self._by_kind, self._by_resource = by_kind, by_resource
