"""The Kubernetes clients: lightkube's, connected our way, raising our error, and careful with deletes and dry runs."""

import asyncio
import os
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Any

import httpx2
import msgspec
from lightkube import ApiError, AsyncClient, Client
from lightkube.config.client_adapter import ConnectionParams
from lightkube.config.kubeconfig import SingleConfig
from lightkube.config.models import Cluster, Context
from lightkube.core.generic_client import BasicRequest, GenericAsyncClient, GenericSyncClient, WatchDriver
from lightkube.resources.core_v1 import PodLog
from lightkube.types import OnErrorAction, OnErrorHandler, on_error_raise

from watchbill.kube import decoding
from watchbill.kube.access import Access
from watchbill.kube.errors import KubeError, answered, refused, told
from watchbill.kube.transport import AsyncTransport, Transport

FIELD_MANAGER = "watchbill"
TIMEOUT = httpx2.Timeout(60, connect=10, pool=None)
# The server ends a watch after this time (a little less for some, so that not all come back at once): a silent one
# that lasts longer is broken.
WATCH_SECONDS = 240
# A log that is silent this long may be broken too: whoever follows it asks again.
SILENCE = 300

decoding.install()


def connect(access: Access, *, dry_run: bool = False, patience: float = 0) -> "Kube":
    """Nothing is sent yet. Use it with `async with`, in the event loop that runs now. `patience`: for how many seconds a
    server that has answered before may be away; requests that did not arrive are sent again meanwhile."""
    return Kube(access, dry_run=dry_run, patience=patience)


def connect_sync(access: Access, *, dry_run: bool = False, patience: float = 0) -> "SyncKube":
    """For threads. Nothing is sent yet. Use it with `with`."""
    return SyncKube(access, dry_run=dry_run, patience=patience)


class Kube(AsyncClient):
    """lightkube's AsyncClient. Raises KubeError and nothing else. Deletes name their propagation policy (Background
    unless `cascade` says otherwise). With dry_run every write is `dryRun=All`."""

    _client: "_Async"

    def __init__(self, access: Access, *, dry_run: bool = False, patience: float = 0) -> None:
        self.access = access
        self.dry_run = dry_run
        self._timeout = TIMEOUT
        transport = AsyncTransport(access, dict(os.environ), patience)
        self._client = _Async(
            _Connection(access, transport), _config(access), access.namespace, None, FIELD_MANAGER, dry_run
        )

    async def __aenter__(self) -> "Kube":
        return self

    async def exec(self, *args: Any, **options: Any) -> Any:
        _no_exec(self.dry_run)
        try:
            return await super().exec(*args, **options)
        except Exception as error:
            raise told(error, self.access.server) from error

    async def follow_log(
        self, pod: str, container: str, *, namespace: str, since: str = ""
    ) -> AsyncGenerator[tuple[str, str]]:
        """(RFC 3339 time, line) as they come, from a time on. Ends with the container; KubeError `Timeout` after a long
        silence: ask again from the last time."""
        params = {"container": container, "follow": "true", "timestamps": "true", "sinceTime": since or None}
        request = self._client.prepare_request("get", PodLog, name=pod, namespace=namespace, params=params)
        request.timeout = _timeout(SILENCE)
        response = await self._client.send(self._client.build_adapter_request(request), stream=True)
        try:
            async for line in response.aiter_lines():
                time, _, text = line.partition(" ")
                yield time, text
        finally:
            await response.aclose()


class SyncKube(Client):
    """The same for threads: lightkube's Client."""

    def __init__(self, access: Access, *, dry_run: bool = False, patience: float = 0) -> None:
        self.access = access
        self.dry_run = dry_run
        self._timeout = TIMEOUT
        transport = Transport(access, dict(os.environ), patience)
        self._client = _Sync(
            _Connection(access, transport), _config(access), access.namespace, None, FIELD_MANAGER, dry_run
        )

    def __enter__(self) -> "SyncKube":
        return self

    def exec(self, *args: Any, **options: Any) -> Any:
        _no_exec(self.dry_run)
        try:
            return super().exec(*args, **options)
        except Exception as error:
            raise told(error, self.access.server) from error


def _timeout(read: float) -> httpx2.Timeout:
    return httpx2.Timeout(connect=TIMEOUT.connect, read=read, write=TIMEOUT.write, pool=TIMEOUT.pool)


def _no_exec(dry_run: bool) -> None:
    if dry_run:
        raise KubeError("a command cannot be run in a pod of a dry run", reason="DryRun")


def _config(access: Access) -> SingleConfig:
    """What lightkube wants to know; nothing secret."""
    context = Context(cluster=access.cluster.name, namespace=access.namespace)
    return SingleConfig(access.context, context, Cluster(server=access.server))


class _Connection(ConnectionParams):
    def __init__(self, access: Access, transport: Any) -> None:
        super().__init__(timeout=TIMEOUT, trust_env=False, transport=transport)
        self._server = access.server

    def httpx_params(self, config: SingleConfig) -> dict[str, Any]:  # noqa: ARG002  (lightkube gives it)
        return {
            "base_url": self._server,
            "transport": self.transport,
            "timeout": self.timeout,
            "trust_env": False,
            "headers": {"User-Agent": FIELD_MANAGER},
        }


class _Careful:
    """Additions to lightkube's request building, for both clients."""

    _dry_run: bool

    def prepare_request(self, method: str, *args: Any, **options: Any) -> BasicRequest:
        request: BasicRequest = super().prepare_request(method, *args, **options)  # type: ignore[misc]
        if request.method == "DELETE":
            # Jobs are orphaned by default by their old API: their pods would run on.
            request.params.setdefault("propagationPolicy", "Background")
            if self._dry_run:
                request.params["dryRun"] = "All"
        if options.get("watch"):
            request.params.setdefault("timeoutSeconds", str(WATCH_SECONDS - random.randrange(30)))  # noqa: S311
        return request

    def handle_response(self, method: str, resp: httpx2.Response, br: BasicRequest) -> Any:
        try:
            return super().handle_response(method, resp, br)  # type: ignore[misc]
        except msgspec.MsgspecError as error:
            raise _not_kubernetes(resp, error) from error


def _not_kubernetes(response: httpx2.Response, error: Exception) -> KubeError:
    kind = response.headers.get("Content-Type", "no Content-Type")
    return KubeError(
        f"the answer to {response.request.method} {response.request.url.path} is not what Kubernetes answers ({kind}): {error}",
        where=str(response.request.url.copy_with(path="/", query=None)),
        then="is there a login page or a proxy in between?",
        reason="Unexpected",
    )


class _Async(_Careful, GenericAsyncClient):
    async def send(self, req: httpx2.Request, stream: bool = False) -> httpx2.Response:
        response = await self._client.send(req, stream=stream)
        if not response.is_success:
            await response.aread()
            raise answered(response, _origin(req))
        return response

    async def watch(self, br: BasicRequest, on_error: OnErrorHandler = on_error_raise) -> AsyncIterator[Any]:
        """Goes on from where it was when the server ends it; an error ends it unless `on_error` says otherwise."""
        watching = _Watching(br, self._client.build_request, on_error)
        while watching.goes_on:
            try:
                response = await self.send(watching.request(), stream=True)
                try:
                    async for line in response.aiter_lines():
                        yield watching.event(line, response)
                finally:
                    await response.aclose()
            except KubeError as error:
                await asyncio.sleep(watching.failed(error))


class _Sync(_Careful, GenericSyncClient):
    def send(self, req: httpx2.Request, stream: bool = False) -> httpx2.Response:
        response = self._client.send(req, stream=stream)
        if not response.is_success:
            response.read()
            raise answered(response, _origin(req))
        return response

    def watch(self, br: BasicRequest, on_error: OnErrorHandler = on_error_raise) -> Iterator[Any]:
        watching = _Watching(br, self._client.build_request, on_error)
        while watching.goes_on:
            try:
                response = self.send(watching.request(), stream=True)
                try:
                    for line in response.iter_lines():
                        yield watching.event(line, response)
                finally:
                    response.close()
            except KubeError as error:
                time.sleep(watching.failed(error))


class _Watching:
    """Where a watch is."""

    def __init__(self, request: BasicRequest, build_request: Any, on_error: OnErrorHandler) -> None:
        self.goes_on = True
        self._driver: Any = WatchDriver(request, build_request)
        self._timeout = _timeout(int(request.params["timeoutSeconds"]) + 30)
        self._on_error = on_error
        self._failures = 0

    def request(self) -> httpx2.Request:
        request: httpx2.Request = self._driver.get_request(self._timeout)
        return request

    def event(self, line: str, response: httpx2.Response) -> Any:
        try:
            found = self._driver.process_one_line(line)
        except ApiError as error:
            status = error.status
            message = status.message or "the watch failed"
            raise refused(
                message, status.code or 0, status.reason or "", _origin(response.request)
            ) from error
        except msgspec.MsgspecError as error:
            raise _not_kubernetes(response, error) from error
        self._failures = 0
        return found

    def failed(self, error: KubeError) -> float:
        """How long to wait before the next attempt; raises the error if there is to be none."""
        self._failures += 1
        answer = self._on_error(error, self._failures)
        if answer.action is OnErrorAction.RAISE:
            raise error
        self.goes_on = answer.action is not OnErrorAction.STOP
        if error.is_expired:
            self._driver.reset_version()
        return answer.sleep if self.goes_on else 0


def _origin(request: httpx2.Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc.decode()}"
