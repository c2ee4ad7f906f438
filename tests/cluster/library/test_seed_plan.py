"""The seed's test plan, in its order.

(1) What is generated is current, lints and renders: tests/charts_lib has that without a cluster.
"""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from dev import binaries
from dev.cluster.client import Object
from tests.support.membership import HOOKS, PATIENCE, PLAIN, Release, Values, is_hook, left_in, uid, until

pytestmark = pytest.mark.cluster

MISTAKE = 'failed: 3-joined.sql: column "join_date" does not exist\n'


def test_with_the_flag_on_the_job_is_a_hook_on_install_and_upgrade_and_uninstall_leaves_nothing(
    release: Release,
) -> None:
    """(2), (6): only the time to live removes it. Long enough for a slow machine to read the logs first."""
    live = timedelta(seconds=15)
    hooked = release.like(**HOOKS, config={"migration": {"ttlSecondsAfterFinished": live.seconds}})

    hooked.install(1)
    first = hooked.the_run()
    assert is_hook(first)
    assert hooked.said(first) == "version 1 found the schema at 0\napplied 1-members.sql\n"

    hooked.upgrade(2)
    second = hooked.the_run()
    assert is_hook(second)
    assert hooked.said(second) == "version 2 found the schema at 1\napplied 2-email.sql\n"
    assert second["metadata"]["name"] == first["metadata"]["name"]
    assert uid(second) != uid(first)
    hooked.wait_for_application(2)

    hooked.uninstall("--wait")
    assert until(lambda: not left_in(hooked.namespace)), left_in(hooked.namespace)
    finished = datetime.fromisoformat(second["status"]["completionTime"])
    assert datetime.now(UTC) >= finished + live, "it was gone before its time"
    assert hooked.database.history() == ["1", "2"]


def test_with_the_flag_off_an_image_bump_is_a_new_job_and_an_unchanged_upgrade_runs_nothing(
    release: Release,
) -> None:
    """(3)"""
    release.install(1)
    first = release.completed()
    assert not is_hook(first)

    release.upgrade(1)
    assert uid(release.the_run()) == uid(first)
    assert len(release.pods(first)) == 1

    release.upgrade(2)
    second = release.completed()
    assert not is_hook(second)
    assert release.said(second) == "version 2 found the schema at 1\napplied 2-email.sql\n"
    assert uid(release.the_run()) == uid(second) != uid(first), "the first is no part of the release any more"
    release.wait_for_application(2)
    assert release.database.history() == ["1", "2"]

    release.uninstall("--wait")
    assert until(lambda: not left_in(release.namespace)), left_in(release.namespace)


@pytest.mark.parametrize(
    ("bundled", "flag", "hook"), [(False, True, True), (True, True, False), (False, False, False)]
)
def test_argo_cd_gets_hooks_that_it_translates_but_none_before_a_bundled_database(
    helm: str, chart: Path, bundled: bool, flag: bool, hook: bool
) -> None:
    """(4): it renders with `helm template`, where `lookup` finds nothing."""
    values = {
        "feature": {"migrationHooks": flag},
        "database": {"bundled": bundled},
        "config": {"postgresql": {"auth": {"password": "x"}}},
    }
    given = [f"--set-json={key}={json.dumps(value)}" for key, value in values.items()]
    command = [str(binaries.helm(helm)), "template", "acme", str(chart), *given]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    objects: list[Object] = [found for found in yaml.safe_load_all(text) if found]

    of_the_jobs = [found for found in objects if "watchbill.dev/job" in found["metadata"].get("labels", {})]
    when = "pre-install,pre-upgrade" if hook else None
    # The owner belongs to the release in both forms: an uninstall deletes it, and with it what hooks left.
    expected = {"Job": when, "ServiceAccount": when, "Secret": when, "ConfigMap": None, "Pod": "test"}
    assert {(found["kind"], events(found)) for found in of_the_jobs} == set(expected.items())
    assert "argocd.argoproj.io" not in text


def events(found: Object) -> Any:
    return found["metadata"].get("annotations", {}).get("helm.sh/hook")


@pytest.mark.parametrize("form", [HOOKS, PLAIN], ids=["hook", "plain"])
def test_a_failed_migration_keeps_its_pod_and_logs_until_one_succeeds(release: Release, form: Values) -> None:
    """(5), and the application that was there goes on answering."""
    settled = release.like(**form, config={"migration": {"backoffLimit": 0}})
    settled.install(2)
    settled.wait_for_application(2)

    upgraded = settled.upgrade(3, check=False)

    assert (upgraded.returncode != 0) == (form is HOOKS)
    failed = settled.runs()[-1]
    settled.ended(failed["metadata"]["name"], "Failed")
    [pod] = settled.pods(failed)
    assert pod["status"]["phase"] == "Failed"
    assert MISTAKE in settled.said(failed)
    assert settled.database.history() == ["1", "2"]
    assert settled.ask("healthz") == {"version": 2}

    settled.upgrade(4)
    settled.completed()
    settled.wait_for_application(4)
    assert settled.database.history() == ["1", "2", "3", "4"]
    assert len(settled.runs()) == 1


def test_the_service_account_is_there_before_the_pod_and_gone_after_it(release: Release) -> None:
    """(7): without one, Kubernetes refuses the pod and an event says so."""
    cloud = {"example.org/identity": "migrate@acme"}
    hooked = release.like(**HOOKS, config={"migration": {"serviceAccount": {"annotations": cloud}}})
    with hooked.database.locked():
        helm = hooked.begin("install", 1)
        hooked.database.wait_for_the_waiting()
        account = hooked.namespace.find("serviceaccount", "acme-membership-migrate")
        [pod] = hooked.pods(hooked.the_run())
        refusals = [event for event in hooked.namespace.list("events") if event["reason"] == "FailedCreate"]
    said, _ = helm.communicate(timeout=PATIENCE)

    assert helm.returncode == 0, said
    assert account is not None
    assert account["metadata"]["annotations"].items() >= cloud.items()
    assert pod["spec"]["serviceAccountName"] == account["metadata"]["name"]
    assert refusals == []
    assert hooked.namespace.find("serviceaccount", "acme-membership-migrate") is None
