"""Plain Jobs that a tool is told to wait for: whether it sees them end, and says so in time."""

from collections.abc import Iterator

from watchbill.lifecycle.flags import Flags
from watchbill.lifecycle.helm.command import accepted
from watchbill.lifecycle.helm.traits import helm_traits
from watchbill.lifecycle.helm.waits import TIMED_OUT
from watchbill.lifecycle.objects import Key, at
from watchbill.lifecycle.properties import Cause, Offence, Property, Scene
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.lifecycle.world import Run

POLLED_EVERY = 2  # seconds, by Helm 3; what is gone between two looks was never there


def judge(scene: Scene) -> Iterator[Offence]:
    move = scene.played.move
    asked = move.flags.wait or move.flags.atomic
    if scene.lab.tool.name != "helm" or not asked or not scene.played.steps or scene.played.release is None:
        return
    traits = helm_traits(scene.lab.tool.version)
    flags = accepted(move, traits)
    polls = traits.major == 3 or flags.wait == "legacy"
    if not flags.wait or flags.wait == "hookOnly" or (polls and not flags.wait_for_jobs):
        return
    yield from _gone_before_it_is_seen(scene, flags, polls)
    if polls:
        yield from _failed_unsaid(scene)


def _gone_before_it_is_seen(scene: Scene, flags: Flags, polls: bool) -> Iterator[Offence]:
    """A finished Job stays for its TTL only, and the tool goes on waiting for whatever else is not ready yet."""
    assert scene.played.release is not None
    awaited = [one for one in scene.played.release.rendered.manifests if one.key.kind in ("Job", *WORKLOADS)]
    for manifest in awaited:
        ttl = at(manifest.body.object, "spec", "ttlSecondsAfterFinished")
        if manifest.key.kind != "Job" or not isinstance(ttl, int):
            continue
        soon = flags.timeout if len(awaited) > 1 else POLLED_EVERY if polls else 0
        if ttl < soon:
            yield Offence(Property.SEEN, Cause(manifest.key, "ttlSecondsAfterFinished"))


def _failed_unsaid(scene: Scene) -> Iterator[Offence]:
    """Helm 3 counts pods that failed; a Job may fail with fewer of them than its backoffLimit."""
    played = scene.played
    if TIMED_OUT not in played.error:
        return
    for key, live in played.world.objects.items():
        limit = at(live.body.object, "spec", "backoffLimit")
        if live.run and live.run.phase == "failed" and isinstance(limit, int) and live.run.failed <= limit:
            yield Offence(Property.TELLS, Cause(key, _why(key, live.run)))


def _why(key: Key, run: Run) -> str:
    return (
        "activeDeadlineSeconds" if key.kind == "Job" and run.reason == "DeadlineExceeded" else "restartPolicy"
    )
