"""Servers that tests connect to: one that answers like a small API server and remembers who came, and a proxy."""

import json
import select
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    method: str
    path: str
    headers: list[tuple[str, str]]
    certificate: str  # common name of the client's certificate
    server_name: str
    body: bytes

    def header(self, name: str) -> str:
        return ", ".join(value for key, value in self.headers if key.lower() == name.lower())


Answer = tuple[int, Any]


def namespace_object(_seen: Seen) -> Answer:
    return 200, {
        "kind": "Namespace",
        "apiVersion": "v1",
        "metadata": {"name": "there", "resourceVersion": "1"},
    }


def status(code: int, reason: str, message: str) -> Answer:
    return code, {"kind": "Status", "apiVersion": "v1", "code": code, "reason": reason, "message": message}


@dataclass
class FakeServer:
    port: int
    scheme: str
    seen: list[Seen] = field(default_factory=list)
    answer: Callable[[Seen], Answer] = namespace_object
    headers: dict[str, str] = field(default_factory=dict)

    def url(self, host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}"


@contextmanager
def serving(certificate: tuple[Path, Path] | None, authority: Path | None = None) -> Iterator[FakeServer]:
    """With TLS if it has a certificate; clients may show one of the authority."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            seen = Seen(
                self.command,
                self.path,
                list(self.headers.items()),
                _common_name(self.connection),
                names.get(self.client_address[1], ""),
                body,
            )
            fake.seen.append(seen)
            code, content = fake.answer(seen)
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(code)
            kind = "text/html" if isinstance(content, bytes) else "application/json"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(raw)))
            for name, value in fake.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def get_request(self) -> tuple[Any, Any]:
            connection, address = super().get_request()
            if context is None:
                return connection, address
            threading.current_thread().port = address[1]  # type: ignore[attr-defined]
            return context.wrap_socket(connection, server_side=True), address

        def handle_error(self, *_: Any) -> None:
            pass  # clients that go away, or do not trust us

    names: dict[int, str] = {}
    context: ssl.SSLContext | None = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        if authority is not None:
            context.load_verify_locations(authority)
            context.verify_mode = ssl.CERT_OPTIONAL
            # TLS 1.3 tells a client of a bad certificate only with the first answer.
            context.maximum_version = ssl.TLSVersion.TLSv1_3

        def remember(_: Any, name: str | None, __: Any) -> None:
            names[getattr(threading.current_thread(), "port", 0)] = name or ""

        context.sni_callback = remember
    with Server(("127.0.0.1", 0), Handler) as server:
        fake = FakeServer(server.server_address[1], "https" if certificate else "http")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield fake
        finally:
            server.shutdown()
            thread.join()


def _common_name(connection: Any) -> str:
    shown = connection.getpeercert() if isinstance(connection, ssl.SSLSocket) else None
    subject: Any = (shown or {}).get("subject", ())
    return next((str(pair[1]) for part in subject for pair in part if pair[0] == "commonName"), "")


@dataclass
class Proxy:
    port: int
    asked: list[str] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    open: set[socket.socket] = field(default_factory=set)

    def cut(self) -> None:
        """Every connection that goes through it now is gone."""
        for connection in list(self.open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def proxying(refuses: bool = False) -> Iterator[Proxy]:
    """An HTTP proxy that knows CONNECT."""
    listener = socket.create_server(("127.0.0.1", 0))
    proxy = Proxy(listener.getsockname()[1])

    def serve(client: socket.socket) -> None:
        with client:
            head = b""
            while b"\r\n\r\n" not in head:
                if not (part := client.recv(4096)):
                    return
                head += part
            lines = head.decode().split("\r\n")
            proxy.asked.append(lines[0].split()[1])
            proxy.authorizations += [
                line.partition(": ")[2] for line in lines if line.lower().startswith("proxy-authorization")
            ]
            if refuses:
                client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                return
            host, _, port = proxy.asked[-1].rpartition(":")
            with socket.create_connection((host, int(port))) as server:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                proxy.open.update((client, server))
                while True:
                    for ready in select.select([client, server], [], [])[0]:
                        if not (part := ready.recv(65536)):
                            return
                        (server if ready is client else client).sendall(part)

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_quietly, args=(serve, client), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def _quietly(serve: Callable[[socket.socket], None], client: socket.socket) -> None:
    with suppress(OSError):  # one side went away
        serve(client)
