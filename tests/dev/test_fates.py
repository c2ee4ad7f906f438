"""The grammar of fates, which one counts, and the statuses that make them true."""

from typing import Any

import pytest

from dev.cluster.fates import ANNOTATION, JOBS, Fate, choose, needs, parse, step, wait

NOW = "2030-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "fate"),
    [
        ("succeed", Fate("succeed")),
        (" fail\n", Fate("fail")),
        ("hang", Fate("hang")),
        ("late:5", Fate("late", seconds=5)),
        ("late:0.5", Fate("late", seconds=0.5)),
        ("fail:2 then succeed", Fate("fail", failures=2)),
        ("fail:2", Fate("fail", failures=2)),
    ],
)
def test_a_fate_is_read(text: str, fate: Fate) -> None:
    assert parse(text) == fate


@pytest.mark.parametrize(
    "text", ["", "Succeed", "late", "late:", "late:-1", "fail:x", "fail then succeed", "hang:3"]
)
def test_what_is_no_fate_is_told_with_what_would_be(text: str) -> None:
    with pytest.raises(ValueError, match="is no fate; write one of: succeed, fail, hang, late:SECONDS"):
        parse(text)


def test_the_table_wins_then_the_pod_then_the_job_then_success() -> None:
    table = {"migrate": "hang", "_patterns": "mig* fail\n\nseed-? late:3\n"}
    pod, job = {ANNOTATION: "fail"}, {ANNOTATION: "late:9"}

    assert choose("Job", "migrate", table, pod, job) == "hang"
    assert choose("Job", "migrate-2", table, pod, job) == "fail"
    assert choose("Job", "seed-1", table, pod, job) == "late:3"
    assert choose("Job", "seed-10", table, pod, job) == "fail"
    assert choose("Job", "seed-10", table, {}, job) == "late:9"
    assert choose("Job", "seed-10", {}, {}, {}) == "succeed"


def pod(restart: str, **status: Any) -> dict[str, Any]:
    containers = [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]
    return {
        "spec": {"restartPolicy": restart, "containers": containers},
        "status": {"phase": "Pending", **status},
    }


def test_a_pod_that_shall_succeed_does_so_at_once() -> None:
    status = step(pod("Never"), Fate("succeed"), 0, 0, NOW).status

    assert status is not None
    assert status["phase"] == "Succeeded"
    assert [c["state"]["terminated"]["exitCode"] for c in status["containerStatuses"]] == [0, 0]


def test_a_late_pod_runs_first_and_is_looked_at_when_its_time_comes() -> None:
    first = step(pod("Never"), Fate("late", seconds=5), 2, 0, NOW)
    assert first.status is not None
    assert (first.status["phase"], first.again) == ("Running", 3)

    second = step(pod("Never", **first.status), Fate("late", seconds=5), 3, 0, NOW)
    assert (second.status, second.again) == (None, 2), "it says so already"

    third = step(pod("Never", **first.status), Fate("late", seconds=5), 5, 0, NOW)
    assert third.status is not None
    assert third.status["phase"] == "Succeeded"


@pytest.mark.parametrize(("failures", "phase"), [(0, "Failed"), (1, "Failed"), (2, "Succeeded")])
def test_failures_are_counted_over_the_pods_of_a_job(failures: int, phase: str) -> None:
    status = step(pod("Never"), Fate("fail", failures=2), 0, failures, NOW).status

    assert status is not None
    assert status["phase"] == phase


def test_a_pod_that_restarts_in_place_counts_its_own_restarts() -> None:
    seen = []
    current = pod("OnFailure")
    for _ in range(3):
        status = step(current, Fate("fail", failures=2), 0, 0, NOW).status
        assert status is not None
        seen.append((status["phase"], status["containerStatuses"][0]["restartCount"]))
        current = pod("OnFailure", **status)

    assert seen == [("Running", 1), ("Running", 2), ("Succeeded", 0)]


def with_deadline(restart: str, seconds: int) -> dict[str, Any]:
    made = pod(restart)
    made["spec"] |= {"activeDeadlineSeconds": seconds, "terminationGracePeriodSeconds": 2}
    return made


@pytest.mark.parametrize("restart", ["Never", "OnFailure", "Always"])
def test_a_pod_that_hangs_is_killed_when_its_deadline_and_its_grace_are_over(restart: str) -> None:
    hanging = with_deadline(restart, 5)
    first = step(hanging, Fate("hang"), 4, 0, NOW)
    assert first.status is not None
    assert (first.status["phase"], first.again) == ("Running", 3)

    last = step(hanging, Fate("hang"), 7, 0, NOW).status

    assert last is not None
    assert (last["phase"], last["reason"]) == ("Failed", "DeadlineExceeded")
    assert [c["state"]["terminated"]["exitCode"] for c in last["containerStatuses"]] == [137, 137]


@pytest.mark.parametrize(("late", "again"), [(6.0, 2), (60.0, 3)])
def test_a_late_pod_is_looked_at_when_its_deadline_comes_before(late: float, again: float) -> None:
    assert step(with_deadline("Never", 5), Fate("late", late), 4, 0, NOW).again == again


@pytest.mark.parametrize(
    ("lacking", "age", "phase"),
    [("configmaps", 4, "Pending"), ("configmaps", 5, "Failed"), ("persistentvolumeclaims", 60, "Pending")],
)
def test_a_pod_that_waits_has_its_time_as_soon_as_it_is_on_a_node(
    lacking: str, age: float, phase: str
) -> None:
    status = wait(with_deadline("Never", 5), [lacking], age, NOW).status

    assert status is not None
    assert status["phase"] == phase
    assert ("startTime" in status) == (lacking == "configmaps")


@pytest.mark.parametrize(
    ("fate", "age", "ready"),
    [
        (Fate("succeed"), 0, True),
        (Fate("hang"), 9, False),
        (Fate("fail"), 9, False),
        (Fate("late", 5), 4, False),
        (Fate("late", 5), 5, True),
    ],
)
def test_a_pod_that_serves_is_ready_or_not(fate: Fate, age: float, ready: bool) -> None:
    status = step(pod("Always"), fate, age, 0, NOW).status

    assert status is not None
    assert status["phase"] == "Running"
    assert [c["status"] for c in status["conditions"] if c["type"] == "Ready"] == [str(ready)]
    assert {c["ready"] for c in status["containerStatuses"]} == {ready}


def test_a_ready_pod_is_not_written_again() -> None:
    status = step(pod("Always"), Fate("succeed"), 0, 0, NOW).status
    assert status is not None

    assert step(pod("Always", **status), Fate("succeed"), 60, 0, "2030-01-01T00:01:00Z").status is None


@pytest.mark.parametrize(
    ("pattern", "kind", "name", "concerned"),
    [
        ("migrate*", "Job", "migrate-1", True),
        ("*", "", "pod-made-by-hand", True),
        ("*", "ReplicaSet", "web-6d4cf56db6", False),
        ("Deployment/web", "ReplicaSet", "web-6d4cf56db6", True),
        ("Deployment/web", "ReplicaSet", "web-admin-6d4cf56db6", False),
        ("StatefulSet/db", "StatefulSet", "db", True),
        ("StatefulSet/db", "Job", "db", False),
    ],
)
def test_patterns_are_about_jobs_unless_they_name_a_kind(
    pattern: str, kind: str, name: str, concerned: bool
) -> None:
    fate = choose(kind, name, {JOBS: f"{pattern} hang"})
    assert fate == ("hang" if concerned else "succeed")


def test_a_pod_needs_what_it_refers_to_unless_that_is_optional() -> None:
    container = {
        "env": [{"valueFrom": {"secretKeyRef": {"name": "password", "key": "p"}}}],
        "envFrom": [
            {"configMapRef": {"name": "settings"}},
            {"secretRef": {"name": "extra", "optional": True}},
        ],
    }
    volumes = [
        {"persistentVolumeClaim": {"claimName": "data"}},
        {"projected": {"sources": [{"configMap": {"name": "ca"}}]}},
        {"emptyDir": {}},
    ]
    assert needs({"spec": {"containers": [container], "volumes": volumes}}) == [
        ("secrets", "password"),
        ("configmaps", "settings"),
        ("persistentvolumeclaims", "data"),
        ("configmaps", "ca"),
    ]
