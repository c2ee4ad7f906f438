"""Who uses an object."""

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.rules.sighting import Sighting

MOST = 5


def users(sighting: Sighting, key: Key) -> list[Key]:
    """Workloads whose pods need it, of those that were there before the operation."""
    found = (
        user
        for user, live in sighting.before.objects.items()
        if user.kind in WORKLOADS and key in needs(live.body, user.namespace)
    )
    return sorted(found)[:MOST]


def running_job(sighting: Sighting, key: Key) -> Key | None:
    """The Job that is at work while what it needs is deleted."""
    step = sighting.step
    if step is None:
        return None
    for user, live in step.world.objects.items():
        at_work = live.run is not None and live.run.phase == "running"
        if user.kind == "Job" and at_work and key in needs(live.body, user.namespace):
            return user
    return None
