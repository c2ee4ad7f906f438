"""The Job controller, the TTL controller and the kubelet, as far as they decide what becomes of a Job."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from watchbill.lifecycle.fates import fate_of
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


def missing(world: World, cluster: "Cluster", key: Key, body: Body) -> list[Key]:
    """What its pod needs and is not there."""
    return [needed for needed in needs(body, key.namespace) if not cluster.has(world, needed)]


def settle(world: World, cluster: "Cluster", within: float | None = None) -> World:
    """Everything that runs goes as far as it can; within so many seconds, if that is given."""
    for key, live in list(world.objects.items()):
        if live.run is not None and not live.run.finished:
            world = world.put(key, progress(world, cluster, key, within))
    if within is None:
        for key, live in list(world.objects.items()):
            if live.run is not None and live.run.expires_in == 0:
                world = world.drop(key)
    return world


def progress(world: World, cluster: "Cluster", key: Key, within: float | None) -> Live:
    """One Job by its fate."""
    live = world.objects[key]
    run = live.run
    assert run is not None
    if run.phase == "suspended":
        return live
    body = live.body
    deadline = at(body.object, "spec", "activeDeadlineSeconds")
    if (
        within is not None
        and deadline is not None
        and deadline <= within
        and _outlives(world, cluster, key, live)
    ):
        return _end(
            live, Run("failed", "DeadlineExceeded", failed=1 if _starts(world, cluster, key, body) else 0)
        )
    if not _starts(world, cluster, key, body):
        return replace(live, run=replace(run, phase="waiting"))
    fate = fate_of(key.kind, key.name, world.fates)
    if fate == "succeed" or (fate == "late" and within is None):
        return _end(live, Run("succeeded"))
    if fate == "fail":
        return _end(live, Run("failed", "BackoffLimitExceeded", failed=_failed_pods(body)))
    return replace(live, run=replace(run, phase="running"))


def pass_time(world: World, cluster: "Cluster", seconds: int) -> World:
    """The clock goes on: deadlines end what hangs, the TTL controller deletes what is finished."""
    for key, live in list(world.objects.items()):
        run = live.run
        if run is None:
            continue
        if run.finished:
            if run.expires_in is not None:
                left = run.expires_in - seconds
                world = (
                    world.drop(key)
                    if left <= 0
                    else world.put(key, replace(live, run=replace(run, expires_in=left)))
                )
            continue
        if run.phase == "suspended":
            continue
        age = run.running_for + seconds
        deadline = at(live.body.object, "spec", "activeDeadlineSeconds")
        if deadline is not None and deadline <= age:
            started = run.phase == "running"
            world = world.put(key, _end(live, Run("failed", "DeadlineExceeded", failed=int(started))))
        else:
            world = world.put(key, replace(live, run=replace(run, running_for=age)))
    return settle(world, cluster)


def _starts(world: World, cluster: "Cluster", key: Key, body: Body) -> bool:
    return not missing(world, cluster, key, body)


def _outlives(world: World, cluster: "Cluster", key: Key, live: Live) -> bool:
    """Whether it still runs, or waits, when its deadline comes."""
    return fate_of(key.kind, key.name, world.fates) in ("hang", "late") or not _starts(
        world, cluster, key, live.body
    )


def _failed_pods(body: Body) -> int:
    if body.kind != "Job" or at(body.object, "spec", "template", "spec", "restartPolicy") == "OnFailure":
        return 1
    return int(at(body.object, "spec", "backoffLimit") or 0) + 1


def _end(live: Live, run: Run) -> Live:
    ttl = at(live.body.object, "spec", "ttlSecondsAfterFinished") if live.body.kind == "Job" else None
    return replace(live, run=replace(run, expires_in=ttl))
