"""Releases on real pods: each test with both generations of Helm, in a namespace that admits restricted pods only."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dev.cluster.client import Cluster, Namespace
from tests.support import membership
from tests.support.membership import HOOKS, PASSWORD, PLAIN, RESTRICTED, Database, Form, Release, Values


@pytest.fixture(params=["4.3.1", "3.19.0"])
def helm(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return membership.chart(tmp_path_factory.mktemp("chart"))


@pytest.fixture(scope="session")
def postgresql(
    node: Cluster, membership_images: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Namespace]:
    """A server that belongs to no release."""
    place = Namespace(node, f"test-{uuid.uuid4().hex[:12]}", tmp_path_factory.mktemp("helm"))
    node.kubectl("create", "namespace", place.name)
    try:
        node.kubectl("label", "namespace", place.name, RESTRICTED)
        place.apply(*membership.server(f"{membership_images}:1"))
        place.kubectl("wait", "pod/postgresql", "--for=condition=Ready", "--timeout=120s")
        yield place
    finally:
        node.kubectl("delete", "namespace", place.name, "--wait=false")


@pytest.fixture
def guarded(namespace: Namespace) -> Namespace:
    namespace.cluster.kubectl("label", "namespace", namespace.name, RESTRICTED)
    return namespace


@pytest.fixture
def release(guarded: Namespace, helm: str, chart: Path, postgresql: Namespace) -> Release:
    """With a database of its own on a server that belongs to no release; the flag is off."""
    return external(guarded, helm, chart, postgresql, "acme")


@pytest.fixture
def neighbour(release: Release, postgresql: Namespace) -> Release:
    """Another one in the same namespace."""
    return external(release.namespace, release.helm, release.chart, postgresql, "other")


@pytest.fixture
def bundled(guarded: Namespace, helm: str, chart: Path, membership_images: str) -> Release:
    """With a database that is part of the release; the flag is on."""
    return with_database(guarded, helm, chart, membership_images, "acme")


@pytest.fixture
def fleet(
    guarded: Namespace, helm: str, chart: Path, postgresql: Namespace, membership_images: str
) -> Callable[[str, Form], Release]:
    """As many as are asked for, by name and form."""

    def build(name: str, form: Form) -> Release:
        if form == "bundled":
            return with_database(guarded, helm, chart, membership_images, name)
        return external(guarded, helm, chart, postgresql, name).like(**(HOOKS if form == "hook" else PLAIN))

    return build


def with_database(place: Namespace, helm: str, chart: Path, images: str, name: str) -> Release:
    database = {"bundled": True, "image": f"{images}:1", "storage": {"size": ""}}
    access = {"auth": {"password": PASSWORD}}
    values = merged_with_usual({**HOOKS, "database": database, "config": {"postgresql": access}})
    return Release(place, helm, chart, values, Database(place, f"{name}-membership-database-0"), name)


def new_database(postgresql: Namespace) -> Database:
    """An empty one on the server that belongs to no release."""
    database = Database(postgresql, "postgresql", f"db_{uuid.uuid4().hex[:12]}")
    database.query(f"create database {database.name}", database="membership")
    return database


def external(place: Namespace, helm: str, chart: Path, postgresql: Namespace, name: str) -> Release:
    database = new_database(postgresql)
    access = {
        "host": f"postgresql.{postgresql.name}",
        "database": database.name,
        "auth": {"password": PASSWORD},
    }
    values = merged_with_usual({"config": {"postgresql": access}})
    return Release(place, helm, chart, values, database, name)


def merged_with_usual(values: Values) -> Values:
    # The wizard takes as long as the migration: few tests need it.
    usual = {"image": {"pullPolicy": "Never"}, "config": {"wizard": {"enabled": False}}}
    return membership.merged(usual, values)
