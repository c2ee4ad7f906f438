"""A registry for charts on this machine: as much of the OCI distribution API as helm pushes and pulls with."""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

MANIFEST = re.compile(r"/v2/(?P<name>.+)/manifests/(?P<reference>[^/]+)")
TAGS = re.compile(r"/v2/(?P<name>.+)/tags/list")


class Registry(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        # Manifests and blobs by their digest; tags of manifests by name.
        self.content: dict[str, tuple[str, bytes]] = {}
        self.tags: dict[str, dict[str, str]] = {}

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_port}"


@contextmanager
def registry() -> Iterator[Registry]:
    with Registry() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: Registry
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._find()

    def do_GET(self) -> None:
        self._find()

    def _find(self) -> None:
        path = urlsplit(self.path).path
        if match := TAGS.fullmatch(path):
            listed = {"name": match["name"], "tags": sorted(self.server.tags.get(match["name"], {}))}
            self._answer(200, json.dumps(listed).encode(), {"Content-Type": "application/json"})
            return
        digest = path.rpartition("/")[2]
        if match := MANIFEST.fullmatch(path):
            digest = self.server.tags.get(match["name"], {}).get(match["reference"], match["reference"])
        if digest not in self.server.content:
            self._answer(404)
            return
        kind, body = self.server.content[digest]
        self._answer(200, body, {"Content-Type": kind, "Docker-Content-Digest": digest})

    def do_POST(self) -> None:
        """An upload begins: it goes to the same place."""
        self._body()
        self._answer(202, headers={"Location": f"{urlsplit(self.path).path}upload"})

    def do_PUT(self) -> None:
        body, parts = self._body(), urlsplit(self.path)
        digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
        match = MANIFEST.fullmatch(parts.path)
        if match is None and parse_qs(parts.query)["digest"] != [digest]:
            self._answer(400)
            return
        kind = self.headers.get("Content-Type", "application/octet-stream")
        self.server.content[digest] = kind, body
        if match and not match["reference"].startswith("sha256:"):
            self.server.tags.setdefault(match["name"], {})[match["reference"]] = digest
        self._answer(201, headers={"Location": parts.path, "Docker-Content-Digest": digest})

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _answer(self, status: int, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Nobody reads it."""
