"""Two deploys of one product: one of them works, the other is told who does."""

import getpass
import socket
from pathlib import Path

import pytest

from dev.cluster.client import Namespace, eventually
from tests.support.products import CONFIG, MIGRATION, Product, ended

pytestmark = pytest.mark.cluster

# Until the test says that it may go on.
WAITS = """
while not (HERE / 'go').exists():
    await asyncio.sleep(0.05)
"""


@pytest.fixture
def product(namespace: Namespace, tmp_path: Path) -> Product:
    return Product(namespace, tmp_path / "product")


def test_both_are_started_together(product: Product) -> None:
    product.job("global", "pre", "slow", "await asyncio.sleep(3)")
    product.bill("web")
    both = [product.start("bill.yaml", "--events=jsonl") for _ in range(2)]
    ran = sorted(map(ended, both), key=lambda one: one.code)
    assert [one.code for one in ran] == [0, 2], "\n".join(one.said for one in ran)
    assert product.journal == ["global/slow begins", "global/slow ends"]
    assert "another deploy of shop is at work" in ran[1].err
    assert f"{getpass.getuser()}@{socket.gethostname()}" in ran[1].err
    assert ran[1].out == ""
    assert product.releases == {"web": "deployed"}
    assert len(product.history()) == 1


@pytest.mark.parametrize("at_work", ["a job that runs once", "helm"])
def test_what_is_in_the_middle_of_something_is_not_taken_for_left_behind(
    at_work: str, product: Product
) -> None:
    """The one who comes second sees half of it: a release that is pending, a job that has begun. It must not advise to repeat it."""
    product.chart("web", CONFIG, MIGRATION)
    if at_work == "helm":
        product.fates(web_migrate="hang")
        product.job("web", "pre", "before")
    else:
        product.job("web", "pre", "before", WAITS, once=True)
    product.bill("web")
    first = product.start("bill.yaml")
    product.wait_for("web/before begins")
    if at_work == "helm":
        assert eventually(lambda: product.namespace.find("job", "web-migrate"), 60)
    second = product.run("bill.yaml")
    assert (second.code, second.out) == (2, ""), second.said
    assert "another deploy of shop is at work" in second.err
    assert "--rerun" not in second.err
    assert "--heal" not in second.err
    product.fates(web_migrate="succeed")
    (product.folder / "go").touch()
    assert ended(first).code == 0
    assert product.journal.count("web/before begins") == 1


def test_another_product_is_nobodys_business(product: Product, namespace: Namespace, tmp_path: Path) -> None:
    product.job("web", "pre", "before", WAITS)
    product.bill("web")
    first = product.start("bill.yaml")
    product.wait_for("web/before begins")
    other = Product(namespace, tmp_path / "other", name="office")
    other.bill("desk")
    other.deployed()
    (product.folder / "go").touch()
    assert ended(first).code == 0
    assert product.releases == {"web": "deployed", "desk": "deployed"}
