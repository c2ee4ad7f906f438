"""What the end of a container means for its job. What runs in a cluster is in tests/cluster/jobs."""

from typing import Any

import pytest

from watchbill.errors import UserError
from watchbill.jobs import Abort, Manual, Pre, Skip, container_job
from watchbill.jobs.container_run import DIGEST, _wanted, judge
from watchbill.jobs.context import Context
from watchbill.jobs.declare import Collector, collecting
from watchbill.kube.pods import Attempt, Ending


def ended(code: int, message: str = "", spoken: str = "") -> None:
    attempt = Attempt(
        pod="p", succeeded=not code, exit_code=code, reason="Error" if code else "Completed", message=message
    )
    reason = "BackoffLimitExceeded" if code else "CompletionsReached"
    judge("shop-migrate", Ending(succeeded=not code, reason=reason, attempts=(attempt,)), spoken, "")


def test_exit_code_0_is_done() -> None:
    ended(0)
    ended(0, message="42 rows migrated")


@pytest.mark.parametrize("code", [0, 3])
def test_a_termination_message_says_what_an_exit_code_cannot(code: int) -> None:
    with pytest.raises(Abort) as abort:
        ended(code, "abort: wrong database\n")
    assert abort.value.reason == "wrong database"
    with pytest.raises(Manual) as manual:
        ended(code, "Manual: no space left\n1. free some\n2. deploy again\n")
    assert (manual.value.reason, manual.value.guide) == ("no space left", "1. free some\n2. deploy again")


def test_to_skip_is_no_failure_and_a_failure_is_no_skip() -> None:
    with pytest.raises(Skip, match="schema is 14 already"):
        ended(0, "skip: schema is 14 already")
    with pytest.raises(UserError, match="Job shop-migrate failed: exit code 1: skip: schema is 14 already"):
        ended(1, "skip: schema is 14 already")


def test_a_failure_has_its_exit_code_and_its_message() -> None:
    with pytest.raises(UserError, match=r"^Job shop-migrate failed: exit code 7$"):
        ended(7)
    with pytest.raises(UserError, match=r"^Job shop-migrate failed: exit code 7: table users is locked$"):
        ended(7, "table users is locked")


def test_the_end_of_a_log_is_no_message() -> None:
    """A pod that fails without a message gets the end of its log for one: it may look like an answer, or hold a secret."""
    log = "connecting to postgres://app:hunter2@db\nabort: transaction rolled back"

    with pytest.raises(UserError, match=r"^Job shop-migrate failed: exit code 1$"):
        ended(1, message="abort: transaction rolled back", spoken=log)
    with pytest.raises(UserError, match=r"^Job shop-migrate failed: exit code 1$"):
        ended(1, message=log + "\n", spoken=log + "\n")


@pytest.mark.parametrize(
    ("ending", "obstacle", "reason"),
    [
        (
            Ending(
                succeeded=False,
                reason="DeadlineExceeded",
                message="Job was active longer than specified deadline",
            ),
            "pod p: cannot pull image app:2",
            "Job shop-migrate failed: DeadlineExceeded: pod p: cannot pull image app:2",
        ),
        (
            Ending(
                succeeded=False,
                reason="DeadlineExceeded",
                message="Job was active longer than specified deadline",
            ),
            "",
            "Job shop-migrate failed: DeadlineExceeded: Job was active longer than specified deadline",
        ),
        (
            Ending(succeeded=False, is_deleted=True),
            "",
            "somebody deleted Job shop-migrate before it had ended",
        ),
        (
            Ending(
                succeeded=False,
                attempts=(Attempt(pod="p", succeeded=False, exit_code=137, reason="OOMKilled"),),
            ),
            "",
            "Job shop-migrate failed: exit code 137, OOMKilled",
        ),
        (
            Ending(
                succeeded=False,
                attempts=(Attempt(pod="p", succeeded=False, reason="Evicted", message="low on memory"),),
            ),
            "",
            "Job shop-migrate failed: Evicted: low on memory",
        ),
    ],
)
def test_ends_that_are_not_its_own(ending: Ending, obstacle: str, reason: str) -> None:
    with pytest.raises(UserError) as failed:
        judge("shop-migrate", ending, "", obstacle)

    assert failed.value.what == reason


def test_it_needs_the_rights_to_run_in_a_cluster() -> None:
    collector = Collector()
    token = collecting.set(collector)
    try:
        container_job(
            "logging", Pre, name="migrate", image="app:{target}", until="2.6.0", requires=["get secrets"]
        )
    finally:
        collecting.reset(token)

    [job] = collector.jobs
    assert (job.identity, job.timeout, job.summary) == ("logging/migrate", 3600, "runs app:{target}")
    rights = [str(right) for right in job.requires]
    assert rights[0] == "get secrets"
    assert {"create jobs", "delete jobs", "watch pods", "get pods/log"} <= set(rights)
    assert job.place.file == __file__


def test_what_a_deploy_finds_in_the_cluster_does_not_make_another_job_of_it() -> None:
    """After a kill, the next deploy finds more there; the Job that runs is still the one that is wanted."""
    collector = Collector()
    token = collecting.set(collector)
    try:
        container_job("web", Pre, name="migrate", image="example.org/migrate:{target}", until="2.0.0")
    finally:
        collecting.reset(token)
    [job] = collector.jobs

    def digest(**facts: Any) -> str:
        metadata = _wanted(Context(component="web", **facts), job).metadata
        assert metadata
        assert metadata.annotations
        return str(metadata.annotations[DIGEST])

    assert digest(is_new=True) == digest(is_new=False) == digest(is_new=False, installed="0.9.0")
    assert digest(target="1.0.0") != digest(target="1.1.0")
