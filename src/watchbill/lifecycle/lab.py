"""What an operation is played with: a tool, a cluster, and how versions are rendered."""

from typing import Protocol

from msgspec import Struct

from watchbill.lifecycle.flags import DEFAULT_TIMEOUT
from watchbill.lifecycle.server import Cluster
from watchbill.lifecycle.world import Rendered, World


class ReleaseName(Struct, frozen=True):
    """Which release: names are unique within a namespace only."""

    name: str
    namespace: str


class Render(Protocol):
    """One version for one release: what its templates give in this situation."""

    def __call__(self, *, upgrade: bool, revision: int, world: World) -> Rendered: ...


class Versions(Protocol):
    """All versions that are played, rendered on demand: templates may ask for the release and the cluster."""

    def __len__(self) -> int: ...

    def render(
        self, version: int, release: "ReleaseName", *, upgrade: bool, revision: int, world: World
    ) -> Rendered: ...


class Tool(Struct, frozen=True):
    name: str  # helm, kubectl
    version: str

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


class Contract(Struct, frozen=True):
    """When Jobs have to run, and whether they may overlap with themselves; empty: nothing is said."""

    job: str  # a pattern of names
    runs: str = ""
    overlap: str = ""


class Lab(Struct, frozen=True):
    tool: Tool
    versions: Versions
    cluster: Cluster
    release: str = "r"
    namespace: str = "default"
    contracts: tuple[Contract, ...] = ()  # besides what Jobs say themselves
    timeout: float = DEFAULT_TIMEOUT  # of Helm, for moves without --timeout

    def named(self, words: str) -> ReleaseName:
        """A release as moves name it: `other`, `elsewhere/other`, or nothing for the one it is all about."""
        if not words:
            return ReleaseName(self.release, self.namespace)
        namespace, _, name = words.rpartition("/")
        return ReleaseName(name or self.release, namespace or self.namespace)

    def records(self, release: ReleaseName) -> str:
        """Under which name the world keeps its history."""
        return release.name if release.namespace == self.namespace else f"{release.namespace}/{release.name}"
