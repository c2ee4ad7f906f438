"""Plays kubelet for a control plane without nodes: gives every pod the fate it was promised.

Jobs, Deployments and the rest stay with the real controllers; only the status of pods is written. A fate is
the value of the annotation `watchbill.dev/fate` of the pod's template or of its Job, or stands in the
ConfigMap `watchbill-fates` of the namespace, under the name of the Job (or pod, or ReplicaSet); there, under
`_patterns`, lines of `PATTERN FATE` serve many names, and under `_jobs` many Jobs. The ConfigMap wins and may
change at any time. Without any of these a pod succeeds. A Job whose pods fail for ever is told at once that
they have failed as often as it bears: its controller would try again for ten minutes. A pod that refers to
a ConfigMap, Secret or claim that is not there waits for it, as the kubelet lets it; one that is past the deadline
of its spec is ended, as the kubelet ends it.

Run as `python -m dev.cluster.driver KUBECONFIG READY_FILE`.
"""

import heapq
import http.client
import itertools
import sys
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dev.cluster import fates
from dev.cluster.api import MERGE, Api, ApiError

WORKERS = 4
Event = Callable[[str, dict[str, Any]], None]


@dataclass
class Known:
    """What is remembered of a pod that has not ended."""

    pod: dict[str, Any]
    # The Job's own annotations; read once, when the pod is first looked at.
    owner: dict[str, str] | None = None


@dataclass(frozen=True)
class Table:
    """A namespace's fates, and how new they are."""

    version: int
    fates: dict[str, str]


NO_TABLE = Table(0, {})


class Agenda:
    """Pods to look at, each at its time. One worker serves it, so a pod is never in two hands."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, str]] = []
        self._order = itertools.count()
        self._changed = threading.Condition()

    def add(self, uid: str, delay: float = 0) -> None:
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + delay, next(self._order), uid))
            self._changed.notify()

    def next(self) -> str:
        with self._changed:
            while True:
                wait = self._due[0][0] - time.monotonic() if self._due else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._due)[2]
                self._changed.wait(wait)


@dataclass
class Driver:
    api: Api
    pods: dict[str, Known] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    doomed: dict[str, str] = field(default_factory=dict)  # Jobs that only fail: the path of each, by uid
    failed: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    agendas: list[Agenda] = field(default_factory=lambda: [Agenda() for _ in range(WORKERS)])

    def look(self, uid: str, delay: float = 0) -> None:
        self.agendas[hash(uid) % WORKERS].add(uid, delay)

    def pod_event(self, kind: str, pod: dict[str, Any]) -> None:
        uid, phase = pod["metadata"]["uid"], pod.get("status", {}).get("phase")
        if phase == "Failed":
            self.failed[owner(pod).get("uid", uid)].add(uid)
        if kind == "DELETED" or phase in ("Succeeded", "Failed") or "deletionTimestamp" in pod["metadata"]:
            self.pods.pop(uid, None)
            return
        known = self.pods.get(uid)
        if known is None:
            self.pods[uid] = Known(pod)
            self.look(uid)
        else:
            known.pod = pod

    def pods_listed(self, uids: set[str]) -> None:
        """Forget those that went while nobody watched."""
        for uid in set(self.pods) - uids:
            self.pods.pop(uid, None)

    def table_event(self, kind: str, config_map: dict[str, Any]) -> None:
        namespace = config_map["metadata"]["namespace"]
        self._keep(
            namespace, config_map["metadata"], {} if kind == "DELETED" else config_map.get("data") or {}
        )
        for uid, known in list(self.pods.items()):
            if known.pod["metadata"]["namespace"] == namespace:
                self.look(uid)

    def _keep(self, namespace: str, metadata: dict[str, Any], fates: dict[str, str]) -> None:
        """The newest one: what was asked for and what is watched arrive in any order."""
        table = Table(int(metadata["resourceVersion"]), fates)
        if table.version >= self.tables.get(namespace, NO_TABLE).version:
            self.tables[namespace] = table

    def work(self, agenda: Agenda) -> None:
        while True:
            uid = agenda.next()
            try:
                self.attend(uid)
            except (ApiError, OSError, http.client.HTTPException) as error:
                # A pod that is gone, a conflict, a server that restarts: the next look sees how it is.
                if not (isinstance(error, ApiError) and error.status == 404):
                    log(f"{uid}: {error}")
                    self.look(uid, 0.2)
            except Exception:  # noqa: BLE001 - one strange pod must not end the service of all others
                log(traceback.format_exc())

    def attend(self, uid: str) -> None:
        if uid in self.doomed:
            self._hasten(uid)
            return
        known = self.pods.get(uid)
        if known is None:
            return
        metadata = known.pod["metadata"]
        namespace, name = metadata["namespace"], metadata["name"]
        if known.owner is None:
            known.owner = self._read_owner(known.pod)
        text = fates.choose(
            owner(known.pod).get("kind", ""),
            owner(known.pod).get("name", name),
            self.tables.get(namespace, NO_TABLE).fates,
            metadata.get("annotations", {}),
            known.owner,
        )
        status: fates.Status | None
        try:
            fate = fates.parse(text)
        except ValueError as error:
            log(f"{namespace}/{name}: {error}")
            status, again = {"message": str(error), "reason": "UnknownFate"}, None
        else:
            step = self._step(known.pod, fate)
            status, again = step.status, step.again
        if status is not None:
            path = f"/api/v1/namespaces/{namespace}/pods/{name}/status"
            self.pod_event(
                "MODIFIED",
                self.api.request("PATCH", path, {"metadata": {"uid": uid}, "status": status}, MERGE),
            )
            if status.get("phase") == "Failed" and owner(known.pod).get("kind") == "Job" and text == "fail":
                job = owner(known.pod)
                self.doomed[job["uid"]] = f"/apis/batch/v1/namespaces/{namespace}/jobs/{job['name']}"
                self.look(job["uid"], 0.1)
        if again is not None:
            self.look(uid, again)

    def _step(self, pod: dict[str, Any], fate: fates.Fate) -> fates.Step:
        now, age = timestamp(), time.time() - began(pod)
        if lacking := self._lacking(pod):
            return fates.wait(pod, lacking, age, now)
        failures = len(self.failed.get(owner(pod).get("uid", pod["metadata"]["uid"]), ()))
        return fates.step(pod, fate, age, failures, now)

    def _lacking(self, pod: dict[str, Any]) -> list[str]:
        """The kinds of what the pod needs and is not there. Looked up each time: it may come, and go."""
        api = f"/api/v1/namespaces/{pod['metadata']['namespace']}"
        return [
            resource
            for resource, name in fates.needs(pod)
            if self.api.find(f"{api}/{resource}/{name}") is None
        ]

    def _hasten(self, uid: str) -> None:
        """Let a doomed Job give up as soon as its controller has counted a failure."""
        path = self.doomed[uid]
        job = self.api.find(path)
        if job is None or job["metadata"]["uid"] != uid or fates.has_ended(job):
            self.doomed.pop(uid)
            return
        if count := fates.failures_at_the_end(job):
            metadata = {"uid": uid, "resourceVersion": job["metadata"]["resourceVersion"]}
            self.api.request(
                "PATCH", f"{path}/status", {"metadata": metadata, "status": {"failed": count}}, MERGE
            )
        self.look(uid, 0.2)

    def _read_owner(self, pod: dict[str, Any]) -> dict[str, str]:
        """Asked for, not watched: whatever was written before the pod was made is then seen for certain."""
        namespace = pod["metadata"]["namespace"]
        if table := self.api.find(f"/api/v1/namespaces/{namespace}/configmaps/{fates.CONFIG_MAP}"):
            self._keep(namespace, table["metadata"], table.get("data") or {})
        if owner(pod).get("kind") != "Job":
            return {}
        job = self.api.find(f"/apis/batch/v1/namespaces/{namespace}/jobs/{owner(pod)['name']}")
        annotations: dict[str, str] = (job or {}).get("metadata", {}).get("annotations") or {}
        return annotations


def owner(pod: dict[str, Any]) -> dict[str, Any]:
    """The controller that made the pod; empty for one made by hand."""
    owners: list[dict[str, Any]] = pod["metadata"].get("ownerReferences", [])
    return next((found for found in owners if found.get("controller")), {})


def began(pod: dict[str, Any]) -> float:
    """When it started, also if that was before this program did; one that has not begins now."""
    start = pod.get("status", {}).get("startTime")
    return datetime.fromisoformat(start).timestamp() if start else time.time()


def timestamp() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def follow(api: Api, path: str, event: Event, listed: Callable[[set[str]], None]) -> None:
    """List, then watch from there, for ever; list again when the server has lost our place."""
    while True:
        try:
            answer = api.get(path)
            for item in answer["items"]:
                event("ADDED", item)
            listed({item["metadata"]["uid"] for item in answer["items"]})
            version = answer["metadata"]["resourceVersion"]
            while True:
                for change in api.watch(path, version):
                    version = change["object"]["metadata"]["resourceVersion"]
                    if change["type"] != "BOOKMARK":
                        event(change["type"], change["object"])
        except (ApiError, OSError, http.client.HTTPException, ValueError) as error:
            log(f"{path}: {error}; listing again")
            time.sleep(0.2)


def log(text: str) -> None:
    print(f"{timestamp()} {text}", flush=True)


def main(kubeconfig: Path, ready: Path) -> None:
    api = Api(kubeconfig)
    driver = Driver(api)
    for agenda in driver.agendas:
        threading.Thread(target=driver.work, args=(agenda,), daemon=True).start()
    tables = f"/api/v1/configmaps?fieldSelector=metadata.name={fates.CONFIG_MAP}"
    known = threading.Event()
    arguments = (api, tables, driver.table_event, lambda _: known.set())
    threading.Thread(target=follow, args=arguments, daemon=True).start()
    known.wait()

    def listed(uids: set[str]) -> None:
        driver.pods_listed(uids)
        ready.touch()

    follow(api, "/api/v1/pods", driver.pod_event, listed)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
