"""Deployments and their like, as far as tools wait for them: whether their pods are ready, and how far a roll-out is."""

from math import ceil, floor
from typing import TYPE_CHECKING

from msgspec import Struct

from watchbill.lifecycle.fates import fate_of
from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.objects import Body, Key, at
from watchbill.lifecycle.world import Live, World

if TYPE_CHECKING:
    from watchbill.lifecycle.server import Cluster

# Their pods run for as long as they are there.
WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController")
QUARTER = 0.25  # of its pods a roll-out may add, and do without, unless told otherwise


class Replicas(Struct, frozen=True):
    """Pods of a workload when all has settled."""

    wanted: int  # by those who make them: a Deployment that begins paused wants none yet
    there: int
    updated: int
    ready: int
    needed: int  # for it to count as available


def ready(world: World, cluster: "Cluster", key: Key, live: Live) -> bool:
    """Pods are ready unless they are fated not to be, or miss something they need."""
    spec = live.body.object.get("spec") or {}
    if spec.get("replicas") == 0 or (key.kind == "Deployment" and spec.get("paused")):
        return True
    if fate_of(key.kind, key.name, world.fates) != "succeed":
        return False
    return not missing(world, cluster, key, live.body)


def rolls(before: Body, after: Body) -> bool:
    """Whether a change replaces pods while the old ones still run."""
    if after.kind != "Deployment" or at(after.object, "spec", "strategy", "type") == "Recreate":
        return False
    return bool(at(before.object, "spec", "template") != at(after.object, "spec", "template"))


def progress(world: World, cluster: "Cluster", key: Key, live: Live) -> str:
    """What the status watcher says of a workload whose pods are not ready."""
    wanted = _wanted(live.body)
    if _has_no_account(world, cluster, key, live):
        return f"Replicas: 0/{wanted}"
    if live.body.kind == "ReplicaSet":
        return f"Available: 0/{wanted}"
    if live.body.kind != "Deployment":
        return f"Ready: 0/{wanted}"
    if not live.rolling:
        return f"Available: 0/{wanted}"
    more, fewer = ceil(wanted * QUARTER), floor(wanted * QUARTER)
    updated = min(wanted, more + fewer)
    if updated < wanted:
        return f"Updated: {updated}/{wanted}"
    return f"Pending termination: {more}"


def replicas(world: World, cluster: "Cluster", key: Key, live: Live) -> Replicas:
    """A roll-out that cannot go on leaves pods of the last template at work."""
    spec = live.body.object.get("spec") or {}
    paused = key.kind == "Deployment" and bool(spec.get("paused"))
    wanted = _wanted(live.body)
    more, fewer = ceil(wanted * QUARTER), floor(wanted * QUARTER)
    needed = wanted - fewer
    if not paused and ready(world, cluster, key, live):
        return Replicas(wanted, wanted, wanted, wanted, needed)
    if paused or _has_no_account(world, cluster, key, live):
        return Replicas(0 if paused else wanted, 0, 0, 0, needed)
    if not live.rolling:
        return Replicas(wanted, wanted, wanted, 0, needed)
    old = needed if fate_of(key.kind, key.name, world.fates) == "succeed" else 0
    return Replicas(wanted, wanted + more, min(wanted, more + fewer), old, needed)


def _wanted(body: Body) -> int:
    stated = at(body.object, "spec", "replicas")
    return 1 if stated is None else int(stated)


def _has_no_account(world: World, cluster: "Cluster", key: Key, live: Live) -> bool:
    """Its pods are not even created."""
    return any(lacking.kind == "ServiceAccount" for lacking in missing(world, cluster, key, live.body))
