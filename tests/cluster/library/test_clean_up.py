"""The commands of the library README's "Clean up" delete what Helm forgot, and nothing that is live."""

import re

import pytest

from dev.cluster.client import Object
from tests.support.membership import HOOKS, LIBRARY, MADE, PLAIN, Release, left_in, until

pytestmark = pytest.mark.cluster

BREAKS = {"command": ["sh", "-c", "exit 1"], "backoffLimit": 0}


def commands() -> tuple[str, str]:
    """Return the commands that delete: those of one run, and those of a release that is gone."""
    text = (LIBRARY / "README.md").read_text()
    section = text.split("## Clean up\n")[1].split("\n## ")[0]
    one_run, gone = re.findall(r"^kubectl (delete .*)$", section, re.MULTILINE)
    return one_run, gone


def run_labels(release: Release) -> tuple[set[str], set[str]]:
    """Return the runs of the release's manifest and those in the cluster, as the README lists them."""
    manifest = release.run("get", "manifest", release.name).stdout
    live = {name.strip('"') for name in re.findall(r"watchbill.dev/run: (.*)", manifest)}
    return live, {job["metadata"]["labels"]["watchbill.dev/run"] for job in release.runs()}


def made(release: Release) -> dict[str, str]:
    """Return what is in the namespace with its uids."""
    found: list[Object] = release.namespace.list(MADE, "")
    return {f"{one['kind']}/{one['metadata']['name']}": one["metadata"]["uid"] for one in found}


def test_a_forgotten_run_is_deleted_and_nothing_that_is_live(release: Release) -> None:
    plain = release.like(**PLAIN)
    plain.install(1, "--wait", "--wait-for-jobs")
    broken = plain.like(config={"migration": BREAKS})
    assert broken.upgrade(2, "--wait", "--timeout=10s", check=False).returncode != 0
    plain.upgrade(1, "--wait")
    live, there = run_labels(plain)
    [forgotten] = there - live
    before = made(plain)

    delete, _ = commands()
    plain.namespace.kubectl(*delete.replace("RUN", forgotten).split())

    assert made(plain) == {name: uid for name, uid in before.items() if name != f"Job/{forgotten}"}
    plain.upgrade(1, "--wait")
    assert run_labels(plain) == (live, live)
    assert plain.database.history() == ["1"]


def test_nothing_of_an_uninstalled_release_is_left(release: Release) -> None:
    hooked = release.like(**HOOKS)
    hooked.install(1, "--wait")
    hooked.uninstall("--wait")

    _, delete = commands()
    hooked.namespace.kubectl(*delete.replace("RELEASE", hooked.name).split())

    assert until(lambda: not left_in(hooked.namespace)), left_in(hooked.namespace)
