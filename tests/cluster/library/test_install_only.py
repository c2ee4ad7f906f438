"""A Job of installs only: it is not lost when the install fails before it, and does not run again once it was there."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.membership import HOOKS, PLAIN, Release, Values, uid

pytestmark = [pytest.mark.cluster, pytest.mark.long]
WIZARD: Values = {"config": {"wizard": {"enabled": True}, "migration": {"backoffLimit": 0}}}


@pytest.fixture
def once(release: Release, tmp_path: Path) -> Release:
    """The example with a wizard of installs only."""
    chart = shutil.copytree(release.chart, tmp_path / "membership")
    jobs = chart / "templates/_jobs.tpl"
    text = jobs.read_text()
    assert text.count("order: 1\n") == 1
    jobs.write_text(text.replace("order: 1\n", "order: 1\nwhen: install\n"))
    return replace(release, chart=chart).like(**WIZARD)


def test_what_a_failed_install_did_not_come_to_is_done_by_the_next_upgrade(once: Release) -> None:
    hooked = once.like(**HOOKS)
    assert hooked.install(3, check=False).returncode != 0
    assert hooked.jobs("wizard") == [], "the migration comes before it"

    hooked.upgrade(4, "--install")

    [wizard] = hooked.jobs("wizard")
    assert hooked.said(wizard) == "welcomed Ada\n"
    hooked.upgrade(4)
    assert [uid(job) for job in hooked.jobs("wizard")] == [uid(wizard)], "deployed once is installed"
    assert hooked.strays() == {"job.batch/acme-membership-migrate", "job.batch/acme-membership-wizard"}


def test_a_plain_one_is_left_alone_until_it_has_succeeded(once: Release) -> None:
    plain = once.like(**PLAIN)
    with plain.database.locked():
        plain.install(1)
        [waiting] = plain.jobs("wizard")
        plain.upgrade(1)
        assert [uid(job) for job in plain.jobs("wizard")] == [uid(waiting)]
    done = plain.ended(waiting["metadata"]["name"], "Complete")
    assert plain.said(done) == "welcomed Ada\n"

    plain.upgrade(2)

    assert plain.jobs("wizard") == []
    plain.wait_for_application(2)
    assert plain.database.history() == ["1", "2"]
