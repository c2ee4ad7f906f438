"""Finds out why helm failed with a component: how its Jobs ended, why its pods do not run, their last log lines and their
warning events. Reads only, within a few seconds; what cannot be read is left out, because helm's own error is known."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterable, Awaitable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

import yaml  # type: ignore[import-untyped]
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import Event, Pod

from watchbill.deploy.bill import Component
from watchbill.deploy.releases import content, releases
from watchbill.errors import UserError
from watchbill.jobs.plain import lines_of
from watchbill.kube.client import Kube
from watchbill.kube.podlogs import container_statuses, explain_waiting

SECONDS = 10.0
LOG_LINES, EVENTS, PODS = 20, 10, 5  # at most: lines a container, events and pods a component
# The clocks of the cluster and of this machine may differ.
SKEW = dt.timedelta(seconds=30)
_WORKLOADS = ("Job", "CronJob", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Pod")
_MAKERS = {"ReplicaSet": "Deployment", "Job": "CronJob"}

Owner = tuple[str, str]  # kind and name
T = TypeVar("T")


async def diagnose(
    kube: Kube, component: Component, environment: Mapping[str, str], *, after: int, since: dt.datetime
) -> tuple[str, ...]:
    """Return what the cluster says about the revision that helm began after revision `after`; empty if it began none."""
    found: list[str] = []
    with suppress(UserError, TimeoutError, yaml.YAMLError):
        async with asyncio.timeout(SECONDS):
            owners = await _owners(kube, component, environment, after)
            if owners:
                await _examine(kube, component.namespace, owners, since, found)
    return tuple(line for text in found for line in lines_of(text))


async def _owners(
    kube: Kube, component: Component, environment: Mapping[str, str], after: int
) -> frozenset[Owner]:
    """The workloads of the release and its hooks."""
    release = (await releases(kube, component.namespace, environment)).get(component.release)
    if release is None or release.last.number <= after:
        return frozenset()
    held = await content(kube, release, release.last)
    documents = (one for text in (held.manifest, *held.hooks) for one in yaml.safe_load_all(text))
    return frozenset(
        (one["kind"], one["metadata"]["name"])
        for one in documents
        if isinstance(one, dict) and one.get("kind") in _WORKLOADS and (one.get("metadata") or {}).get("name")
    )


async def _examine(
    kube: Kube, namespace: str, owners: frozenset[Owner], since: dt.datetime, found: list[str]
) -> None:
    """Add to `found` as it comes: what is there when the time is over is shown."""
    jobs = await _or_none(_list(kube.list(Job, namespace=namespace)))
    found += (line for job in jobs for line in describe_job(job, owners))
    pods = [pod for pod in await _or_none(_list(kube.list(Pod, namespace=namespace))) if is_of(pod, owners)]
    bad = [pod for pod in pods if any(describe_pod(pod))][-PODS:]
    for pod in bad:
        found += describe_pod(pod)
        for container in failed_containers(pod):
            found += await _or_none(_last_lines(kube, pod, container))
    seen = owners | {("Pod", _name(pod)) for pod in pods}
    found += describe_events(await _or_none(_list(kube.list(Event, namespace=namespace))), seen, since)


def describe_job(job: Job, owners: frozenset[Owner]) -> Iterator[str]:
    name = (job.metadata.name if job.metadata else None) or ""
    if ("Job", name) not in owners:
        return
    for condition in (job.status.conditions or []) if job.status else []:
        if condition.type == "Failed" and condition.status == "True":
            yield f"Job {name} failed: {condition.reason}: {condition.message}"


def is_of(pod: Pod, owners: frozenset[Owner]) -> bool:
    """Whether one of the workloads made the pod, or a ReplicaSet or Job that it made."""
    made_by = (pod.metadata.ownerReferences or []) if pod.metadata else []
    return ("Pod", _name(pod)) in owners or any(_is_made_by(one.kind, one.name, owners) for one in made_by)


def _is_made_by(kind: str, name: str, owners: frozenset[Owner]) -> bool:
    """Whether it is one of them, or was made by one: a Deployment makes ReplicaSets, a CronJob makes Jobs."""
    maker = _MAKERS.get(kind, "")
    return (kind, name) in owners or (maker, name.rpartition("-")[0]) in owners


def describe_pod(pod: Pod) -> list[str]:
    """Return why it does not run, or how it failed; nothing of a pod that is well."""
    found = explain_waiting(pod)
    for status in container_statuses(pod):
        ended = (status.state and status.state.terminated) or (
            status.lastState and status.lastState.terminated
        )
        if ended and ended.exitCode:
            message = f": {ended.message.strip()}" if ended.message else ""
            found.append(f"{status.name} ended with exit code {ended.exitCode} ({ended.reason}){message}")
        elif status.state and status.state.running and not status.ready:
            found.append(f"{status.name} runs, and is not ready")
    if pod.status and pod.status.phase == "Failed" and pod.status.reason:
        found.append(f"{pod.status.reason}: {pod.status.message or ''}".rstrip(": "))
    return [f"Pod {_name(pod)}: {one}" for one in found]


def failed_containers(pod: Pod) -> list[str]:
    """Return those that have a log worth reading: they failed, or run and are not ready."""
    return [
        status.name
        for status in container_statuses(pod)
        if (status.state and status.state.terminated and status.state.terminated.exitCode)
        or status.restartCount
        or (status.state and status.state.running and not status.ready)
    ]


def describe_events(events: Iterable[Event], owners: frozenset[Owner], since: dt.datetime) -> list[str]:
    """Return warnings about these objects, the last ones in the order of time, each once."""
    told: dict[str, dt.datetime] = {}
    for event in events:
        about = event.involvedObject
        at = event.lastTimestamp or event.eventTime or event.firstTimestamp
        if event.type != "Warning" or at is None or at < since - SKEW:
            continue
        if _is_made_by(about.kind or "", about.name or "", owners):
            told[f"{about.kind} {about.name}: {event.reason}: {event.message}"] = at
    return sorted(told, key=lambda line: told[line])[-EVENTS:]


async def _last_lines(kube: Kube, pod: Pod, container: str) -> Sequence[str]:
    assert pod.metadata is not None
    lines = [
        line
        async for line in kube.log(
            _name(pod), namespace=pod.metadata.namespace, container=container, tail_lines=LOG_LINES
        )
    ]
    return [f"  {container} | {line.rstrip()}" for line in lines]


async def _list(items: AsyncIterable[T]) -> list[T]:
    return [item async for item in items]


async def _or_none(work: Awaitable[Sequence[T]]) -> Sequence[T]:
    """What it gives; nothing if the user may not read it, or it is gone."""
    try:
        return await work
    except UserError:
        return ()


def _name(pod: Pod) -> str:
    return (pod.metadata.name if pod.metadata else None) or ""
