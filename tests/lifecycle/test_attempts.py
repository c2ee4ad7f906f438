"""When a Job that hangs is ended: seconds, reason, failed pods, and by what its logs are gone."""

from typing import Any

import pytest

from watchbill.lifecycle.attempts import FOREVER, Ending, Reach, ending
from watchbill.lifecycle.objects import Body
from watchbill.lifecycle.world import Run


def job(pod_deadline: Any = None, grace: Any = 5, **spec: Any) -> Body:
    pod = {"activeDeadlineSeconds": pod_deadline, "terminationGracePeriodSeconds": grace}
    fields = {name: value for name, value in pod.items() if value is not None}
    return Body.of({"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": fields}, **spec}})


def pod(**spec: Any) -> Body:
    return Body.of({"apiVersion": "v1", "kind": "Pod", "spec": spec})


def ended(after: int, failed: int, *, started: bool = True) -> Ending:
    """By the deadlines of its pods."""
    return Ending(after, Run("failed", started, "BackoffLimitExceeded", failed))


def cut(after: int, failed: int, lost: str = "", *, started: bool = True) -> Ending:
    return Ending(after, Run("failed", started, "DeadlineExceeded", failed, lost))


OWN = "activeDeadlineSeconds"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (job(), None),
        (job(100, backoffLimit=0), ended(105, 1)),
        (job(100, grace=None, backoffLimit=0), ended(130, 1)),
        (job(100, backoffLimit=1), ended(220, 2)),
        (job(100, backoffLimit=2), ended(345, 3)),
        (job(1, grace=0), ended(7 + 10 + 20 + 40 + 80 + 160 + 320, 7)),
        (job(1, grace=0, backoffLimit=8), ended(9 + 10 + 20 + 40 + 80 + 160 + 320 + 360 + 360, 9)),
        (job(100, backoffLimit=2, parallelism=2), ended(230, 4)),
        (job(100, backoffLimit=2, parallelism=2, completions=1), ended(345, 3)),
        (job(100, parallelism=0), None),
        (job(100, backoffLimit=2**31 - 1), None),
        (job(FOREVER), None),
        (job(activeDeadlineSeconds=60), cut(60, 1, OWN)),
        (job(activeDeadlineSeconds=60, parallelism=3), cut(60, 3, OWN)),
        (job(120, grace=10, backoffLimit=1, activeDeadlineSeconds=285), ended(270, 2)),
        (job(120, grace=10, backoffLimit=1, activeDeadlineSeconds=200), cut(200, 2)),
        (job(120, grace=10, backoffLimit=1, activeDeadlineSeconds=135), cut(135, 1)),
        (job(120, grace=10, backoffLimit=1, activeDeadlineSeconds=125), cut(125, 1, OWN)),
        (job("soon", backoffLimit="many", activeDeadlineSeconds=True), None),
        (pod(), None),
        (pod(activeDeadlineSeconds=60), cut(90, 1)),
    ],
)
def test_what_hangs_is_ended(body: Body, expected: Ending | None) -> None:
    assert ending(body) == expected


@pytest.mark.parametrize(
    ("reach", "by_its_pod", "by_its_own"),
    [
        ("running", ended(105, 1), cut(300, 1, OWN)),
        ("held", ended(100, 1, started=False), cut(300, 1, started=False)),
        ("unplaced", None, cut(300, 1, started=False)),
        ("absent", None, cut(300, 0, started=False)),
    ],
)
def test_only_a_pod_on_a_node_has_a_time_of_its_own(
    reach: Reach, by_its_pod: Ending | None, by_its_own: Ending
) -> None:
    assert ending(job(100, backoffLimit=0), reach) == by_its_pod
    assert ending(job(activeDeadlineSeconds=300), reach) == by_its_own
