"""The Job controller, the TTL controller and the kubelet, as far as they decide what becomes of a Job."""

from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from watchbill.lifecycle.attempts import Reach, ending
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


def reach(world: World, cluster: "Cluster", key: Key, live: Live) -> Reach:
    """How far its pods get. One that has started goes on, whatever is taken from under it."""
    if live.run is not None and live.run.started:
        return "running"
    lacking = {needed.kind for needed in missing(world, cluster, key, live.body)}
    if not lacking:
        return "running"
    if "ServiceAccount" in lacking:
        return "absent"
    return "unplaced" if "PersistentVolumeClaim" in lacking else "held"


def progress(world: World, cluster: "Cluster", key: Key, within: float | None) -> Live:
    """One Job by its fate; as far as it gets within so many seconds, if they are given."""
    live = world.objects[key]
    run = live.run
    assert run is not None
    if run.phase == "suspended" or serves(live.body):
        return live
    pods = reach(world, cluster, key, live)
    fate = fate_of(key.kind, key.name, world.fates) if pods == "running" else "hang"
    return _become(live, fate, pods, within)


@lru_cache(1 << 14)
def _become(live: Live, fate: Fate, pods: Reach, within: float | None) -> Live:
    if fate == "succeed" or (fate == "late" and within is None):
        return end(live, Run("succeeded"))
    if fate == "fail":
        return end(live, _failed(live.body))
    ended = ending(live.body, pods)
    if within is not None and ended is not None and ended.after <= within:
        return end(live, ended.run)
    assert live.run is not None
    started = pods == "running"
    return replace(live, run=replace(live.run, phase="running" if started else "waiting", started=started))


def _failed(body: Body) -> Run:
    """As often as it may: in pods that stay, or in the one that is restarted until the Job deletes it."""
    in_place = (
        body.kind == "Job" and at(body.object, "spec", "template", "spec", "restartPolicy") == "OnFailure"
    )
    pods = 1 if in_place or body.kind != "Job" else int(at(body.object, "spec", "backoffLimit") or 0) + 1
    lost = "restartPolicy" if in_place else ""
    return Run("failed", started=True, reason="BackoffLimitExceeded", failed=pods, lost=lost)


def end(live: Live, run: Run) -> Live:
    ttl = at(live.body.object, "spec", "ttlSecondsAfterFinished") if live.body.kind == "Job" else None
    return replace(live, run=replace(run, expires_in=ttl))
