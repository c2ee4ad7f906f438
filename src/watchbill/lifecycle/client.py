"""A tool's side of the conversation with the API server: every write is one recorded step."""

from typing import NamedTuple

from watchbill.lifecycle import server
from watchbill.lifecycle.jobs import progress
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.server import Cluster, Refused
from watchbill.lifecycle.world import Live, Manifest, Release, World

VERBS = ("create", "apply", "patch", "replace", "delete", "save", "forget")


class Step(NamedTuple):
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
        self.manager = manager
        self.steps: list[Step] = []

    def get(self, key: Key) -> Live | None:
        return self.world.objects.get(key)

    def serves(self, body: Body) -> bool:
        return self.cluster.serves(self.world, body.api_version, body.kind)

    def create(self, manifest: Manifest, why: str = "") -> None:
        if not manifest.key.name:
            manifest = self._named(manifest)
        try:
            after = server.create(self.world, self.cluster, manifest, self.manager)
        except Refused as refused:
            self._refused("create", manifest.key, why, refused)
            raise
        self._wrote("create", manifest.key, why, after, created=True)

    def apply(self, manifest: Manifest, *, force: bool, why: str = "") -> None:
        created = manifest.key not in self.world.objects
        try:
            after = server.apply(self.world, self.cluster, manifest, self.manager, force=force)
        except Refused as refused:
            self._refused("apply", manifest.key, why, refused)
            raise
        self._wrote("apply", manifest.key, why, after, created=created)

    def patch(self, key: Key, merged: Body, why: str = "") -> None:
        try:
            after = server.patch(self.world, key, merged, self.manager)
        except Refused as refused:
            self._refused("patch", key, why, refused)
            raise
        self._wrote("patch", key, why, after)

    def replace(self, manifest: Manifest, *, strict: bool, why: str = "") -> None:
        try:
            after = server.replace_object(self.world, manifest, self.manager, strict=strict)
        except Refused as refused:
            self._refused("replace", manifest.key, why, refused)
            raise
        self._wrote("replace", manifest.key, why, after)

    def put(self, key: Key, live: Live, why: str = "") -> None:
        """A write that changes nothing but who owns the fields."""
        self._wrote("patch", key, why, self.world.put(key, live))

    def delete(self, manifest: Manifest, why: str = "") -> None:
        before = self.get(manifest.key)
        try:
            after = server.delete(self.world, manifest.key, manifest.body)
        except Refused as refused:
            self._refused("delete", manifest.key, why, refused)
            raise
        self.steps.append(Step("delete", after, manifest.key, why, deleted=before))
        self.world = after

    def deleted_nothing(self, key: Key, why: str = "") -> None:
        """A deletion of what is not there: the server says so, and nobody minds."""
        self.steps.append(Step("delete", self.world, key, why, refused="not found"))

    def save(self, name: str, release: Release) -> None:
        """A release record, new or written again."""
        before, after = list[Release](), list[Release]()
        for known in self.world.history(name):
            if known.revision != release.revision:
                (before if known.revision < release.revision else after).append(known)
        history = (*before, release, *after)
        self.world = self.world.record(name, history)
        self.steps.append(Step("save", self.world, revision=release.revision, status=release.status))

    def forget(self, name: str, revision: int) -> None:
        history = tuple(known for known in self.world.history(name) if known.revision != revision)
        self.world = self.world.record(name, history)
        self.steps.append(Step("forget", self.world, revision=revision))

    def watch(self, key: Key, seconds: float) -> Live | None:
        """What has become of a Job or Pod after so long; None if it is not there."""
        live = self.get(key)
        if live is None or live.run is None or live.run.finished:
            return live
        live = progress(self.world, self.cluster, key, seconds)
        self.world = self.world.put(key, live)
        return live

    def _named(self, manifest: Manifest) -> Manifest:
        """With a name as the server makes one up; the n-th of a prefix ends with n stars."""
        prefix = str(manifest.body.metadata.get("generateName", ""))
        key = manifest.key._replace(name=f"{prefix}*")
        while key in self.world.objects:
            key = key._replace(name=f"{key.name}*")
        metadata = {**manifest.body.metadata, "name": f"{prefix}{'x' * 5}"}
        body = Body.of({**manifest.body.object, "metadata": metadata})
        return Manifest(key, body, manifest.path, manifest.stated)

    def _wrote(self, verb: str, key: Key, why: str, after: World, created: bool = False) -> None:
        self.steps.append(Step(verb, after, key, why, created=created))
        self.world = after

    def _refused(self, verb: str, key: Key, why: str, refused: Refused) -> None:
        self.steps.append(Step(verb, self.world, key, why, refused=refused.words))
