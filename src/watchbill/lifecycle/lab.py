"""What an operation is played with: a tool, a cluster, and how versions are rendered."""

from typing import Protocol

from msgspec import Struct

from watchbill.lifecycle.server import Cluster
from watchbill.lifecycle.world import Rendered, World


class Render(Protocol):
    """One version for one release: what its templates give in this situation."""

    def __call__(self, *, upgrade: bool, revision: int, world: World) -> Rendered: ...


class Versions(Protocol):
    """All versions that are played, rendered on demand: templates may ask for the release and the cluster."""

    def __len__(self) -> int: ...

    def render(
        self, version: int, release: str, *, upgrade: bool, revision: int, world: World
    ) -> Rendered: ...


class Tool(Struct, frozen=True):
    name: str  # helm, kubectl
    version: str

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"


class Lab(Struct, frozen=True):
    tool: Tool
    versions: Versions
    cluster: Cluster
    release: str = "r"
    namespace: str = "default"
