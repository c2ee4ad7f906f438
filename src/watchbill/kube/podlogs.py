"""The logs of pods as they come, each line once, also when the connection broke meanwhile; and why a pod does not start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from lightkube.models.core_v1 import ContainerStatus
from lightkube.resources.core_v1 import Pod
from msgspec import Struct

from watchbill.kube.errors import KubeError
from watchbill.kube.watching import PATIENCE, Patience

if TYPE_CHECKING:
    from watchbill.kube.client import Kube

_QUIET = ("PodInitializing", "ContainerCreating")


class Line(Struct, frozen=True, kw_only=True):
    """One line of a log, or (container "") a notice of ours: why a pod does not start, or has no log."""

    pod: str
    text: str
    container: str = ""
    attempt: int = 1
    time: str = ""


class Listener:
    """Follows every container of the pods it is shown."""

    def __init__(self, kube: Kube, namespace: str, tell: Callable[[Line], None]) -> None:
        self._kube = kube
        self._namespace = namespace
        self._tell = tell
        self._pods: dict[str, Pod] = {}  # also those that are gone, as they were last
        self._gone: set[str] = set()
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._noticed: set[tuple[str, str]] = set()

    def pods(self) -> list[Pod]:
        """In the order of the attempts: by whole seconds, then as they were seen."""
        return sorted(self._pods.values(), key=_created)

    def see(self, known: dict[str, Pod]) -> None:
        self._pods.update(known)
        self._gone = self._pods.keys() - known.keys()
        for name, pod in known.items():
            for status in container_statuses(pod):
                if _has_started(status) and (name, status.name) not in self._tasks:
                    self._tasks[name, status.name] = asyncio.create_task(self._listen(name, status.name))
            for reason in explain_waiting(pod):
                self._notice(name, reason)

    async def last_words(self, seconds: float) -> None:
        """Until the logs of what has ended are told."""
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=seconds)

    async def stop(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _listen(self, pod: str, container: str) -> None:
        place = _Place()
        pause = Patience(PATIENCE)
        while True:
            try:
                lines = self._kube.follow_log(pod, container, namespace=self._namespace, since=place.time)
                async with aclosing(lines):
                    async for time, text in lines:
                        pause.went_well()
                        if place.is_new(time):
                            self._tell(
                                Line(
                                    pod=pod,
                                    container=container,
                                    attempt=self._attempt(pod),
                                    time=time,
                                    text=text,
                                )
                            )
                if self._has_ended(pod, container):
                    return
                # Its end is not told yet, or the kubelet was restarted.
                await asyncio.sleep(0.5)
            except KubeError as error:
                if error.is_missing:
                    return
                try:
                    if error.reason != "Timeout":
                        await pause.after(error)
                except KubeError as last:
                    self._notice(pod, f"the log of {container} cannot be read: {last.what}")
                    return
            place.again()

    def _has_ended(self, pod: str, container: str) -> bool:
        if pod in self._gone or pod not in self._pods:
            return True
        status = next(
            (found for found in container_statuses(self._pods[pod]) if found.name == container), None
        )
        return status is None or (status.state is not None and status.state.terminated is not None)

    def _notice(self, pod: str, text: str) -> None:
        if (pod, text) not in self._noticed:
            self._noticed.add((pod, text))
            self._tell(Line(pod=pod, attempt=self._attempt(pod), text=text))

    def _attempt(self, pod: str) -> int:
        return next((number for number, found in enumerate(self.pods(), 1) if _name(found) == pod), 1)


class _Place:
    """How far a log was told. A log is asked for again from a time on, and that time's lines come again."""

    def __init__(self) -> None:
        self.time = ""
        self._seen = 0  # lines of that very time
        self._again = 0

    def again(self) -> None:
        self._again = self._seen

    def is_new(self, time: str) -> bool:
        # Without the Z: 0.1 comes before 0.12, and so do the texts.
        now, last = time.rstrip("Z"), self.time.rstrip("Z")
        if self._again and now < last:
            return False
        if self._again and now == last:
            self._again -= 1
            return False
        self._again = 0
        self._seen = self._seen + 1 if now == last else 1
        self.time = time
        return True


def container_statuses(pod: Pod) -> list[ContainerStatus]:
    """Return those of its init containers and of its containers."""
    status = pod.status
    return [*(status.initContainerStatuses or []), *(status.containerStatuses or [])] if status else []


def _has_started(status: ContainerStatus) -> bool:
    return status.state is not None and (
        status.state.running is not None or status.state.terminated is not None
    )


def explain_waiting(pod: Pod) -> list[str]:
    """Return why containers of the pod do not start, and why it is not scheduled."""
    found = [
        f"{status.name} waits: {waiting.reason}: {waiting.message or ''}".rstrip(": ")
        for status in container_statuses(pod)
        if (waiting := status.state.waiting if status.state else None)
        and waiting.reason not in (None, *_QUIET)
    ]
    conditions = (pod.status.conditions or []) if pod.status else []
    found += [
        f"not scheduled: {condition.message or condition.reason}"
        for condition in conditions
        if condition.type == "PodScheduled" and condition.status == "False"
    ]
    return found


def _created(pod: Pod) -> str:
    created = pod.metadata.creationTimestamp if pod.metadata else None
    return created.isoformat() if created else ""


def _name(pod: Pod) -> str:
    return (pod.metadata.name if pod.metadata else None) or ""
