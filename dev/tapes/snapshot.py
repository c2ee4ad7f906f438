"""The world after a move: waits until it has come to rest, then says what is there."""

import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from dev.cluster import fates
from dev.cluster.api import Api
from dev.tapes import records
from dev.tapes.catalog import Catalog, Kind
from dev.tapes.naming import Ref

# Rest: nothing is under way, and nothing has changed for so long.
STILL = 0.5
# Something is under way but does not move any more: it is stuck, and that is how it is.
STUCK = 5.0
# Later than the longest time a tool waits while a Job is fated to be late (play.SHORT).
LATE = 12.0
LONGEST = 120.0
POLL = 0.5

Object = dict[str, Any]
Place = tuple[Kind, str]  # a kind in a namespace


class Unrest(Exception):  # noqa: N818
    """The world does not come to rest: there is nothing to record."""


@dataclass(frozen=True)
class Live:
    kind: Kind
    namespace: str
    item: Object

    @property
    def metadata(self) -> Object:
        found: Object = self.item["metadata"]
        return found

    @property
    def terminating(self) -> bool:
        return "deletionTimestamp" in self.metadata

    def __str__(self) -> str:
        return f"{self.kind.kind}/{self.namespace}/{self.metadata['name']}"


@dataclass
class World:
    """One play's part of the cluster: its namespace and whatever else its versions name."""

    api: Api
    catalog: Catalog
    namespace: str
    named: set[Ref] = field(default_factory=set)
    # Pattern and fate, the newest first: as in the driver's table, where the first that fits counts.
    fates: list[tuple[str, str]] = field(default_factory=list)

    def decree(self, pattern: str, fate: str) -> None:
        """What a new word covers is forgotten."""
        covered = (pattern,) if pattern != "*" else tuple(old for old, _ in self.fates if "/" not in old)
        self.fates = [(pattern, fate), *(old for old in self.fates if old[0] not in covered)]

    def fate_table(self) -> str:
        said = {"late": f"late:{LATE:.0f}"}
        return "".join(f"{pattern} {said.get(fate, fate)}\n" for pattern, fate in self.fates)

    def fate(self, job: str) -> str:
        return fates.parse(fates.choose("Job", job, {fates.JOBS: self.fate_table()})).kind

    def places(self) -> dict[Place, set[str]]:
        """The names looked for, by kind and namespace."""
        found: defaultdict[Place, set[str]] = defaultdict(set)
        for ref in self.named:
            if kind := self.catalog.of_kind(ref.api_version, ref.kind):
                found[kind, (ref.namespace or self.namespace) if kind.namespaced else ""].add(ref.name)
        return found

    def rest(self) -> list[str]:
        """Wait for it; then the live objects as words."""
        began = changed = time.monotonic()
        live: dict[Place, list[Live]] = {}
        seen: set[tuple[str, str]] = set()
        while True:
            places = self.places()
            # Where nothing is under way nothing is looked for again until all is calm: looking costs.
            moving = [place for place in places if place not in live or self._awaited(live[place])]
            for place in moving or places:
                live[place] = self._live(place, places[place])
            now = time.monotonic()
            everything = [one for found in live.values() for one in found]
            versions = {(one.metadata["uid"], one.metadata["resourceVersion"]) for one in everything}
            if versions != seen:
                seen, changed = versions, now
            patience = self._patience(everything)
            if now - changed >= patience:
                return sorted({str(one) for one in everything if not one.terminating})
            if now - began > LONGEST:
                raise Unrest(f"namespace {self.namespace} is not still after {LONGEST:.0f} s")
            time.sleep(min(patience, POLL))

    def _live(self, place: Place, names: Iterable[str]) -> list[Live]:
        """Objects of those names that exist; also those that are being deleted."""
        kind, namespace = place
        if not kind.namespaced:
            found = [self.api.find(f"{kind.collection('')}/{name}") for name in sorted(names)]
            return [Live(kind, namespace, item) for item in found if item is not None]
        collection = kind.collection(namespace)
        # Only of Jobs more must be known than that they are there.
        items = self.api.get(collection)["items"] if is_job(kind) else self.api.find_metadata(collection)
        return [Live(kind, namespace, item) for item in items if item["metadata"]["name"] in names]

    def _awaited(self, live: Iterable[Live]) -> set[str]:
        """The fates of Jobs that will end soon; anything that is being deleted will be gone soon."""
        jobs = [one.item for one in live if is_job(one.kind)]
        running = {fate for job in jobs if under_way(job, fate := self.fate(job["metadata"]["name"]))}
        return running | {"gone" for one in live if one.terminating}

    def _patience(self, live: list[Live]) -> float:
        awaited = self._awaited(live)
        if "late" in awaited:
            return LATE + STUCK
        return STUCK if awaited else STILL

    def release(self, name: str, namespace: str) -> dict[str, Any] | None:
        """The last revision and its status."""
        path = f"/api/v1/namespaces/{namespace}/secrets?labelSelector=owner%3Dhelm"
        found = (records.of_secret(secret) for secret in self.api.get(path)["items"])
        mine = [record for record in found if record is not None and record.release == name]
        last = max(mine, key=lambda record: record.revision, default=None)
        return {"revision": last.revision, "status": last.status} if last else None

    def finished_jobs(self) -> list[Object]:
        items: list[Object] = self.api.get(f"/apis/batch/v1/namespaces/{self.namespace}/jobs")["items"]
        return [job for job in items if finished(job)]


def is_job(kind: Kind) -> bool:
    return (kind.group, kind.kind) == ("batch", "Job")


def finished(job: Object) -> datetime | None:
    """When it ended."""
    for condition in job.get("status", {}).get("conditions") or []:
        if condition["type"] in ("Complete", "Failed") and condition["status"] == "True":
            return datetime.fromisoformat(condition["lastTransitionTime"])
    return None


def under_way(job: Object, fate: str) -> bool:
    """Will the cluster still do something with this Job by itself, soon?"""
    if at := finished(job):
        ttl = job["spec"].get("ttlSecondsAfterFinished")
        return ttl is not None and (datetime.now(UTC) - at).total_seconds() + 1 >= ttl
    return fate != "hang" and not job["spec"].get("suspend")
