"""A tool's side of the conversation with the API server: every write is one recorded step."""

from collections.abc import Callable
from operator import attrgetter

from msgspec import Struct

from watchbill.lifecycle import server
from watchbill.lifecycle.jobs import progress
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.server import Cluster, Refused
from watchbill.lifecycle.world import Live, Manifest, Release, World

_revision = attrgetter("revision")


class Step(Struct, frozen=True, gc=False):
    """One write, and the world right after it. A client that dies leaves a prefix of its steps."""

    verb: str
    world: World
    key: Key | None = None
    why: str = ""  # what the tool does it for
    refused: str = ""  # the server's words, if it said no
    created: bool = False
    revision: int = 0  # of a release record,
    status: str = ""  # and what was written into it
    deleted: Live | None = None

    def __str__(self) -> str:
        if self.key is None:
            return (
                f"save release/{self.revision} {self.status}"
                if self.status
                else f"delete release/{self.revision}"
            )
        return f"{self.verb} {self.key}" + (" refused" if self.refused else "")


class Client:
    """Reads the world, writes into it, and remembers each write."""

    def __init__(self, world: World, cluster: Cluster, manager: str) -> None:
        self.world = world
        self.cluster = cluster
        self.manager = manager  # empty: nobody will ever ask who owns which field
        self.steps: list[Step] = []

    def get(self, key: Key) -> Live | None:
        return self.world.objects.get(key)

    def serves(self, body: Body) -> bool:
        return self.cluster.serves(self.world, body.api_version, body.kind)

    def create(self, manifest: Manifest, why: str = "") -> None:
        if not manifest.key.name:
            manifest = self._named(manifest)
        self._write(
            "create",
            manifest.key,
            why,
            lambda: server.create(self.world, self.cluster, manifest, self.manager),
            created=True,
        )

    def apply(self, manifest: Manifest, *, force: bool, why: str = "") -> None:
        self._write(
            "apply",
            manifest.key,
            why,
            lambda: server.apply(self.world, self.cluster, manifest, self.manager, force=force),
            created=manifest.key not in self.world.objects,
        )

    def patch(self, key: Key, merged: Body, why: str = "") -> None:
        self._write("patch", key, why, lambda: server.patch(self.world, key, merged, self.manager))

    def replace(self, manifest: Manifest, *, strict: bool, why: str = "") -> None:
        self._write(
            "replace",
            manifest.key,
            why,
            lambda: server.replace_object(self.world, manifest, self.manager, strict=strict),
        )

    def put(self, key: Key, live: Live, why: str = "") -> None:
        """A write that changes nothing but who owns the fields."""
        self._write("patch", key, why, lambda: self.world.put(key, live))

    def delete(self, manifest: Manifest, why: str = "") -> bool:
        """Whether there was something to delete: the server refuses if not, and tools seldom mind."""
        before = self.get(manifest.key)
        if before is None:
            self.steps.append(Step("delete", self.world, manifest.key, why, refused="not found"))
            return False
        self.world = server.delete(self.world, manifest.key)
        self.steps.append(Step("delete", self.world, manifest.key, why, deleted=before))
        return True

    def save(self, name: str, release: Release) -> None:
        """A release record, new or written again."""
        history = self.world.history(name)
        if not history or history[-1].revision < release.revision:
            self.world = self.world.record(name, (*history, release))
        elif history[-1] is not release:
            others = [known for known in history if known.revision != release.revision]
            self.world = self.world.record(name, tuple(sorted((*others, release), key=_revision)))
        self.steps.append(Step("save", self.world, revision=release.revision, status=release.status))

    def forget(self, name: str, revision: int) -> None:
        history = tuple(known for known in self.world.history(name) if known.revision != revision)
        self.world = self.world.record(name, history)
        self.steps.append(Step("forget", self.world, revision=revision))

    def watch(self, key: Key, seconds: float) -> Live | None:
        """What has become of a Job or Pod after so long; None if it is not there."""
        live = self.foresee(key, seconds)
        if live is not None and live is not self.get(key):
            self.world = self.world.put(key, live)
        return live

    def foresee(self, key: Key, seconds: float) -> Live | None:
        """The same, without waiting for it."""
        live = self.get(key)
        if live is None or live.run is None or live.run.finished:
            return live
        return progress(self.world, self.cluster, key, seconds)

    def _named(self, manifest: Manifest) -> Manifest:
        """With a name as the server makes one up; the n-th of a prefix ends with n stars."""
        prefix = str(manifest.body.metadata.get("generateName", ""))
        key = manifest.key._replace(name=f"{prefix}*")
        while key in self.world.objects:
            key = key._replace(name=f"{key.name}*")
        metadata = {**manifest.body.metadata, "name": f"{prefix}{'x' * 5}"}
        body = Body.of({**manifest.body.object, "metadata": metadata})
        return Manifest(key, body, manifest.path, manifest.stated)

    def _write(
        self, verb: str, key: Key, why: str, send: Callable[[], World], *, created: bool = False
    ) -> None:
        try:
            self.world = send()
        except Refused as refused:
            self.steps.append(Step(verb, self.world, key, why, refused=refused.words))
            raise
        self.steps.append(Step(verb, self.world, key, why, created=created))
