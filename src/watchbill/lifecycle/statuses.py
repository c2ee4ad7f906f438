"""What controllers have written into objects by the time that a template looks them up."""

from functools import lru_cache
from typing import TYPE_CHECKING

from watchbill.lifecycle.attempts import Reach, pods_at_once
from watchbill.lifecycle.jobs import reach
from watchbill.lifecycle.objects import Body, Key, Object
from watchbill.lifecycle.workloads import Replicas, replicas
from watchbill.lifecycle.world import Live, Run, World

if TYPE_CHECKING:
    from watchbill.lifecycle.server import Cluster

# Those that count replicas. How many pods a DaemonSet has is a matter of nodes, of which nothing is known.
COUNTED = ("Deployment", "StatefulSet", "ReplicaSet")
ENDS = {"succeeded": ("SuccessCriteriaMet", "Complete"), "failed": ("FailureTarget", "Failed")}


def observed(world: World, cluster: "Cluster", key: Key, live: Live) -> Body:
    """An object with its status, as far as the model knows it."""
    if key.kind == "Job" and live.run is not None:
        return _job(live.body, live.run, reach(world, cluster, key, live))
    if key.group == "apps" and key.kind in COUNTED:
        return _workload(live.body, replicas(world, cluster, key, live))
    return live.body


@lru_cache(1 << 12)
def _job(body: Body, run: Run, pods: Reach) -> Body:
    spec = body.object.get("spec") or {}
    status: Object = {}
    if run.phase in ENDS:
        reason = run.reason or "CompletionsReached"
        status["conditions"] = [
            {"type": kind, "status": "True", "reason": reason} for kind in ENDS[run.phase]
        ]
    if run.phase == "suspended":
        status["conditions"] = [{"type": "Suspended", "status": "True", "reason": "JobSuspended"}]
    elif run.phase == "succeeded":
        status["succeeded"] = spec.get("completions") or spec.get("parallelism", 1)
    elif run.phase == "failed":
        status["failed"] = run.failed
    elif pods != "absent":
        status["active"] = pods_at_once(spec)
    status["ready"] = status.get("active", 0) if pods == "running" else 0
    return _with(body, status, always=("ready",))


@lru_cache(1 << 12)
def _workload(body: Body, counted: Replicas) -> Body:
    status: Object = {"readyReplicas": counted.ready, "availableReplicas": counted.ready}
    if body.kind == "StatefulSet":
        # How many there are of which some are not ready depends on how it came to that.
        known = counted.ready == counted.wanted
        more = ("replicas", "currentReplicas", "updatedReplicas") if known else ()
        status.update(dict.fromkeys(more, counted.there))
        return _with(body, status, always=("replicas", "availableReplicas"))
    if body.kind == "ReplicaSet":
        status |= {"replicas": counted.there, "fullyLabeledReplicas": counted.there}
        return _with(body, status, always=("replicas",))
    enough = counted.ready >= counted.needed
    status |= {
        "replicas": counted.there,
        "updatedReplicas": counted.updated,
        "unavailableReplicas": max(counted.there, counted.wanted) - counted.ready,
        "conditions": [
            {
                "type": "Available",
                "status": str(enough),
                "reason": f"MinimumReplicas{'Available' if enough else 'Unavailable'}",
            }
        ],
    }
    return _with(body, status)


def _with(body: Body, status: Object, always: tuple[str, ...] = ()) -> Body:
    """Most numbers are left out where they are zero."""
    said = {field: value for field, value in status.items() if value or field in always}
    return Body.of({**body.object, "status": said})
