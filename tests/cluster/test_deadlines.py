"""Pods that hang until a deadline, on both levels: the driver ends them as a real kubelet does."""

from typing import Any

import pytest

from dev.cluster.client import Namespace, Object
from dev.cluster.fates import ANNOTATION
from dev.image.recipes import WATCHBILL

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("ours")]

# On the node it really does not go when it is told to.
STUBBORN = ["sh", "-c", "echo I am at work; trap '' TERM; while true; do sleep 1; done"]


def job(name: str, pod: Object | None = None, container: Object | None = None, **spec: Any) -> Object:
    main = {"name": "main", "image": WATCHBILL, "imagePullPolicy": "Never", "command": STUBBORN}
    template = {
        "metadata": {"annotations": {ANNOTATION: "hang"}},
        "spec": {
            "restartPolicy": "Never",
            "terminationGracePeriodSeconds": 1,
            "containers": [{**main, **(container or {})}],
            **(pod or {}),
        },
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"backoffLimit": 0, "template": template, **spec},
    }


NO_CONFIG_MAP = {"envFrom": [{"configMapRef": {"name": "nobody-made-it"}}]}
NO_CLAIM = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "nobody-made-it"}}]}
BACK_OFF, DEADLINE = "BackoffLimitExceeded", "DeadlineExceeded"

# The Job, why it fails, how many pods have failed by then, and how many of them are still there.
CASES = {
    "a pod's deadline": (job("work", {"activeDeadlineSeconds": 3}), BACK_OFF, 1, 1),
    "two attempts": (job("work", {"activeDeadlineSeconds": 3}, backoffLimit=1), BACK_OFF, 2, 2),
    "whatever the restart policy": (
        job("work", {"activeDeadlineSeconds": 3, "restartPolicy": "OnFailure"}),
        BACK_OFF,
        1,
        1,
    ),
    "also while it waits for a ConfigMap": (
        job("work", {"activeDeadlineSeconds": 3}, NO_CONFIG_MAP),
        BACK_OFF,
        1,
        1,
    ),
    "a pod on no node has no time": (
        job("work", {"activeDeadlineSeconds": 3, **NO_CLAIM}, activeDeadlineSeconds=8),
        DEADLINE,
        1,
        0,
    ),
    "the Job's comes first": (
        job("work", {"activeDeadlineSeconds": 30}, activeDeadlineSeconds=3),
        DEADLINE,
        1,
        0,
    ),
    "the Job's comes in the second attempt": (
        job("work", {"activeDeadlineSeconds": 8}, backoffLimit=1, activeDeadlineSeconds=24),
        DEADLINE,
        2,
        1,
    ),
    "the Job's comes between the attempts": (
        job("work", {"activeDeadlineSeconds": 3}, backoffLimit=1, activeDeadlineSeconds=9),
        DEADLINE,
        1,
        1,
    ),
}


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(("hanging", "reason", "failed", "left"), CASES.values(), ids=CASES)
def test_a_job_that_hangs_is_ended(
    namespace: Namespace, hanging: Object, reason: str, failed: int, left: int
) -> None:
    namespace.apply(hanging)

    ended = namespace.wait_for_job("work", "Failed", 60)

    assert [c["reason"] for c in ended["status"]["conditions"] if c["type"] == "Failed"] == [reason]
    assert ended["status"]["failed"] == failed
    pods = [pod for pod in namespace.list("pods") if "deletionTimestamp" not in pod["metadata"]]
    assert [(pod["status"]["phase"], pod["status"]["reason"]) for pod in pods] == [
        ("Failed", DEADLINE)
    ] * left


@pytest.mark.usefixtures("node")
def test_a_pod_that_was_ended_by_its_deadline_keeps_its_logs(namespace: Namespace) -> None:
    namespace.apply(job("work", {"activeDeadlineSeconds": 5}, activeDeadlineSeconds=60))

    namespace.wait_for_job("work", "Failed", 60)

    assert namespace.kubectl("logs", "job/work").stdout == "I am at work\n"
