"""The API server goes away in the middle of a deploy and comes back: it goes on, or says clearly what failed."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from dev.cluster.client import Namespace, eventually
from dev.cluster.layout import Layout
from tests.support.flaky_way import Way, over
from tests.support.products import CONFIG, MIGRATION, Product, ended
from tests.support.second_server import Server, second_server

pytestmark = pytest.mark.cluster

GONE = 4.0  # seconds


class Road:
    """The way to the API server, cut and mended from outside of its event loop."""

    def __init__(self, way: Way, loop: asyncio.AbstractEventLoop) -> None:
        self._way = way
        self._loop = loop

    def cut(self) -> None:
        asyncio.run_coroutine_threadsafe(self._way.cut(), self._loop).result()

    def mend(self) -> None:
        asyncio.run_coroutine_threadsafe(self._way.mend(), self._loop).result()


@contextmanager
def road(kubeconfig: Path, folder: Path) -> Iterator[tuple[Road, Path]]:
    way, leading = over(kubeconfig, folder)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    found = Road(way, loop)
    found.mend()
    try:
        yield found, leading()
    finally:
        found.cut()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture(params=["connection", "server"])
def away(request: pytest.FixtureRequest, product: Product, ours: Layout) -> Iterator[Road | Server]:
    """What the product's deploys go through: a connection that can be cut, or a server of their own that can be stopped
    and started. What the test itself asks for does not take it."""
    direct = product.kubeconfig
    with ExitStack() as stack:
        if request.param == "connection":
            found, product.kubeconfig = stack.enter_context(road(direct, product.folder))
            yield found
        else:
            server = stack.enter_context(second_server(ours, product.folder))
            product.kubeconfig = server.kubeconfig
            yield server
        product.kubeconfig = direct


@pytest.fixture
def product(namespace: Namespace, tmp_path: Path) -> Product:
    return Product(namespace, tmp_path / "product")


def test_while_a_job_runs_it_goes_on(product: Product, away: Road | Server) -> None:
    """The Lease cannot be renewed, and nobody else can take it."""
    product.job("web", "pre", "long", f"await asyncio.sleep({GONE + 3})")
    product.job("web", "post", "after", once=True)
    product.bill("web")
    process = product.start("bill.yaml", "--events=jsonl")
    product.wait_for("web/long begins")
    away.cut()
    time.sleep(GONE)
    away.mend()
    ran = ended(process)
    assert ran.code == 0, ran.said
    assert product.releases == {"web": "deployed"}
    assert product.record["installed"] == "1.0.0"
    assert product.record["once"]["web/after"]["status"] == "done"
    assert product.history()[0]["status"] == "done"


def test_while_a_job_asks_it_the_job_fails_and_says_so(product: Product, away: Road | Server) -> None:
    product.job(
        "web",
        "pre",
        "asks",
        """
        while True:
            await ctx.kube.get(ConfigMap, 'kube-root-ca.crt', namespace=ctx.namespace)
            await asyncio.sleep(0.1)
        """,
    )
    product.bill("web", "shop")
    process = product.start("bill.yaml", "--events=jsonl")
    product.wait_for("web/asks begins")
    assert eventually(lambda: product.releases == {"shop": "deployed"}, 60)
    away.cut()
    time.sleep(GONE)
    away.mend()
    ran = ended(process)
    assert ran.code == 1, ran.said
    assert ran.ended["web asks"] == "failed"
    assert "cannot reach" in ran.err
    assert product.history()[0]["status"] == "failed"


@pytest.mark.parametrize("upgrade", [False, True], ids=["install", "upgrade"])
def test_while_helm_works(upgrade: bool, product: Product, away: Road | Server) -> None:
    """Helm bears it, or fails and perhaps cannot even mark its release; the same command finishes the work then."""
    product.chart("web", CONFIG, MIGRATION)
    product.bill("web")
    if upgrade:
        product.deployed()
        product.chart("web", CONFIG, MIGRATION, version="1.1.0")
        product.bill("web", version="1.1.0", upgradesFrom="1.0.0")
    product.fates(web_migrate="hang")
    wanted = "pending-upgrade" if upgrade else "pending-install"
    process = product.start("bill.yaml", "--events=jsonl")
    assert eventually(lambda: product.releases.get("web") == wanted, 60)
    away.cut()
    time.sleep(GONE)
    away.mend()
    product.fates(web_migrate="succeed")
    ran = ended(process)
    assert ran.code in (0, 1), ran.said
    assert ran.ended["web chart"] == ("done" if ran.code == 0 else "failed")
    assert product.history()[0]["status"] == ("done" if ran.code == 0 else "failed")
    again = product.deploy("--heal=uninstall")
    assert again.code == 0, again.said
    assert product.releases == {"web": "deployed"}
    assert product.charts() == {"web": "1.1.0" if upgrade else "1.0.0"}
    assert product.record["installed"] == ("1.1.0" if upgrade else "1.0.0")


def test_before_it_begins(product: Product, away: Road | Server) -> None:
    product.job("web", "pre", "look")
    product.bill("web")
    away.cut()
    began = time.monotonic()
    answers = [
        product.deploy(),
        product.run(command="history"),
        product.run("web/look", command="jobs run"),
    ]
    took = time.monotonic() - began
    for ran in answers:
        assert ran.code == 2, ran.said
        assert "cannot reach https://127.0.0.1:" in ran.err
    assert took < 30, "who named the wrong cluster does not wait for it"
    assert product.record == {}
