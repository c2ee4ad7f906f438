"""One request on its way: with our credentials, through the proxy, again after a 401; what fails is told as KubeError."""

import asyncio
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Generic, TypeVar

import httpx2

from watchbill.kube import credentials, proxies, tls
from watchbill.kube.access import Access
from watchbill.kube.credentials import Credentials, Held
from watchbill.kube.errors import KubeError, told
from watchbill.kube.persistence import Persistence, Tries
from watchbill.kube.plugins import cluster_info

# A peer that vanished without a word is noticed within a minute, also by a watch that waits for nothing else.
_KEEP_ALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, option), value)
        for option, value in (
            ("TCP_KEEPIDLE", 20),
            ("TCP_KEEPINTVL", 10),
            ("TCP_KEEPCNT", 3),
            ("TCP_USER_TIMEOUT", 60_000),
        )
        if hasattr(socket, option)
    ),
]

_Inner = TypeVar("_Inner")


class _Way(Generic[_Inner]):
    """What both transports share: the way to the server, by the certificate that is shown on it."""

    def __init__(self, access: Access, kind: Callable[..., _Inner], environment: dict[str, str]) -> None:
        self.server = access.server
        # As kubectl: what would be read on the wire is not sent.
        self.is_secret = access.server.startswith("https:")
        self.credentials: Credentials = (
            credentials.of(access.user, cluster_info(access)) if self.is_secret else Credentials()
        )
        self._access = access
        self._kind = kind
        self._proxy = proxies.proxy_for(access.server, access.cluster, environment)
        self._headers = impersonation(access)
        self._shown: tuple[bytes, bytes] | None = None
        self._inner: _Inner | None = None
        self._former: list[_Inner] = []
        self._lock = threading.Lock()

    def inner(self, held: Held) -> _Inner:
        shown = (held.certificate, held.key)
        with self._lock:
            if self._inner is None or shown != self._shown:
                if self._inner is not None:
                    # Requests may be under way on it: it is closed with us.
                    self._former.append(self._inner)
                self._inner = self._kind(
                    verify=tls.context(self._access.cluster, *shown) if self.is_secret else False,
                    trust_env=False,
                    proxy=self._proxy,
                    limits=httpx2.Limits(
                        max_connections=None, max_keepalive_connections=20, keepalive_expiry=30
                    ),
                    socket_options=_KEEP_ALIVE,
                )
                self._shown = shown
            return self._inner

    def prepare(self, request: httpx2.Request, held: Held) -> None:
        if held.authorization:
            request.headers["Authorization"] = held.authorization
        if self._access.cluster.disable_compression:
            request.headers["Accept-Encoding"] = "identity"
        if self._headers:
            taken = {name.lower() for name, _ in self._headers}
            kept = [(name, value) for name, value in request.headers.multi_items() if name not in taken]
            request.headers = httpx2.Headers([*kept, *self._headers])
        if self._access.cluster.tls_server_name:
            request.extensions = {**request.extensions, "sni_hostname": self._access.cluster.tls_server_name}

    def all(self) -> list[_Inner]:
        return self._former if self._inner is None else [*self._former, self._inner]


def impersonation(access: Access) -> list[tuple[str, str]]:
    from urllib.parse import quote

    user = access.user
    if not user.impersonate:
        return []
    uid = [("Impersonate-Uid", user.impersonate_uid)] if user.impersonate_uid else []
    groups = [("Impersonate-Group", group) for group in user.impersonate_groups]
    extra = [
        (f"Impersonate-Extra-{quote(key, safe='')}", value)
        for key, values in user.impersonate_extra
        for value in values
    ]
    return [("Impersonate-User", user.impersonate), *uid, *groups, *extra]


class Transport(httpx2.BaseTransport):
    def __init__(self, access: Access, environment: dict[str, str], patience: float) -> None:
        self._way = _Way(access, httpx2.HTTPTransport, environment)
        self._persistence = Persistence(patience)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        tries = Tries(self._persistence, request)
        while True:
            try:
                response = self._authorized(request)
            except KubeError as error:
                if (pause := tries.after_failure(error)) is None:
                    raise
            else:
                if (pause := tries.after_answer(response)) is None:
                    if response.is_error:
                        response.read()  # it is short, and who asked for a web socket would not read it
                    return response
                response.close()
            time.sleep(pause)

    def _authorized(self, request: httpx2.Request) -> httpx2.Response:
        way = self._way
        held = way.credentials.obtain()
        response = self._send(request, held)
        if response.status_code == 401 and held != Held():
            way.credentials.refused(held)
            if (other := way.credentials.obtain()) != held:
                response.close()
                return self._send(request, other)
        return response

    def _send(self, request: httpx2.Request, held: Held) -> httpx2.Response:
        self._way.prepare(request, held)
        try:
            response = self._way.inner(held).handle_request(request)
        except httpx2.TransportError as error:
            raise told(error, self._way.server) from error
        assert isinstance(response.stream, httpx2.SyncByteStream)
        return httpx2.Response(
            status_code=response.status_code,
            headers=response.headers,
            stream=_Stream(response.stream, self._way.server),
            extensions=response.extensions,
        )

    def close(self) -> None:
        for inner in self._way.all():
            inner.close()


class AsyncTransport(httpx2.AsyncBaseTransport):
    def __init__(self, access: Access, environment: dict[str, str], patience: float) -> None:
        self._way = _Way(access, httpx2.AsyncHTTPTransport, environment)
        self._persistence = Persistence(patience)
        self._asking = asyncio.Lock()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        tries = Tries(self._persistence, request)
        while True:
            try:
                response = await self._authorized(request)
            except KubeError as error:
                if (pause := tries.after_failure(error)) is None:
                    raise
            else:
                if (pause := tries.after_answer(response)) is None:
                    if response.is_error:
                        await (
                            response.aread()
                        )  # it is short, and who asked for a web socket would not read it
                    return response
                await response.aclose()
            await asyncio.sleep(pause)

    async def _authorized(self, request: httpx2.Request) -> httpx2.Response:
        way = self._way
        held = await self._held()
        response = await self._send(request, held)
        if response.status_code == 401 and held != Held():
            way.credentials.refused(held)
            if (other := await self._held()) != held:
                await response.aclose()
                return await self._send(request, other)
        return response

    async def _held(self) -> Held:
        known = self._way.credentials
        if (held := known.ready()) is not None:
            return held
        async with self._asking:
            if (held := known.ready()) is not None:
                return held
            try:
                return await asyncio.to_thread(known.obtain)
            except asyncio.CancelledError:
                known.stop()
                raise

    async def _send(self, request: httpx2.Request, held: Held) -> httpx2.Response:
        self._way.prepare(request, held)
        try:
            response = await self._way.inner(held).handle_async_request(request)
        except httpx2.TransportError as error:
            raise told(error, self._way.server) from error
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        return httpx2.Response(
            status_code=response.status_code,
            headers=response.headers,
            stream=_AsyncStream(response.stream, self._way.server),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        for inner in self._way.all():
            await inner.aclose()


class _Stream(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, server: str) -> None:
        self._stream = stream
        self._server = server

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        except httpx2.TransportError as error:
            raise told(error, self._server) from error

    def close(self) -> None:
        self._stream.close()


class _AsyncStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, server: str) -> None:
        self._stream = stream
        self._server = server

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._stream:
                yield part
        except httpx2.TransportError as error:
            raise told(error, self._server) from error

    async def aclose(self) -> None:
        await self._stream.aclose()
