"""When Helm takes an object for ready, and what it says when its time is over."""

from collections.abc import Sequence

from msgspec import Struct

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION, fate_of
from watchbill.lifecycle.helm.operation import Failed, Operation
from watchbill.lifecycle.helm.requests import several
from watchbill.lifecycle.jobs import serves
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.workloads import WORKLOADS, progress, ready
from watchbill.lifecycle.world import Live, Manifest

TIMED_OUT = "context deadline exceeded"
JOB_RETRIES = 60  # seconds during which Helm 3 looks again at a failed Job before it says so


class Unready(Struct, frozen=True):
    """One object the status watcher is not content with."""

    key: Key
    status: str
    message: str


def wait_for_hook(op: Operation, objects: Sequence[Manifest]) -> None:
    """Until a hook's Job or Pod has ended; nothing else is waited for."""
    unsuccessful = {
        manifest.key: live
        for manifest in objects
        if manifest.key.kind in RUNS_TO_COMPLETION and (live := _unsuccessful(op, manifest.key)) is not None
    }
    if not unsuccessful:
        return
    if _polls(op):
        words = [_hook_words(key, live) for key, live in unsuccessful.items()]
        raise Failed(several(op, words) if op.traits.major == 3 else "\n".join(words))
    raise Failed(_watcher_words(op, [_watched(key, live) for key, live in unsuccessful.items()]))


def wait_for_deletion(op: Operation, objects: Sequence[Manifest]) -> None:
    """Until what was deleted is gone, which a finalizer can prevent for ever."""
    if not op.traits.waits_for_deleted_hooks and op.flags.wait == "hookOnly":
        return
    held = [manifest.key for manifest in objects if op.client.get(manifest.key) is not None]
    if held and not _polls(op):
        still = [Unready(key, "Terminating", "Resource scheduled for deletion") for key in held]
        raise Failed(_watcher_words(op, still, "still exists"))
    if held:
        raise Failed(TIMED_OUT)


def _polls(op: Operation) -> bool:
    return op.traits.major == 3 or op.flags.wait == "legacy"


def _unsuccessful(op: Operation, key: Key) -> Live | None:
    """The Job or Pod if it has not succeeded in time."""
    live = op.client.watch(key, op.flags.timeout)
    return None if live is None or live.run is None or live.run.phase == "succeeded" else live


def _hook_words(key: Key, live: Live) -> str:
    assert live.run is not None
    if live.run.phase != "failed":
        return "timed out waiting for the condition"
    return f"job {key.name} failed: {live.run.reason}" if key.kind == "Job" else f"pod {key.name} failed"


def _watched(key: Key, live: Live) -> Unready:
    """A Job or Pod that has not succeeded, as the status watcher sees it."""
    assert live.run is not None
    failed = live.run.phase == "failed"
    if key.kind == "Pod":
        message = f"pod {key.name} failed" if failed else "Pod in progress"
    elif failed:
        spec = live.body.object["spec"]
        completions = spec.get("completions", spec.get("parallelism", 1))
        message = f"Job Failed. failed: {live.run.failed}/{completions}"
    else:
        message = "Job in progress"
    return Unready(key, "Failed" if failed else "InProgress", message)


def _watcher_words(op: Operation, unready: Sequence[Unready], trouble: str = "not ready") -> str:
    if not op.traits.gives_up_at_failed:
        lines = [
            f"resource {trouble}, name: {one.key.name}, kind: {one.key.kind}, status: {one.status}"
            for one in unready
        ]
        return "\n".join([*lines, TIMED_OUT])
    lines = [
        f"resource {one.key.kind}/{one.key.namespace}/{one.key.name} {trouble}. status: {one.status}, "
        f"message: {one.message}"
        for one in unready
    ]
    late = any(one.status != "Failed" for one in unready)
    return "\n".join([*lines, TIMED_OUT] if late else lines)


def wait_for_plain(op: Operation, manifests: Sequence[Manifest]) -> None:
    """`--wait` and `--wait-for-jobs`."""
    wait = op.flags.wait
    if not wait or wait == "hookOnly":
        return
    if _polls(op):
        _wait_by_polling(op, manifests)
    else:
        _wait_by_watching(op, manifests)


def _wait_by_polling(op: Operation, manifests: Sequence[Manifest]) -> None:
    jobs = [one.key for one in manifests if one.key.kind == "Job"] if op.flags.wait_for_jobs else []
    in_time = {key: op.client.foresee(key, op.flags.timeout - JOB_RETRIES) for key in jobs}
    for key in jobs:  # whichever is asked for first, time passes for all of them
        op.client.watch(key, op.flags.timeout)
    for manifest in manifests:
        key = manifest.key
        if _is_unprovided(op, key) or (key.kind in WORKLOADS and not _ready(op, manifest)):
            raise Failed(TIMED_OUT)
        if key.kind == "Pod":
            live = op.client.watch(key, op.flags.timeout)
            # One that has ended is never ready again, however well it ended.
            if live is None or live.run is None or live.run.phase != "running" or _is_unready_pod(op, live):
                raise Failed(TIMED_OUT)
        elif key.kind == "Job" and op.flags.wait_for_jobs:
            _poll_job(op, manifest, in_time[key])


def _poll_job(op: Operation, manifest: Manifest, in_time: Live | None) -> None:
    """By its counters, not by its conditions: a Job ended by its deadline is waited for until the end."""
    live = op.client.get(manifest.key)
    if live is None or (live.run is not None and live.run.finished and live.run.expires_in == 0):
        raise Failed(f'jobs.batch "{manifest.key.name}" not found')
    assert live.run is not None
    if live.run.phase == "succeeded":
        return
    spec = live.body.object["spec"]
    if live.run.phase == "failed" and live.run.failed > spec.get("backoffLimit", 6):
        if op.flags.timeout > JOB_RETRIES and in_time is not None and in_time.run == live.run:
            raise Failed(f"job is failed: {manifest.key.namespace}/{manifest.key.name}")
        raise Failed(TIMED_OUT)
    if spec.get("completions") is not None:
        raise Failed(TIMED_OUT)


def _wait_by_watching(op: Operation, manifests: Sequence[Manifest]) -> None:
    unready = [found for manifest in manifests if (found := _unready(op, manifest))]
    if unready:
        raise Failed(_watcher_words(op, unready))


def _unready(op: Operation, manifest: Manifest) -> Unready | None:
    key = manifest.key
    # A Job is well as soon as it has started: whether it fails later is seen only by those who wait for its end.
    to_its_end = key.kind == "Pod" or (key.kind == "Job" and op.flags.wait_for_jobs)
    live = op.client.watch(key, op.flags.timeout) if to_its_end else op.client.get(key)
    if live is None:
        return Unready(key, "NotFound", "Resource not found")
    if live.terminating:
        return Unready(key, "Terminating", "Resource scheduled for deletion")
    if key.kind == "Job" and live.run is not None:
        if live.run.phase == "failed" or (op.flags.wait_for_jobs and live.run.phase != "succeeded"):
            return _watched(key, live)
        if live.run.phase == "suspended":
            return Unready(key, "InProgress", "Job not started")
    elif key.kind == "PersistentVolumeClaim" and _is_unprovided(op, key):
        return Unready(key, "InProgress", "PVC is not Bound. phase: Pending")
    elif key.kind == "Pod" and _is_unready_pod(op, live):
        return Unready(key, "InProgress", "Pod is running but is not Ready")
    elif key.kind in WORKLOADS and not _ready(op, manifest):
        return Unready(key, "InProgress", progress(op.client.world, op.client.cluster, key, live))
    return None


def _is_unprovided(op: Operation, key: Key) -> bool:
    """A bare cluster has nobody who provides volumes and load balancers."""
    if not op.client.cluster.bare or (live := op.client.get(key)) is None:
        return False
    if key.kind == "PersistentVolumeClaim":
        return True
    spec = live.body.object.get("spec") or {}
    return key.kind == "Service" and spec.get("type") == "LoadBalancer" and not spec.get("externalIPs")


def _is_unready_pod(op: Operation, live: Live) -> bool:
    return serves(live.body) and fate_of("Pod", live.body.name, op.client.world.fates) != "succeed"


def _ready(op: Operation, manifest: Manifest) -> bool:
    live = op.client.get(manifest.key)
    return live is not None and ready(op.client.world, op.client.cluster, manifest.key, live)
