"""Stands between a tool and the API server: passes everything on, remembers what was written, and can
let the tool die at its N-th write."""

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from dev.tapes import protobuf

VERBS = {"POST": "create", "PUT": "replace", "PATCH": "patch", "DELETE": "delete"}
APPLY = "application/apply-patch"
# Questions that are asked with POST.
REVIEWS = ("authorization.k8s.io", "authentication.k8s.io")
# Headers that speak of one connection, not of the message.
_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "host", "te", "upgrade"}
# Writes that a tool makes side by side arrive within this time; they are then taken in their order by name.
GATHER = 0.15


@dataclass
class Write:
    """One request that changes something, and the server's answer."""

    verb: str
    group: str
    resource: str
    namespace: str
    name: str
    body: dict[str, Any]
    status: int = 0  # 0: not answered

    @property
    def refused(self) -> bool:
        return self.status >= 400

    @property
    def created(self) -> bool:
        return self.status == 201


@dataclass
class Tape:
    """What went through during one move."""

    dies_after: int | None = None
    kill: Callable[[], None] = lambda: None
    writes: list[Write] = field(default_factory=list)
    waiting: list[Write] = field(default_factory=list)
    arrived: float = 0.0
    dead: bool = False


class Proxy:
    """Plain HTTP on loopback for the tool; TLS with the cluster's client certificate to the server."""

    def __init__(self, kubeconfig: Path) -> None:
        config = json.loads(kubeconfig.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self._upstream = urlsplit(cluster["server"])
        self._tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self._tls.load_cert_chain(user["client-certificate"], user["client-key"])
        self._turn = threading.Condition()
        self._open: set[http.client.HTTPSConnection] = set()
        self.tape = Tape()
        self._server = _Server(self)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def write_kubeconfig(self, path: Path, namespace: str) -> Path:
        host, port = self._server.server_address[:2]
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "tape", "cluster": {"server": f"http://{host!s}:{port}"}}],
            "users": [{"name": "tape", "user": {}}],
            "contexts": [
                {"name": "tape", "context": {"cluster": "tape", "user": "tape", "namespace": namespace}}
            ],
            "current-context": "tape",
        }
        path.write_text(json.dumps(content))
        return path

    def begin(self, tape: Tape) -> None:
        self.tape = tape

    def end(self) -> None:
        """The tool is gone: so are the watches it had open."""
        with self._turn:
            for connection in self._open:
                _abort(connection)
            self._open.clear()

    def close(self) -> None:
        self.end()
        self._server.shutdown()
        self._server.server_close()

    def connect(self) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection(
            self._upstream.hostname or "", self._upstream.port or 443, context=self._tls
        )
        with self._turn:
            self._open.add(connection)
        return connection

    def forget(self, connection: http.client.HTTPSConnection) -> None:
        with self._turn:
            self._open.discard(connection)
        connection.close()

    def enter(self, write: Write) -> bool:
        """False: the tool has died before this write. With a death planned, writes go one at a time."""
        with self._turn:
            tape = self.tape
            if tape.dies_after is None:
                tape.writes.append(write)
                return True
            tape.waiting.append(write)
            tape.arrived = time.monotonic()
            while not tape.dead:
                quiet = time.monotonic() - tape.arrived
                if quiet >= GATHER and min(tape.waiting, key=_order) is write and not _unanswered(tape):
                    tape.waiting.remove(write)
                    tape.writes.append(write)
                    return True
                self._turn.wait(GATHER / 3)
            return False

    def leave(self, write: Write, status: int) -> bool:
        """False: the tool has died and gets no answer."""
        with self._turn:
            write.status = status
            tape = self.tape
            if tape.dies_after is not None and len(tape.writes) >= tape.dies_after and not tape.dead:
                tape.dead = True
                tape.kill()
            self._turn.notify_all()
            return not tape.dead


def _order(write: Write) -> tuple[str, ...]:
    return (write.verb, write.group, write.resource, write.namespace, write.name)


def _unanswered(tape: Tape) -> bool:
    return any(write.status == 0 for write in tape.writes)


def _abort(connection: http.client.HTTPSConnection) -> None:
    """Wakes a thread that reads from it; closing alone would not."""
    if connection.sock is not None:
        with suppress(OSError):  # it was closed at the other end
            connection.sock.shutdown(socket.SHUT_RDWR)


def read_write(method: str, target: str, content_type: str, body: bytes) -> Write | None:
    """None for what changes nothing: reads, dry runs, reviews."""
    url = urlsplit(target)
    if method not in VERBS or "dryRun" in parse_qs(url.query):
        return None
    parts = url.path.strip("/").split("/")
    group, rest = ("", parts[2:]) if parts[0] == "api" else (parts[1] if len(parts) > 1 else "", parts[3:])
    if group in REVIEWS:
        return None
    namespace = ""
    if len(rest) > 2 and rest[0] == "namespaces":
        namespace, rest = rest[1], rest[2:]
    content = _content(body)
    metadata = content.get("metadata") or {}
    generated = f"{metadata.get('generateName', '')}*"
    return Write(
        verb="apply" if content_type.startswith(APPLY) else VERBS[method],
        group=group,
        resource=rest[0] if rest else "",
        namespace=namespace,
        name="/".join(rest[1:]) or str(metadata.get("name") or generated),
        body=content,
    )


def _content(body: bytes) -> dict[str, Any]:
    """Apply patches are called YAML, and every client of ours sends JSON in them."""
    if body.startswith(protobuf.MAGIC):
        return protobuf.read_object(body)
    try:
        content = json.loads(body or b"{}")
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed, or a watch that ended with its move: nothing to say."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        # Answers are small and waited for.
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._to_server = self.server.proxy.connect()

    def finish(self) -> None:
        self.server.proxy.forget(self._to_server)
        super().finish()

    def log_message(self, *_: Any) -> None:
        """Not on the terminal."""

    def _serve(self) -> None:
        body = self._body()
        write = read_write(self.command, self.path, self.headers.get("Content-Type", ""), body)
        if write is not None and not self.server.proxy.enter(write):
            self.close_connection = True
            return
        headers = {key: value for key, value in self.headers.items() if key.lower() not in _HOP}
        self._to_server.request(self.command, self.path, body or None, headers)
        answer = self._to_server.getresponse()
        if "watch" in parse_qs(urlsplit(self.path).query):
            self._stream(answer)
            return
        content = answer.read()
        if write is not None and not self.server.proxy.leave(write, answer.status):
            self.close_connection = True
            return
        self._head(answer, ("Content-Length", str(len(content))))
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            chunks = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                chunks.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _stream(self, answer: http.client.HTTPResponse) -> None:
        self._head(answer, ("Transfer-Encoding", "chunked"))
        while chunk := answer.read1(65536):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")

    def _head(self, answer: http.client.HTTPResponse, length: tuple[str, str]) -> None:
        self.send_response_only(answer.status, answer.reason)
        for key, value in answer.getheaders():
            if key.lower() not in _HOP:
                self.send_header(key, value)
        self.send_header(*length)
        self.end_headers()
