"""When a Job that hangs is ended, and what is left of it: its pods have a deadline each, and the Job has one for all."""

from functools import lru_cache
from typing import Any, Literal

from msgspec import Struct

from watchbill.lifecycle.objects import Body, at
from watchbill.lifecycle.world import Run

BACK_OFF, LONGEST_BACK_OFF = 10, 360  # seconds before the next attempt; they double with each pod that failed
DOUBLINGS = 6  # after which it is the longest one anyway
DEFAULT_LIMIT = 6
DEFAULT_GRACE = 30
FOREVER = 10 * 365 * 86_400  # who is not ended in ten years is not ended

# How far the pods of a Job get. Held: on a node, without a ConfigMap or a Secret that they need; unplaced: on no
# node, for a claim that is not there; absent: nobody may make them, for want of their ServiceAccount.
Reach = Literal["running", "held", "unplaced", "absent"]


class Ending(Struct, frozen=True):
    after: int  # seconds
    run: Run


@lru_cache(1 << 12)
def ending(body: Body, reach: Reach = "running") -> Ending | None:
    """The Job controller and the kubelet with a Job, or a Pod made by hand, that never ends by itself.

    A pod that is past its own deadline is ended by the kubelet, whatever its restart policy says, and stays with
    its logs; one that runs when the deadline of its Job is over is deleted.
    """
    attempt, started = _attempt(body, reach), reach == "running"
    if body.kind == "Pod":
        failure = Run("failed", started, "DeadlineExceeded", 1)
        return None if attempt is None else Ending(attempt, failure)
    spec = body.object.get("spec")
    own, limit = _number(spec, "activeDeadlineSeconds"), _number(spec, "backoffLimit")
    at_once = pods_at_once(spec)
    last = FOREVER if own is None else own
    elapsed = failed = 0
    while attempt is not None and at_once and elapsed + attempt < last:
        elapsed += attempt
        failed += at_once
        if failed > (DEFAULT_LIMIT if limit is None else limit):
            return Ending(elapsed, Run("failed", started, "BackoffLimitExceeded", failed))
        elapsed += min(BACK_OFF << min(failed - 1, DOUBLINGS), LONGEST_BACK_OFF)
    if own is None:
        return None
    active = at_once if elapsed < own and reach != "absent" else 0
    # Where an earlier attempt has left its pod, there is something to read.
    lost = "activeDeadlineSeconds" if active and started and not failed else ""
    return Ending(own, Run("failed", started, "DeadlineExceeded", failed + active, lost))


def _attempt(body: Body, reach: Reach) -> int | None:
    """Seconds until the kubelet has ended a pod of it; containers that run are given time to go by themselves."""
    path = ("spec",) if body.kind == "Pod" else ("spec", "template", "spec")
    pod = at(body.object, *path)
    deadline, grace = _number(pod, "activeDeadlineSeconds"), _number(pod, "terminationGracePeriodSeconds")
    if deadline is None or reach in ("unplaced", "absent"):
        return None
    return deadline + ((DEFAULT_GRACE if grace is None else grace) if reach == "running" else 0)


def pods_at_once(spec: Any) -> int:
    parallelism, completions = _number(spec, "parallelism"), _number(spec, "completions")
    most = 1 if parallelism is None else parallelism
    return most if completions is None else min(most, completions)


def _number(thing: Any, field: str) -> int | None:
    """What a chart renders may be anything."""
    found = at(thing, field)
    return found if type(found) is int and found >= 0 else None
