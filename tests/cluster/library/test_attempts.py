"""Attempts that do not end by themselves."""

import json

import pytest

from tests.support.membership import HOOKS, PATIENCE, Release

pytestmark = pytest.mark.cluster


def test_a_migration_that_hangs_ends_at_its_deadline_and_its_logs_stay(release: Release) -> None:
    hangs = {"command": ["sh", "-c", "echo began; exec sleep 600"], "attemptSeconds": 12}
    brief = {"backoffLimit": 0, "terminationGracePeriodSeconds": 1}
    hanging = release.like(**HOOKS, config={"migration": {**hangs, **brief}})

    assert hanging.install(1, check=False).returncode != 0

    job = hanging.ended("acme-membership-migrate", "Failed")
    [pod] = hanging.pods(job)
    assert (pod["status"]["phase"], pod["status"]["reason"]) == ("Failed", "DeadlineExceeded")
    assert hanging.said(job) == "began\n"


def test_a_migration_whose_node_is_drained_is_no_failed_one(release: Release) -> None:
    """It is tried again, though it may not fail once."""
    strict = release.like(
        **HOOKS, config={"migration": {"backoffLimit": 0, "terminationGracePeriodSeconds": 1}}
    )
    with strict.database.locked():
        helm = strict.begin("install", 1)
        strict.database.wait_for_the_waiting()
        [pod] = strict.pods(strict.the_run())
        evict(strict, pod["metadata"]["name"])
    said, _ = helm.communicate(timeout=PATIENCE)

    assert helm.returncode == 0, said
    assert [other["metadata"]["name"] for other in strict.pods(strict.the_run())] != [pod["metadata"]["name"]]
    assert strict.database.history() == ["1"]


def evict(release: Release, pod: str) -> None:
    """What draining a node does to each pod on it."""
    place = f"/api/v1/namespaces/{release.namespace.name}/pods/{pod}/eviction"
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    release.namespace.kubectl("create", "--raw", place, "--filename=-", stdin=json.dumps(eviction))
