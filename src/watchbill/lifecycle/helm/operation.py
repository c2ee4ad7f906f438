"""What every action of Helm shares: the release it is about, its flags, and how it fails."""

from functools import lru_cache

from msgspec import Struct

from watchbill.lifecycle.client import Client
from watchbill.lifecycle.flags import Flags
from watchbill.lifecycle.helm.traits import HelmTraits
from watchbill.lifecycle.objects import Body
from watchbill.lifecycle.world import Manifest, Release, Status


class Failed(Exception):  # noqa: N818 - the operation did
    """The operation's error, in Helm's words."""

    @property
    def words(self) -> str:
        return str(self)


class Operation(Struct):
    """One action on one release."""

    client: Client
    release: str
    namespace: str
    records: str  # the name of its history
    flags: Flags
    traits: HelmTraits

    @property
    def history(self) -> tuple[Release, ...]:
        return self.client.world.releases.get(self.records, ())

    @property
    def deployed(self) -> Release | None:
        return next((known for known in reversed(self.history) if known.status == "deployed"), None)

    @property
    def undoing_flag(self) -> str:
        """What --atomic is called when it did its work."""
        return "atomic" if self.traits.major == 3 else "rollback-on-failure"

    def cannot_continue(self, what: str) -> str:
        """How an operation that meets a foreign object begins to say so."""
        return f"{'Unable' if self.traits.major == 3 else 'unable'} to continue with {what}: "

    def applies(self, before: Release) -> bool:
        """Server-side, if so asked for, or if the release was applied so before."""
        asked = self.flags.server_side
        if asked not in ("", "auto", "true", "false"):
            raise Failed(f"invalid/unknown release server-side apply method: {asked}")
        if asked in ("true", "false"):
            return asked == "true"
        return self.traits.server_side_apply and before.server_side

    def save(self, release: Release) -> Release:
        self.client.save(self.records, release)
        return release

    def mark(self, release: Release, status: Status) -> Release:
        return self.save(release.now(status))

    def supersede_deployed(self) -> None:
        for known in self.history:
            if known.status == "deployed":
                self.mark(known, "superseded")

    def add(self, release: Release) -> Release:
        """A new record; makes room for it first, and never by forgetting what is deployed."""
        limit = self.flags.history_max - 1
        if self.flags.history_max > 0 and len(self.history) > limit:
            kept = self.deployed
            excess = len(self.history) - limit
            old = [known for known in self.history if kept is None or known.revision != kept.revision]
            for known in old[:excess]:
                self.client.forget(self.records, known.revision)
        return self.save(release)


@lru_cache(1 << 12)
def owned(manifests: tuple[Manifest, ...], release: str, namespace: str) -> tuple[Manifest, ...]:
    """The same with the marks by which Helm knows its own."""
    return tuple(
        Manifest(known.key, _owned(known.body, release, namespace), known.path, known.stated)
        for known in manifests
    )


def _owned(body: Body, release: str, namespace: str) -> Body:
    metadata = {
        **body.metadata,
        "labels": {**body.labels, "app.kubernetes.io/managed-by": "Helm"},
        "annotations": {
            **body.annotations,
            "meta.helm.sh/release-name": release,
            "meta.helm.sh/release-namespace": namespace,
        },
    }
    return Body.of({**body.object, "metadata": metadata})
