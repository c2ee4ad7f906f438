"""A server that goes away for a moment, or asks for patience: what is sent again, and what is not."""

import asyncio
import socket
import threading
import time
from pathlib import Path

import pytest
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap, Namespace

from tests.kube.connecting import Ask, both_clients, reach
from tests.kube.servers import Answer, FakeServer, Seen, namespace_object, serving, status
from watchbill.kube.access import Access
from watchbill.kube.client import connect, connect_sync
from watchbill.kube.errors import KubeError

NOTE = ConfigMap(metadata=ObjectMeta(name="a", namespace="x"))


class Restarting:
    """Answers the first request, is away, and then answers again at the same port.

    It is away for so many seconds, or until `may_return` is set."""

    def __init__(self, away: float | None = 1) -> None:
        self._away = away
        self.may_return = threading.Event()
        self.is_back = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.requests = 0
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        self._answer_one()
        self.may_return.wait(self._away)
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.is_back.set()
        self._answer_one()

    def _answer_one(self) -> None:
        connection, _ = self._listener.accept()
        self._listener.close()  # before the answer, or the next connection might still be taken, and then reset
        with connection:
            connection.recv(65536)
            self.requests += 1
            body = b'{"kind": "Namespace", "metadata": {"name": "there"}}'
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
            connection.sendall(head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    def wait(self) -> None:
        self._thread.join(timeout=120)


@pytest.mark.parametrize("client", ["async", "sync"])
def test_a_server_that_is_restarted_is_waited_for(client: str, tmp_path: Path) -> None:
    server = Restarting()
    found = reach(tmp_path, {"server": f"http://127.0.0.1:{server.port}"})
    if client == "sync":
        with connect_sync(found, patience=120) as kube:
            kube.get(Namespace, "there")
            kube.patch(Namespace, "there", {})
    else:
        asyncio.run(_twice(found))
    server.wait()
    assert server.requests == 2


async def _twice(found: Access) -> None:
    async with connect(found, patience=120) as kube:
        await kube.get(Namespace, "there")
        await kube.patch(Namespace, "there", {})


def test_without_patience_it_is_told_at_once(tmp_path: Path) -> None:
    server = Restarting(away=None)
    found = reach(tmp_path, {"server": f"http://127.0.0.1:{server.port}"})
    with connect_sync(found) as kube:
        kube.get(Namespace, "there")
        with pytest.raises(KubeError, match="refused"):
            kube.get(Namespace, "there")
        server.may_return.set()
        assert server.is_back.wait(300)
        kube.get(Namespace, "there")
    server.wait()


def test_one_that_was_never_there_is_not_waited_for(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    begun = time.monotonic()
    found = reach(tmp_path, {"server": f"http://127.0.0.1:{port}"})
    with connect_sync(found, patience=120) as kube, pytest.raises(KubeError, match="cannot reach"):
        kube.get(Namespace, "there")
    assert time.monotonic() - begun < 120


def test_what_may_have_been_done_is_not_done_twice(tmp_path: Path) -> None:
    """The connection breaks after the request was sent: a read is sent again, a write is not."""
    arrived: list[bytes] = []
    stop = threading.Event()

    def serve() -> None:
        while not stop.is_set():
            connection, _ = listener.accept()
            with connection:
                request = connection.recv(65536)
                arrived.append(request.split(b" ")[0])
                if len(arrived) in (1, 4):
                    body = b'{"kind": "Namespace", "metadata": {"name": "there"}}'
                    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
                    connection.sendall(head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        found = reach(tmp_path, {"server": f"http://127.0.0.1:{listener.getsockname()[1]}"})
        with connect_sync(found, patience=120) as kube:
            kube.get(Namespace, "there")
            with pytest.raises(KubeError, match="broke") as caught:
                kube.create(NOTE)
            assert caught.value.is_passing
            kube.get(Namespace, "there")
        stop.set()
    assert arrived == [b"GET", b"POST", b"GET", b"GET"]


def answers_later(server: FakeServer, times: int) -> None:
    def answer(seen: Seen) -> Answer:
        if len(server.seen) <= times:
            return status(429, "TooManyRequests", "later")
        return namespace_object(seen)

    server.answer = answer


@both_clients
def test_a_busy_server_says_when_to_come_back(ask: Ask, tmp_path: Path) -> None:
    with serving(None) as server:
        server.headers = {"Retry-After": "0"}
        answers_later(server, 2)
        ask(reach(tmp_path, {"server": server.url()}))
        assert len(server.seen) == 3


@both_clients
def test_a_busy_server_that_names_no_time_is_told(ask: Ask, tmp_path: Path) -> None:
    with serving(None) as server:
        answers_later(server, 1)
        with pytest.raises(KubeError, match="later") as caught:
            ask(reach(tmp_path, {"server": server.url()}))
        assert caught.value.is_passing
        assert len(server.seen) == 1
