"""The state of everything: objects in the cluster, releases in their history, what Jobs are fated to do.

Explorations make these values by the hundred thousand and remember them as keys: nothing in them ever refers back,
so the collector need not look at them (gc=False), and what they hash to is worked out once (cache_hash).
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle.fates import Fates
from watchbill.lifecycle.kube.apply import Managers
from watchbill.lifecycle.objects import Body, Key

Phase = Literal["suspended", "waiting", "running", "succeeded", "failed"]
Status = Literal[
    "pending-install",
    "pending-upgrade",
    "pending-rollback",
    "deployed",
    "failed",
    "superseded",
    "uninstalling",
    "uninstalled",
]


class Run(Struct, frozen=True, gc=False, cache_hash=True):
    """How far a Job is. Waiting: its pod cannot start, because something it needs is not there."""

    phase: Phase
    started: bool = False  # a pod of it did
    reason: str = ""  # of the failure, in the Job controller's words
    failed: int = 0  # pods that failed
    lost: str = (
        ""  # the field by which their logs are gone: pods of a failed Job stay unless it says otherwise
    )
    expires_in: int | None = None  # seconds until the TTL controller deletes it, once it is finished
    running_for: int = 0  # seconds, as far as anybody waited

    @property
    def finished(self) -> bool:
        return self.phase in ("succeeded", "failed")


class Live(Struct, frozen=True, gc=False, cache_hash=True):
    """One object in the cluster: its stored body and who owns which of its fields."""

    body: Body
    managers: Managers = ()
    run: Run | None = None  # for a Job, and for a Pod made by hand
    terminating: bool = False  # deleted, and held by a finalizer
    rolling: bool = False  # a Deployment between two templates


class Manifest(Struct, frozen=True, gc=False, cache_hash=True):
    """One object of a rendered version."""

    key: Key
    body: Body
    path: str = ""  # the template it comes from
    stated: str = ""  # the namespace that the document itself names


class Hook(Struct, frozen=True, gc=False, cache_hash=True):
    """One hook document; a List in it gives several objects."""

    kind: str
    name: str
    path: str
    events: tuple[str, ...]
    weight: int
    delete_policies: tuple[str, ...]
    objects: tuple[Manifest, ...]


class Rendered(Struct, frozen=True, gc=False, cache_hash=True):
    """A version as the tool sees it, in the tool's order; or the words in which rendering failed."""

    manifests: tuple[Manifest, ...] = ()
    hooks: tuple[Hook, ...] = ()
    crds: tuple[Manifest, ...] = ()  # of the folder crds/
    error: str = ""

    def everything(self) -> Iterator[Manifest]:
        yield from self.crds
        yield from self.manifests
        for hook in self.hooks:
            yield from hook.objects


class Release(Struct, frozen=True, gc=False, cache_hash=True):
    """One revision as Helm stores it."""

    revision: int
    status: Status
    rendered: Rendered
    server_side: bool = False

    def now(self, status: Status) -> "Release":
        return replace(self, status=status)


class World(Struct, frozen=True, gc=False):
    """Never changed: every change gives a new world."""

    objects: dict[Key, Live] = {}
    releases: dict[str, tuple[Release, ...]] = {}  # oldest first, by release name
    fates: Fates = ()

    def put(self, key: Key, live: Live) -> "World":
        return World({**self.objects, key: live}, self.releases, self.fates)

    def drop(self, *keys: Key) -> "World":
        left = self.objects.copy()
        for key in keys:
            left.pop(key, None)
        return World(left, self.releases, self.fates)

    def history(self, release: str) -> tuple[Release, ...]:
        return self.releases.get(release, ())

    def record(self, release: str, history: tuple[Release, ...]) -> "World":
        releases = {**self.releases, release: history}
        if not history:
            del releases[release]
        return World(self.objects, releases, self.fates)
