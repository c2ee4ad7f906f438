"""The Job controller, the TTL controller and the kubelet, as far as they decide what becomes of a Job."""

from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watchbill.lifecycle.fates import Fate, fate_of
from watchbill.lifecycle.objects import Body, Key, at
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.world import Live, Run, World

if TYPE_CHECKING:
    from watchbill.lifecycle.server import Cluster


def begin(body: Body) -> Run | None:
    """How a new object runs; None for what does not run to completion."""
    if body.kind == "Job" and body.api_version == "batch/v1":
        return Run("suspended" if at(body.object, "spec", "suspend") else "running")
    if body.kind == "Pod" and body.api_version == "v1":
        return Run("running")
    return None


def serves(body: Body) -> bool:
    """A Pod made by hand that never ends; only those that do are run to completion."""
    return body.kind == "Pod" and at(body.object, "spec", "restartPolicy") == "Always"


def changed(run: Run | None, before: Body, after: Body) -> Run | None:
    """How it goes on when its object is changed."""
    if run is None:
        return None
    if run.finished:
        ttl = at(after.object, "spec", "ttlSecondsAfterFinished")
        same = ttl == at(before.object, "spec", "ttlSecondsAfterFinished")
        return run if same else replace(run, expires_in=ttl)
    suspended = bool(at(after.object, "spec", "suspend"))
    return run if suspended == (run.phase == "suspended") else begin(after)


def missing(world: World, cluster: "Cluster", key: Key, body: Body) -> list[Key]:
    """What its pod needs and is not there."""
    return [needed for needed in needs(body, key.namespace) if not cluster.has(world, needed)]


def progress(world: World, cluster: "Cluster", key: Key, within: float | None) -> Live:
    """One Job by its fate; as far as it gets within so many seconds, if they are given."""
    live = world.objects[key]
    run = live.run
    assert run is not None
    if run.phase == "suspended" or serves(live.body):
        return live
    # A pod that has started goes on, whatever is taken from under it.
    started = run.started or not missing(world, cluster, key, live.body)
    return _become(live, fate_of(key.kind, key.name, world.fates) if started else "hang", started, within)


@lru_cache(1 << 14)
def _become(live: Live, fate: Fate, started: bool, within: float | None) -> Live:
    if fate == "succeed" or (fate == "late" and within is None):
        return end(live, Run("succeeded"))
    if fate == "fail":
        return end(live, Run("failed", reason="BackoffLimitExceeded", failed=_failed_pods(live.body)))
    deadline = at(live.body.object, "spec", "activeDeadlineSeconds")
    if within is not None and deadline is not None and deadline <= within:
        return end(live, Run("failed", reason="DeadlineExceeded", failed=int(started)))
    assert live.run is not None
    return replace(live, run=replace(live.run, phase="running" if started else "waiting", started=started))


def _failed_pods(body: Body) -> int:
    if body.kind != "Job" or at(body.object, "spec", "template", "spec", "restartPolicy") == "OnFailure":
        return 1
    return int(at(body.object, "spec", "backoffLimit") or 0) + 1


def end(live: Live, run: Run) -> Live:
    ttl = at(live.body.object, "spec", "ttlSecondsAfterFinished") if live.body.kind == "Job" else None
    return replace(live, run=replace(run, expires_in=ttl))
