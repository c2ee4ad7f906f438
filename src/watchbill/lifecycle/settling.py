"""What the cluster does by itself between moves, until nothing changes any more."""

from msgspec.structs import replace

from watchbill.lifecycle.attempts import ending
from watchbill.lifecycle.jobs import end, progress, reach
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.server import Cluster
from watchbill.lifecycle.workloads import ready
from watchbill.lifecycle.world import Live, World


def settle(world: World, cluster: Cluster) -> World:
    """Everything that runs goes as far as it can; what need not stay after that, goes."""
    for key, live in [found for found in world.objects.items() if found[1].run or found[1].rolling]:
        if live.run is not None:
            ended = live if live.run.finished else progress(world, cluster, key, None)
            if ended.run is not None and ended.run.expires_in == 0:
                world = world.drop(key)
            elif ended is not live:
                world = world.put(key, ended)
        elif ready(world, cluster, key, live):
            world = world.put(key, replace(live, rolling=False))
    return world


def pass_time(world: World, cluster: Cluster, seconds: int) -> World:
    """The clock goes on: deadlines end what hangs, the TTL controller deletes what is finished."""
    for key, live in list(world.objects.items()):
        run = live.run
        if run is None or run.phase == "suspended":
            continue
        if run.finished:
            world = _expire(world, key, live, seconds)
            continue
        age = run.running_for + seconds
        ended = ending(live.body, reach(world, cluster, key, live))
        if ended is not None and ended.after <= age:
            world = _expire(world, key, end(live, ended.run), age - ended.after)
        else:
            world = world.put(key, replace(live, run=replace(run, running_for=age)))
    return settle(world, cluster)


def _expire(world: World, key: Key, live: Live, seconds: int) -> World:
    """It has been finished for so long."""
    assert live.run is not None
    if live.run.expires_in is None:
        return world.put(key, live)
    left = live.run.expires_in - seconds
    return (
        world.drop(key)
        if left <= 0
        else world.put(key, replace(live, run=replace(live.run, expires_in=left)))
    )
