"""The API server's own code, one process for all tests of this folder."""

from collections.abc import Iterator

import pytest

from dev.oracle import Oracle


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle() as oracle:
        yield oracle
