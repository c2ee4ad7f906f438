"""A user's home, git and helm of a test's own; packages over HTTP from this machine."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dev import binaries
from tests.support.trees import IDENTITY
from watchbill.checking.inputs.workspace import Workspace


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory, which is the current one."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for name, value in {
        **IDENTITY,
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
    }.items():
        monkeypatch.setenv(name, value)
    return folder


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with Workspace() as workspace:
        yield workspace


@pytest.fixture(scope="session")
def helms() -> dict[str, str]:
    """Found while the cache is still the one of whoever runs the tests."""
    return {version: str(binaries.helm(version)) for version in ("4.3.1", "3.19.0")}


@pytest.fixture
def helm(helms: dict[str, str], here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The user's: $HELM, with settings and caches of its own."""
    assert here
    monkeypatch.setenv("HELM", helms["4.3.1"])
    monkeypatch.setenv("KUBECONFIG", "/dev/null")
    for name in ("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return helms["4.3.1"]


class Served:
    """A directory over HTTP, and what was asked of it."""

    def __init__(self, folder: Path, url: str, requests: list[str]) -> None:
        self.folder = folder
        self.url = url
        self.requests = requests


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    folder = tmp_path / "served"
    folder.mkdir()
    requests: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Not on stderr."""
            requests.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Served(folder, f"http://127.0.0.1:{server.server_port}", requests)
        server.shutdown()
        thread.join()
