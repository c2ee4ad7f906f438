"""The API server's own code, one process for all tests of this folder."""

from collections.abc import Iterator

import pytest

from dev.oracle import Oracle


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle() as oracle:
        yield oracle


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever asks the oracle has it compiled first, together with the cluster: `make test-cluster` runs them."""
    for item in items:
        if "oracle" in getattr(item, "fixturenames", ()):
            item.add_marker("oracle")
