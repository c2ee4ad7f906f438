"""A second API server on the same etcd, which a test may restart: nobody else notices."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dev.cluster import build, control, processes
from dev.cluster.api import Api
from dev.cluster.client import eventually
from dev.cluster.layout import Layout, free_ports

GRACE = 2  # seconds


class Server:
    def __init__(self, layout: Layout, folder: Path) -> None:
        self._layout = layout
        [self._port] = free_ports(1)
        self._log = folder / "second-server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.kubeconfig = folder / "kubeconfig-of-the-second-server"
        own = f"https://{layout.api_address}:{self._port}"
        self.kubeconfig.write_text(layout.kubeconfig.read_text().replace(layout.server, own))

    def mend(self) -> None:
        """Starts it; it is ready when this returns."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [control.API_SERVER, *control.api_server(self._layout, self._port)],
                executable=build.binaries(build.CONTROL)["kube"],
                env=processes.environment(self._layout.root),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        api = Api(self.kubeconfig)
        try:
            assert eventually(api.ready, 120), self._log.read_text()[-2000:]
        finally:
            api.close()

    def cut(self) -> None:
        """Stops it as a restart does: it may end what it is at, but for a watch it would wait a minute."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


@contextmanager
def second_server(layout: Layout, folder: Path) -> Iterator[Server]:
    server = Server(layout, folder)
    server.mend()
    try:
        yield server
    finally:
        server.cut()
