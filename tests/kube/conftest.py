"""A server with TLS and the authority that signs for it and its clients."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kube.certificates import Authority
from tests.kube.servers import FakeServer, namespace_object, serving


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="session")
def running(authority: Authority) -> Iterator[FakeServer]:
    certificate = authority.server("server", "IP:127.0.0.1", "DNS:inside.example")
    with serving(certificate, authority.certificate) as server:
        yield server


@pytest.fixture
def server(running: FakeServer) -> FakeServer:
    """As if it had just been started."""
    running.seen.clear()
    running.answer = namespace_object
    return running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder
