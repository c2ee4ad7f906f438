"""What a Job's pods say while they run, attempt by attempt, and how the Job ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import Pod
from msgspec import Struct

from watchbill.kube import podlogs
from watchbill.kube.errors import KubeError
from watchbill.kube.podlogs import Line
from watchbill.kube.watching import watched

if TYPE_CHECKING:
    from watchbill.kube.client import Kube

__all__ = ["Attempt", "Ending", "Line", "follow"]

# What is still to come of a log when the Job has ended.
_LAST_WORDS = 10.0


class Attempt(Struct, frozen=True, kw_only=True):
    """How one pod ended. `message` is its termination message, or the end of its log if it failed without one."""

    pod: str
    succeeded: bool
    exit_code: int | None = None
    reason: str = ""
    message: str = ""


class Ending(Struct, frozen=True, kw_only=True):
    """How the Job ended: it succeeded, it failed (`reason`: BackoffLimitExceeded, DeadlineExceeded...), or it is gone."""

    succeeded: bool
    is_deleted: bool = False
    reason: str = ""
    message: str = ""
    attempts: tuple[Attempt, ...] = ()

    @property
    def last(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts else None


async def follow(kube: Kube, namespace: str, name: str, tell: Callable[[Line], None]) -> Ending:
    """Until the Job `name` is complete, failed or gone. Bad moments of the connection are lived through for a minute
    each; then KubeError. Cancel it as you like: nothing is changed in the cluster."""
    try:
        job = await kube.get(Job, name, namespace=namespace)
    except KubeError as error:
        if error.is_missing:
            return _gone(name, ())
        raise
    assert job.metadata is not None
    listener = podlogs.Listener(kube, namespace, tell)
    following = asyncio.create_task(_pods(kube, namespace, job, listener))
    try:
        ended = await _end(kube, namespace, job, following)
        await listener.last_words(_LAST_WORDS)
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await listener.stop()
    attempts = tuple(_attempt(pod) for pod in listener.pods())
    if ended is None:
        return _gone(name, attempts)
    return Ending(
        succeeded=ended.type in ("Complete", "SuccessCriteriaMet"),
        reason=ended.reason or "",
        message=ended.message or "",
        attempts=attempts,
    )


class _Ended(Struct, frozen=True):
    type: str
    reason: str | None = None
    message: str | None = None


async def _end(kube: Kube, namespace: str, job: Job, following: asyncio.Task[None]) -> _Ended | None:
    """None: it was deleted, or is another Job by now."""
    watching = asyncio.create_task(_watch_end(kube, namespace, job))
    try:
        done, _ = await asyncio.wait((watching, following), return_when=asyncio.FIRST_COMPLETED)
        if following in done and watching not in done:
            following.result()  # ends only by an error
        return await watching
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def _watch_end(kube: Kube, namespace: str, job: Job) -> _Ended | None:
    assert job.metadata is not None
    assert job.metadata.name is not None
    jobs = watched(kube, Job, namespace=namespace, fields={"metadata.name": job.metadata.name})
    async with aclosing(jobs):
        async for known in jobs:
            found = known.get(job.metadata.name)
            if found is None or found.metadata is None or found.metadata.uid != job.metadata.uid:
                return None
            for condition in (found.status.conditions or []) if found.status else []:
                if condition.type in ("Complete", "Failed") and condition.status == "True":
                    return _Ended(condition.type, condition.reason, condition.message)
    return None


async def _pods(kube: Kube, namespace: str, job: Job, listener: podlogs.Listener) -> None:
    selector = job.spec.selector.matchLabels if job.spec and job.spec.selector else None
    pods = watched(kube, Pod, namespace=namespace, labels=dict(selector or {"job-name": job.metadata.name}))  # type: ignore[union-attr]
    async with aclosing(pods):
        async for known in pods:
            listener.see(known)


def _attempt(pod: Pod) -> Attempt:
    status = pod.status
    assert pod.metadata is not None
    ends = [
        container.state.terminated
        for container in ((status.containerStatuses or []) if status else [])
        if container.state and container.state.terminated
    ]
    # The one that failed tells why; a sidecar that was stopped with it comes later in the list.
    end = next((found for found in ends if found.exitCode), ends[0] if ends else None)
    phase = status.phase if status else None
    return Attempt(
        pod=pod.metadata.name or "",
        succeeded=phase == "Succeeded",
        exit_code=end.exitCode if end else None,
        reason=(status.reason if status else None) or (end.reason if end else None) or "",
        message=(end.message if end else None) or (status.message if status else None) or "",
    )


def _gone(name: str, attempts: tuple[Attempt, ...]) -> Ending:
    return Ending(
        succeeded=False,
        is_deleted=True,
        reason="Deleted",
        message=f"the Job {name} is not there any more",
        attempts=attempts,
    )
