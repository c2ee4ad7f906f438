"""Container jobs on real pods: their logs come while they run, their ends are what they say, and nothing is left behind
that runs."""

import time
from typing import Any

import pytest

from dev.cluster.client import Namespace
from tests.cluster.jobs.deploying import deploy, kill_a_deploy, shell
from tests.jobs.playing import Played
from watchbill.jobs.declare import Job
from watchbill.jobs.events import Ended

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("node", "ours")]


def played(namespace: Namespace, job: Job, **facts: Any) -> Played:
    return deploy(namespace, job, **facts).end()


def go(namespace: Namespace) -> None:
    """What a script waits for."""
    [pod] = namespace.list("pods")
    namespace.kubectl("exec", pod["metadata"]["name"], "--", "touch", "/tmp/go")


def nothing_runs(namespace: Namespace) -> bool:
    return not namespace.list("jobs") and not namespace.list("pods")


def test_its_log_is_told_while_it_runs_and_kept(namespace: Namespace) -> None:
    script = "echo first; until test -e /tmp/go; do sleep 0.1; done; echo last"
    running = deploy(namespace, shell(script))
    running.wait_for("first")
    assert not any(isinstance(event, Ended) for event in running.events)
    go(namespace)

    outcome = running.end().outcome

    assert (outcome.status, outcome.reason) == ("done", "")
    assert [line[9:] for line in outcome.log][-2:] == ["first", "last"]


def test_its_surroundings_are_those_of_a_function(namespace: Namespace) -> None:
    namespace.kubectl(
        "create", "secret", "generic", "database", "--from-literal=dsn=postgres://app:hunter2@db"
    )
    namespace.kubectl("create", "configmap", "sizes", "--from-literal=SIZE=30Gi")
    show = "import os; print(*sorted(f'{k}={v}' for k, v in os.environ.items() if k[:4] in ('WATC', 'SIZE', 'MODE')), sep=chr(10))"
    script = f'python3 -c "{show}"; test ${{#DSN}} = 25 && python3 -c "import os; print(os.getuid())"'
    job = shell(
        script, env={"MODE": "fast"}, env_from_secret={"DSN": "database/dsn"}, env_from=["configmap/sizes"]
    )

    outcome = played(namespace, job, installed="2.4.0", is_new=False).outcome

    assert outcome.status == "done"
    said = [line[9:] for line in outcome.log][1:]
    # A kubelet that is busy may be late to learn of the ConfigMap, which is told.
    *variables, user = [line for line in said if not line.startswith("WARNING job waits")]
    assert variables == [
        "MODE=fast",
        "SIZE=30Gi",
        "WATCHBILL_COMPONENT=logging",
        "WATCHBILL_INSTALLED=2.4.0",
        "WATCHBILL_IS_NEW=false",
        f"WATCHBILL_NAMESPACE={namespace.name}",
        "WATCHBILL_PRODUCT=shop",
        "WATCHBILL_TARGET=2.5.0",
    ]
    assert user != "0"
    [made] = namespace.list("jobs")
    assert "hunter2" not in str(made)


@pytest.mark.parametrize(
    ("script", "status", "reason", "guide"),
    [
        ("echo 'skip: schema is 14 already' > /dev/termination-log", "skipped", "schema is 14 already", ""),
        ("echo 'abort: wrong database' > /dev/termination-log; exit 1", "aborted", "wrong database", ""),
        (
            "printf 'manual: disk full\\n1. grow it\\n' > /dev/termination-log; exit 1",
            "manual",
            "disk full",
            "1. grow it",
        ),
        (
            "echo 'users is locked' > /dev/termination-log; exit 7",
            "failed",
            "exit code 7: users is locked",
            "",
        ),
        ("echo secret hunter2; exit 7", "failed", "exit code 7", ""),
    ],
    ids=["skip", "abort", "manual", "message", "log"],
)
def test_it_says_how_it_ended(
    namespace: Namespace, script: str, status: str, reason: str, guide: str
) -> None:
    outcome = played(namespace, shell(script)).outcome

    assert (outcome.status, outcome.guide) == (status, guide)
    told = outcome.reason.partition(" failed: ")[2] if status == "failed" else outcome.reason
    assert told == reason


def test_each_attempt_is_told(namespace: Namespace) -> None:
    outcome = played(namespace, shell("echo trying; exit 1", attempts=2)).outcome

    said = [line[9:] for line in outcome.log]
    assert said.count("trying") == 2
    assert any(line.startswith("attempt 2, in pod ") for line in said)
    assert outcome.status == "failed"


def test_a_cancelled_one_is_removed_with_its_pods_before_the_cancellation_goes_on(
    namespace: Namespace,
) -> None:
    running = deploy(
        namespace, shell("trap 'echo stopping; exit 0' TERM; echo up; while true; do sleep 0.1; done")
    )
    running.wait_for("up")

    running.cancel()
    outcome = running.end().outcome

    assert outcome.status == "cancelled"
    assert nothing_runs(namespace)


def test_one_that_does_not_listen_is_killed_within_the_grace(namespace: Namespace) -> None:
    running = deploy(namespace, shell("trap '' TERM; echo up; while true; do sleep 0.1; done"), grace=20)
    running.wait_for("up")
    began = time.monotonic()

    running.cancel()
    outcome = running.end().outcome

    assert outcome.status == "cancelled"
    assert time.monotonic() - began < 30
    assert nothing_runs(namespace)


def test_one_that_runs_out_of_time_is_removed(namespace: Namespace) -> None:
    outcome = played(namespace, shell("sleep 600", timeout="5s"), grace=20).outcome

    assert (outcome.status, outcome.reason) == ("timed-out", "it did not end within 5s")
    assert nothing_runs(namespace)


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ({"resources": {"requests": {"cpu": "4000"}}}, "Insufficient cpu"),
        ({"service_account": "nobody-made-it"}, 'serviceaccount "nobody-made-it" not found'),
        ({"image": "localhost/nobody-made-it:1"}, "localhost/nobody-made-it:1"),
        ({"env_from_secret": {"DSN": "nobody-made-it/dsn"}}, 'secret "nobody-made-it" not found'),
    ],
    ids=["no node", "no account", "no image", "no secret"],
)
def test_what_keeps_it_from_starting_is_told_and_is_the_reason_at_the_end(
    namespace: Namespace, trouble: dict[str, Any], told: str
) -> None:
    seen = played(namespace, shell("true", timeout="12s", **trouble))

    assert any(told in text for text, _ in seen.progress), seen.progress
    assert seen.outcome.status == "timed-out"
    assert seen.outcome.reason.startswith("it did not end within 12s: ")
    assert told in seen.outcome.reason
    assert nothing_runs(namespace)


def test_after_a_kill_the_same_one_is_followed_and_not_started_twice(namespace: Namespace) -> None:
    script = "echo up; until test -e /tmp/go; do sleep 0.1; done; echo last"
    kill_a_deploy(namespace, script, when_it_says="up")
    [left] = namespace.list("jobs")

    again = deploy(namespace, shell(script))
    again.wait_for("of an earlier deploy has not ended: it is followed")
    again.wait_for("up")
    go(namespace)
    outcome = again.end().outcome

    assert outcome.status == "done"
    assert [one["metadata"]["uid"] for one in namespace.list("jobs")] == [left["metadata"]["uid"]]


def test_after_a_kill_another_one_waits_for_the_end_of_what_runs(namespace: Namespace) -> None:
    script = "echo up; until test -e /tmp/go; do sleep 0.1; done; echo old is over"
    kill_a_deploy(namespace, script, when_it_says="up")

    again = deploy(namespace, shell("echo new"))
    again.wait_for("still runs: waiting for its end")
    go(namespace)
    seen = again.end()

    assert seen.outcome.status == "done"
    assert seen.said.index("old is over") < seen.said.index("new")


def test_after_a_kill_one_that_could_not_begin_makes_room(namespace: Namespace) -> None:
    image = "localhost/nobody-made-it:1"
    kill_a_deploy(namespace, "true", image=image, when_it_says=image)

    mended = deploy(namespace, shell("echo fine"))

    assert mended.end().outcome.status == "done"
    assert len(namespace.list("jobs")) == 1


def test_one_that_somebody_deletes_has_failed(namespace: Namespace) -> None:
    running = deploy(namespace, shell("echo up; sleep 600"))
    running.wait_for("up")
    namespace.kubectl("delete", "jobs", "--all", "--wait=false")

    outcome = running.end().outcome

    assert outcome.status == "failed"
    assert outcome.reason.startswith("somebody deleted Job shop-logging-migrate-")


def test_a_dry_run_asks_the_server_and_leaves_nothing(namespace: Namespace) -> None:
    assert played(namespace, shell("true"), dry_run=True).outcome.status == "done"
    refused = played(namespace, shell("true", resources={"limits": {"memory": "much"}}), dry_run=True).outcome

    assert refused.status == "failed"
    assert "quantities must match" in refused.reason
    assert namespace.list("jobs") == []


def test_long_names_are_told_apart(namespace: Namespace) -> None:
    name = "a-migration-with-a-name-that-is-much-longer-than-what-a-cluster-allows"
    for number in (1, 2):
        assert played(namespace, shell(f"echo {number}", name=f"{name}-{number}")).outcome.status == "done"

    labels = {one["metadata"]["labels"]["watchbill.dev/job"] for one in namespace.list("jobs")}
    assert len(labels) == 2


def test_a_namespace_that_is_not_there_yet_is_made(namespace: Namespace) -> None:
    """Before the chart of a new component, whose namespace helm would make."""
    other = f"{namespace.name}-new"
    elsewhere = Namespace(namespace.cluster, other, namespace.scratch)
    try:
        assert played(elsewhere, shell("true"), dry_run=True).outcome.status == "done"
        assert played(elsewhere, shell("echo made")).outcome.status == "done"
    finally:
        namespace.kubectl("delete", "namespace", other, "--wait=false", "--ignore-not-found")
