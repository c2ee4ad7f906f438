"""A database that is part of the release: it comes with the first install and is there at upgrades."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.cluster.client import Object
from dev.cluster.layout import NODE_NAME, Layout
from tests.support.membership import Release, is_hook, until

pytestmark = [pytest.mark.cluster, pytest.mark.long]

WAYS = {"as-it-is": (), "atomic": ("--atomic",)}
CLAIM = "data-acme-membership-database-0"


@pytest.mark.parametrize("way", WAYS)
def test_a_first_install_migrates_beside_its_database(bundled: Release, way: str) -> None:
    bundled.install(1, *(word if not bundled.helm_4 else "--rollback-on-failure" for word in WAYS[way]))

    assert not is_hook(bundled.completed())
    bundled.wait_for_application(1)
    assert bundled.database.history() == ["1"]


def test_a_first_install_waits_and_an_upgrade_migrates_before_the_new_application(bundled: Release) -> None:
    """So the gate of the new pods has nothing to wait for."""
    bundled.install(1, "--wait")
    assert not is_hook(bundled.the_run())
    assert bundled.ask("healthz") == {"version": 1}

    bundled.upgrade(2, "--wait")

    assert is_hook(bundled.the_run()), "the plain one is no part of the release any more"
    assert bundled.said(bundled.the_run()) == "version 2 found the schema at 1\napplied 2-email.sql\n"
    assert bundled.database.history() == ["1", "2"]
    [pod] = [pod for pod in pods_of_the_application(bundled) if pod_version(pod) == 2]
    gate = bundled.namespace.kubectl("logs", pod["metadata"]["name"], "--container=gate").stdout
    assert gate == "the schema is at 2, and version 2 needs 2\n"


def test_an_upgrade_goes_through_while_the_database_is_not_ready(bundled: Release) -> None:
    """A hook would wait for it in vain, and the upgrade that may repair it would wait for the hook."""
    bundled.install(1, "--wait")
    scale_database(bundled, 0)
    assert until(lambda: not ready_replicas(bundled))

    bundled.upgrade(2)

    assert not is_hook(bundled.the_run())
    scale_database(bundled, 1)
    bundled.completed()
    bundled.wait_for_application(2)
    assert bundled.database.history() == ["1", "2"], "its data was in the pod: this is a new database"


def test_a_first_install_that_failed_is_repaired_by_the_next_upgrade(bundled: Release) -> None:
    failing = bundled.like(config={"migration": {"backoffLimit": 0}})
    assert failing.install(3, "--wait", "--timeout=15s", check=False).returncode != 0
    assert failing.history() == ["failed"]

    bundled.upgrade(4, "--install")

    bundled.completed()
    bundled.wait_for_application(4)
    assert bundled.database.history() == ["1", "2", "3", "4"]


@pytest.fixture
def volume(bundled: Release, node_volumes: Path) -> Iterator[str]:
    """A volume on the node, for the claim of the database: the cluster makes none by itself."""
    name = bundled.namespace.name
    folder = node_volumes / name
    folder.mkdir(parents=True)
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain",
            "claimRef": {"namespace": name, "name": CLAIM},
            "local": {"path": str(folder)},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [THE_NODE]}]}},
        },
    }
    bundled.namespace.apply(volume)
    try:
        yield name
    finally:
        bundled.namespace.cluster.kubectl("delete", "persistentvolume", name, "--wait=false")


THE_NODE = {"key": "kubernetes.io/hostname", "operator": "In", "values": [NODE_NAME]}


@pytest.fixture
def node_volumes(ours: Layout) -> Path:
    return ours.data / "volumes"


@pytest.mark.usefixtures("volume")
def test_data_outlives_an_uninstall_unless_the_values_say_otherwise(bundled: Release) -> None:
    kept = bundled.like(database={"storage": {"size": "1Gi"}}, config={"wizard": {"enabled": True}})
    kept.install(1, "--wait", "--wait-for-jobs")
    kept.uninstall("--wait")
    assert kept.namespace.find("persistentvolumeclaim", CLAIM) is not None

    fleeting = kept.like(database={"storage": {"whenDeleted": "Delete"}})
    fleeting.install(2, "--wait", "--wait-for-jobs")

    assert fleeting.database.history() == ["1", "2"]
    assert fleeting.ask("members") == [{"id": 1, "name": "Ada", "email": "ada@example.org"}]
    fleeting.uninstall("--wait")
    assert until(lambda: fleeting.namespace.find("persistentvolumeclaim", CLAIM) is None)


def pods_of_the_application(release: Release) -> list[Object]:
    return release.namespace.list("pods", "app.kubernetes.io/name=membership")


def pod_version(pod: Object) -> int:
    return int(pod["spec"]["containers"][0]["image"].split(":")[1])


def scale_database(release: Release, replicas: int) -> None:
    release.namespace.kubectl("scale", "statefulset/acme-membership-database", f"--replicas={replicas}")


def ready_replicas(release: Release) -> int:
    database = release.namespace.find("statefulset", "acme-membership-database")
    assert database is not None
    return int(database["status"].get("readyReplicas", 0))
