"""When Helm takes an object for ready, and what it says when its time is over."""

from collections.abc import Iterator, Sequence

from watchbill.lifecycle.fates import fate_of
from watchbill.lifecycle.helm.operation import Failed, Operation
from watchbill.lifecycle.helm.requests import several
from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.objects import at
from watchbill.lifecycle.world import Live, Manifest

TIMED_OUT = "context deadline exceeded"
JOB_RETRIES = 60  # seconds during which Helm 3 looks again at a failed Job before it says so
WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController")


def wait_for_hook(op: Operation, objects: Sequence[Manifest]) -> None:
    """Until a hook's Job or Pod has ended; nothing else is waited for."""
    errors = [words for manifest in objects if (words := _hook_error(op, manifest))]
    if not errors:
        return
    if op.traits.major == 3:
        raise Failed(several(op, errors))
    if op.flags.wait == "legacy":
        raise Failed(errors[0])
    late = any("status: Failed" not in words for words in errors)
    raise Failed("\n".join([*errors, TIMED_OUT] if late else errors))


def _hook_error(op: Operation, manifest: Manifest) -> str:
    key = manifest.key
    if key.kind not in ("Job", "Pod"):
        return ""
    live = op.client.watch(key, op.flags.timeout)
    if live is None or live.run is None:
        return ""
    run = live.run
    if run.phase == "succeeded":
        return ""
    if op.traits.major == 3 or op.flags.wait == "legacy":
        if run.phase != "failed":
            return "timed out waiting for the condition"
        return f"job {key.name} failed: {run.reason}" if key.kind == "Job" else f"pod {key.name} failed"
    return f"resource {key.kind}/{key.namespace}/{key.name} not ready. {_watched(live)}"


def _watched(live: Live) -> str:
    """A Job or Pod that has not succeeded, as the status watcher describes it."""
    assert live.run is not None
    if live.body.kind == "Pod":
        if live.run.phase == "failed":
            return f"status: Failed, message: pod {live.body.name} failed"
        return "status: InProgress, message: Pod in progress"
    if live.run.phase == "failed":
        spec = live.body.object["spec"]
        completions = spec.get("completions", spec.get("parallelism", 1))
        return f"status: Failed, message: Job Failed. failed: {live.run.failed}/{completions}"
    return "status: InProgress, message: Job in progress"


def wait_for_plain(op: Operation, manifests: Sequence[Manifest]) -> None:
    """`--wait` and `--wait-for-jobs`."""
    wait = op.flags.wait
    if not wait or wait == "hookOnly":
        return
    if op.traits.major == 3 or wait == "legacy":
        _wait_by_polling(op, manifests)
    else:
        _wait_by_watching(op, manifests)


def _wait_by_polling(op: Operation, manifests: Sequence[Manifest]) -> None:
    for manifest in manifests:
        key = manifest.key
        if key.kind in WORKLOADS:
            if not _ready(op, manifest):
                raise Failed(TIMED_OUT)
        elif key.kind == "Pod":
            live = op.client.watch(key, op.flags.timeout)
            if live is None or live.run is None or live.run.phase in ("waiting", "failed"):
                raise Failed(TIMED_OUT)
        elif key.kind == "Job" and op.flags.wait_for_jobs:
            _poll_job(op, manifest)


def _poll_job(op: Operation, manifest: Manifest) -> None:
    """By its counters, not by its conditions: a Job ended by its deadline is waited for until the end."""
    live = op.client.watch(manifest.key, op.flags.timeout)
    if live is None or (live.run is not None and live.run.finished and live.run.expires_in == 0):
        raise Failed(f'jobs.batch "{manifest.key.name}" not found')
    assert live.run is not None
    if live.run.phase == "succeeded":
        return
    spec = live.body.object["spec"]
    if live.run.phase == "failed" and live.run.failed > spec.get("backoffLimit", 6):
        if op.flags.timeout > JOB_RETRIES:
            raise Failed(f"job is failed: {manifest.key.namespace}/{manifest.key.name}")
        raise Failed(TIMED_OUT)
    if spec.get("completions") is not None:
        raise Failed(TIMED_OUT)


def _wait_by_watching(op: Operation, manifests: Sequence[Manifest]) -> None:
    found = list(_unready(op, manifests))
    if found:
        late = any("status: Failed" not in words for words in found)
        raise Failed("\n".join([*found, TIMED_OUT] if late else found))


def _unready(op: Operation, manifests: Sequence[Manifest]) -> Iterator[str]:
    for manifest in manifests:
        key = manifest.key
        which = f"resource {key.kind}/{key.namespace}/{key.name} not ready."
        live = op.client.watch(key, op.flags.timeout) if key.kind in ("Job", "Pod") else op.client.get(key)
        if live is None or (live.run is not None and live.run.finished and live.run.expires_in == 0):
            yield f"{which} status: NotFound, message: Resource not found"
        elif live.terminating:
            yield f"{which} status: Terminating, message: Resource scheduled for deletion"
        elif key.kind == "Job":
            assert live.run is not None
            if live.run.phase == "failed" or (op.flags.wait_for_jobs and live.run.phase != "succeeded"):
                yield f"{which} {_watched(live)}"
            elif live.run.phase == "suspended":
                yield f"{which} status: InProgress, message: Job not started"
        elif key.kind in WORKLOADS and not _ready(op, manifest):
            yield f"{which} status: InProgress, message: {_progress(live)}"


def _ready(op: Operation, manifest: Manifest) -> bool:
    """A workload's pods are Ready unless they are fated not to be, or miss something they need."""
    live = op.client.get(manifest.key)
    if live is None:
        return False
    if manifest.key.kind == "Deployment" and at(live.body.object, "spec", "paused"):
        return True
    if at(live.body.object, "spec", "replicas") == 0:
        return True
    if missing(op.client.world, op.client.cluster, manifest.key, live.body):
        return False
    return fate_of(manifest.key.kind, manifest.key.name, op.client.world.fates) == "succeed"


def _progress(live: Live) -> str:
    replicas = at(live.body.object, "spec", "replicas") or 1
    if live.body.kind == "Deployment":
        return f"Available: 0/{replicas}"
    return f"Ready: 0/{replicas}"
