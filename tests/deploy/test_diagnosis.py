"""What is said of Jobs, pods and events after helm failed."""

import datetime as dt

import pytest
from lightkube.models.batch_v1 import JobCondition, JobStatus
from lightkube.models.core_v1 import (
    ContainerState,
    ContainerStateRunning,
    ContainerStateTerminated,
    ContainerStateWaiting,
    ContainerStatus,
    ObjectReference,
    PodStatus,
)
from lightkube.models.meta_v1 import ObjectMeta, OwnerReference
from lightkube.resources.batch_v1 import Job
from lightkube.resources.core_v1 import Event, Pod

from watchbill.deploy.diagnosis import (
    describe_events,
    describe_job,
    describe_pod,
    failed_containers,
    is_of,
)

OWNERS = frozenset({("Deployment", "web"), ("Job", "web-migrate"), ("StatefulSet", "store")})
NOW = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)


def pod(
    *states: ContainerState, owner: tuple[str, str] = ("Job", "web-migrate"), phase: str = "Failed"
) -> Pod:
    reference = OwnerReference(apiVersion="v1", kind=owner[0], name=owner[1], uid="1")
    statuses = [
        ContainerStatus(name=f"c{at}", image="i", imageID="", ready=False, restartCount=0, state=state)
        for at, state in enumerate(states)
    ]
    return Pod(
        metadata=ObjectMeta(name="web-migrate-x", ownerReferences=[reference]),
        status=PodStatus(phase=phase, containerStatuses=statuses),
    )


@pytest.mark.parametrize(
    ("owner", "is_ours"),
    [
        (("Job", "web-migrate"), True),
        (("Job", "other-migrate"), False),
        (("ReplicaSet", "web-5d4f"), True),
        (("ReplicaSet", "web-admin-5d4f"), False),
        (("StatefulSet", "store"), True),
        (("Node", "web"), False),
    ],
)
def test_pods_of_the_component(owner: tuple[str, str], is_ours: bool) -> None:
    assert is_of(pod(owner=owner), OWNERS) is is_ours


def test_why_a_pod_failed_or_does_not_start() -> None:
    failed = ContainerState(
        terminated=ContainerStateTerminated(exitCode=3, reason="Error", message="no table\n")
    )
    waits = ContainerState(waiting=ContainerStateWaiting(reason="ImagePullBackOff", message="no such image"))
    fine = ContainerState(terminated=ContainerStateTerminated(exitCode=0, reason="Completed"))
    found = pod(failed, waits, fine)
    assert describe_pod(found) == [
        "Pod web-migrate-x: c1 waits: ImagePullBackOff: no such image",
        "Pod web-migrate-x: c0 ended with exit code 3 (Error): no table",
    ]
    assert failed_containers(found) == ["c0"]
    runs = ContainerState(running=ContainerStateRunning())
    assert describe_pod(pod(runs, phase="Running")) == ["Pod web-migrate-x: c0 runs, and is not ready"]
    assert describe_pod(pod(fine, phase="Succeeded")) == []
    assert failed_containers(pod(runs, phase="Running")) == ["c0"], "it is not ready"


def test_how_a_job_failed() -> None:
    status = JobStatus(
        conditions=[
            JobCondition(type="Failed", status="True", reason="BackoffLimitExceeded", message="it failed")
        ]
    )
    ours = Job(metadata=ObjectMeta(name="web-migrate"), status=status)
    other = Job(metadata=ObjectMeta(name="other"), status=status)
    assert list(describe_job(ours, OWNERS)) == ["Job web-migrate failed: BackoffLimitExceeded: it failed"]
    assert list(describe_job(other, OWNERS)) == []


def test_warnings_about_the_component_since_it_began() -> None:
    def happened(kind: str, name: str, minute: int, *, type: str = "Warning", message: str = "m") -> Event:  # noqa: A002
        return Event(
            metadata=ObjectMeta(name="e"),
            involvedObject=ObjectReference(kind=kind, name=name),
            type=type,
            reason="FailedCreate",
            message=message,
            lastTimestamp=NOW + dt.timedelta(minutes=minute),
        )

    events = [
        happened("Pod", "web-migrate-x", 2, message="later"),
        happened("Deployment", "web", 1, message="first"),
        happened("Deployment", "web", 1, message="first"),
        happened("Deployment", "web", -9, message="of the deploy before"),
        happened("ReplicaSet", "web-5d4f", 3, message="quota"),
        happened("Deployment", "other", 1),
        happened("Deployment", "web", 1, type="Normal"),
    ]
    assert describe_events(events, OWNERS | {("Pod", "web-migrate-x")}, NOW) == [
        "Deployment web: FailedCreate: first",
        "Pod web-migrate-x: FailedCreate: later",
        "ReplicaSet web-5d4f: FailedCreate: quota",
    ]
