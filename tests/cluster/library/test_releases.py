"""What becomes of Jobs when a release is flipped, repaired, rolled back, forced, or has a neighbour."""

import pytest

from tests.support.membership import HOOKS, PLAIN, TIMEOUT, Release, Values, is_hook, uid

pytestmark = pytest.mark.cluster
in_both_forms = pytest.mark.parametrize("form", [HOOKS, PLAIN], ids=["hook", "plain"])


def test_the_flag_is_flipped_both_ways_and_the_newest_logs_stay(release: Release) -> None:
    plain, hooked = release.like(**PLAIN), release.like(**HOOKS)
    plain.install(1)
    plain.completed()

    hooked.upgrade(2)
    [on] = hooked.runs()
    assert is_hook(on)
    assert hooked.said(on) == "version 2 found the schema at 1\napplied 2-email.sql\n"
    assert hooked.strays() == {"job.batch/acme-membership-migrate"}

    plain.upgrade(2)
    off = plain.completed()
    assert not is_hook(off)
    assert plain.said(off) == "version 2 found the schema at 2\n"
    assert plain.strays() == {"job.batch/acme-membership-migrate"}, "until its time to live is over"

    hooked.upgrade(4)
    [again] = hooked.runs()
    assert is_hook(again)
    assert hooked.said(again).startswith("version 4 found the schema at 2\n")
    hooked.wait_for_application(4)
    assert hooked.database.history() == ["1", "2", "3", "4"]


@pytest.mark.parametrize("way", ["upgrade --install", "uninstall and install"])
def test_a_first_install_that_failed_is_tried_again(release: Release, way: str) -> None:
    hooked = release.like(**HOOKS, config={"migration": {"backoffLimit": 0}})
    assert hooked.install(3, check=False).returncode != 0

    if way == "upgrade --install":
        hooked.upgrade(4, "--install")
    else:
        hooked.uninstall("--wait")
        hooked.install(4)

    hooked.wait_for_application(4)
    assert hooked.history()[-1] == "deployed"
    assert hooked.database.history() == ["1", "2", "3", "4"]
    assert hooked.strays() == {"job.batch/acme-membership-migrate"}


def test_two_releases_live_side_by_side(release: Release, neighbour: Release) -> None:
    mine, theirs = release.like(**HOOKS), neighbour.like(**HOOKS)
    mine.install(1)
    theirs.install(1)
    before = theirs.the_run()

    mine.upgrade(2)
    mine.wait_for_application(2)
    mine.uninstall("--wait")

    theirs.wait_for_application(1)
    assert uid(theirs.the_run()) == uid(before)
    assert theirs.database.history() == ["1"]
    assert mine.database.history() == ["1", "2"]


@in_both_forms
def test_a_rollback_brings_back_the_application_and_leaves_the_schema(release: Release, form: Values) -> None:
    """A hook does not run for it; a plain Job is made again and finds nothing to do."""
    settled = release.like(**form)
    settled.install(1)
    settled.completed()
    settled.upgrade(2)
    newest = settled.completed()

    settled.rollback(1)

    if form is HOOKS:
        assert uid(settled.the_run()) == uid(newest)
    else:
        assert settled.said(settled.completed()) == "version 1 found the schema at 2\n"
    settled.wait_for_application(1)
    assert settled.ask("members") == []
    assert settled.database.history() == ["1", "2"]


@in_both_forms
def test_an_upgrade_that_changes_nothing_can_be_forced(release: Release, form: Values) -> None:
    settled = release.like(**form)
    settled.install(1)
    before = settled.completed()

    settled.upgrade(1, *(["--force-replace", "--server-side=false"] if settled.helm_4 else ["--force"]))

    assert (uid(settled.the_run()) == uid(before)) == (form is PLAIN), "hooks run each time"
    settled.wait_for_application(1)
    assert settled.database.history() == ["1"]


@in_both_forms
def test_a_second_job_runs_after_the_first_and_its_twin_on_a_schedule(release: Release, form: Values) -> None:
    whole = release.like(**form, wizardSchedule="0 3 * * *", config={"wizard": {"enabled": True}})

    whole.install(1, "--wait", "--wait-for-jobs")

    [wizard] = whole.jobs("wizard")
    assert whole.said(wizard) == "welcomed Ada\n"
    assert whole.ask("members") == [{"id": 1, "name": "Ada"}]
    whole.run("test", whole.name, TIMEOUT)
    whole.namespace.kubectl("create", "job", "tonight", "--from=cronjob/acme-membership-wizard-cron")
    tonight = whole.ended("tonight", "Complete")
    assert whole.said(tonight) == "there are members already\n"


def test_the_migration_has_a_database_user_of_its_own(release: Release) -> None:
    """And the application one with fewer rights."""
    reader = f"{release.database.name}_reader"
    release.database.query(f"create role {reader} login password 'reads'")
    owner = release.values["config"]["postgresql"]["auth"]
    separate = release.like(
        **HOOKS,
        config={
            "postgresql": {"auth": {"username": reader, "password": "reads"}},
            "migration": {"postgresql": {"auth": {"username": "membership", **owner}}},
        },
    )

    separate.install(1)

    separate.wait_for_application(1)
    assert separate.ask("members") == []
    assert separate.database.query("select tableowner from pg_tables where tablename = 'members'") == [
        "membership"
    ]
