"""A way to the API server that can be cut and mended: what a restart of the server looks like from here."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from watchbill.kube import access
from watchbill.kube.client import Kube, connect


class Way:
    """Connections are passed on; while it is cut, those that are there break and new ones are refused."""

    def __init__(self, host: str, port: int) -> None:
        self._there = host, port
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.StreamWriter] = set()
        self.port = 0

    async def mend(self) -> None:
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._connections):
            writer.transport.abort()
        await asyncio.sleep(0)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection(*self._there)
        self._connections |= {writer, there_writer}
        try:
            await asyncio.gather(_copy(reader, there_writer), _copy(there_reader, writer))
        finally:
            self._connections -= {writer, there_writer}


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()


def over(kubeconfig: Path, folder: Path) -> tuple[Way, Callable[[], Path]]:
    """The way, and when it is mended: a kubeconfig that leads over it."""
    text = kubeconfig.read_text()
    found = re.search(r"https://([\d.]+):(\d+)", text)
    assert found, "the cluster has no address of the kind that is expected here"
    way = Way(found[1], int(found[2]))

    def leading() -> Path:
        file = folder / "kubeconfig-over-a-way"
        file.write_text(text.replace(found[0], f"https://127.0.0.1:{way.port}"))
        return file

    return way, leading


@contextlib.asynccontextmanager
async def way_to(kubeconfig: Path, folder: Path) -> AsyncIterator[tuple[Way, Kube]]:
    """The way, and a client that takes it."""
    way, leading = over(kubeconfig, folder)
    await way.mend()
    try:
        async with connect(access.find(str(leading()))) as kube:
            yield way, kube
    finally:
        await way.cut()
