"""The API server over plain HTTP: enough for bringing the cluster up and for the driver, nothing to install."""

import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
MERGE = "application/merge-patch+json"
# Longer than any request of ours, shorter than a person's patience; a watch ends by itself before it.
TIMEOUT = 60
WATCH_SECONDS = 45
# What a server answers that still prepares the storage of a custom kind; it is ready soon.
TOO_MANY = 429
NOT_YET, PATIENCE = 0.5, 20


class ApiError(Exception):
    """The API server's own answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class Api:
    """One kubeconfig of ours. Every thread has a connection of its own, kept until `close`."""

    def __init__(self, kubeconfig: Path) -> None:
        config = json.loads(kubeconfig.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        server = urlsplit(cluster["server"])
        self._host, self._port = server.hostname or "", server.port or 443
        self._tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self._tls.load_cert_chain(user["client-certificate"], user["client-key"])
        self._local = threading.local()
        self._opened: list[http.client.HTTPSConnection] = []

    def close(self) -> None:
        for connection in self._opened:
            connection.close()

    def get(self, path: str) -> Any:
        return self.request("GET", path)

    def find(self, path: str) -> Any:
        """None if it does not exist."""
        try:
            return self.request("GET", path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def ensure(self, collection: str, body: dict[str, Any]) -> None:
        """Create the object unless it exists."""
        if self.find(f"{collection}/{body['metadata']['name']}") is None:
            self.request("POST", collection, body)

    def find_metadata(self, collection: str) -> list[dict[str, Any]]:
        """The objects of a collection without what is in them; none if there is no such collection."""
        try:
            answer = self.request("GET", collection, accept=METADATA)
        except ApiError as error:
            if error.status == 404:
                return []
            raise
        items: list[dict[str, Any]] = answer["items"] or []
        return items

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        kind: str = "application/json",
        accept: str = "application/json",
    ) -> Any:
        """Asked again for a while where the server says that it is not ready for this kind yet."""
        for _ in range(PATIENCE):
            try:
                return self._request(method, path, body, kind, accept)
            except ApiError as error:
                if error.status != TOO_MANY:
                    raise
                time.sleep(NOT_YET)
        return self._request(method, path, body, kind, accept)

    def _request(self, method: str, path: str, body: Any, kind: str, accept: str) -> Any:
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": kind, "Accept": accept}
        for attempt in (1, 2):
            connection = self._connection()
            try:
                connection.request(method, path, content, headers)
                answer = connection.getresponse()
                text = answer.read()
                break
            except (http.client.HTTPException, OSError):
                # An idle connection may have been closed at the other end: that deserves one more try.
                # Closed, it opens anew by itself at the next request.
                connection.close()
                if attempt == 2:
                    raise
        if answer.status >= 400:
            raise ApiError(answer.status, _message(text))
        return json.loads(text) if text.startswith(b"{") else text.decode()

    def watch(self, path: str, version: str) -> Iterator[dict[str, Any]]:
        """Events after that version until the server ends the watch."""
        connection = self._connect()
        try:
            query = (
                f"watch=1&allowWatchBookmarks=true&resourceVersion={version}&timeoutSeconds={WATCH_SECONDS}"
            )
            connection.request("GET", f"{path}{'&' if '?' in path else '?'}{query}")
            answer = connection.getresponse()
            if answer.status >= 400:
                raise ApiError(answer.status, _message(answer.read()))
            for line in answer:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise ApiError(event["object"].get("code", 500), event["object"].get("message", ""))
                yield event
        finally:
            connection.close()

    def ready(self) -> bool:
        try:
            return bool(self.get("/readyz") == "ok")
        except (ApiError, OSError, http.client.HTTPException):
            return False

    def _connection(self) -> http.client.HTTPSConnection:
        if getattr(self._local, "connection", None) is None:
            self._local.connection = self._connect()
            self._opened.append(self._local.connection)
        connection: http.client.HTTPSConnection = self._local.connection
        return connection

    def _connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection(self._host, self._port, timeout=TIMEOUT, context=self._tls)


def _message(answer: bytes) -> str:
    try:
        return str(json.loads(answer)["message"])
    except (ValueError, KeyError, TypeError):
        return answer.decode(errors="replace")
