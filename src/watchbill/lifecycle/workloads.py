"""Deployments and their like, as far as tools wait for them: whether their pods are ready, and how far a roll-out is."""

from math import ceil, floor
from typing import TYPE_CHECKING

from watchbill.lifecycle.fates import fate_of
from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.objects import Body, Key, at
from watchbill.lifecycle.world import Live, World

if TYPE_CHECKING:
    from watchbill.lifecycle.server import Cluster

# Their pods run for as long as they are there.
WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController")
QUARTER = 0.25  # of its pods a roll-out may add, and do without, unless told otherwise


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
    replicas = at(live.body.object, "spec", "replicas")
    wanted = 1 if replicas is None else int(replicas)
    if any(lacking.kind == "ServiceAccount" for lacking in missing(world, cluster, key, live.body)):
        return f"Replicas: 0/{wanted}"  # its pods are not even created
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
