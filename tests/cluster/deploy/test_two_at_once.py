"""Two deploys of one product: one of them works, the other is told who does."""

import getpass
import json
import signal
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
    plan = product.run("bill.yaml", "--plan")
    assert plan.code == 1
    assert "refused: another deploy of shop is at work" in plan.out
    assert "--heal" not in plan.out
    product.fates(web_migrate="succeed")
    (product.folder / "go").touch()
    assert ended(first).code == 0
    assert product.journal.count("web/before begins") == 1


def test_who_is_overtaken_stops(product: Product) -> None:
    """Somebody else has the Lease: as after a long sleep of this machine."""
    product.job("web", "pre", "before", "await asyncio.sleep(120)")
    product.bill("web")
    process = product.start("bill.yaml", "--events=jsonl")
    product.wait_for("web/before begins")
    hold(product, "somebody-else")
    ran = ended(process)
    assert ran.code == 1, ran.said
    assert "another deploy has taken over: somebody-else" in ran.err
    assert ran.ended["web before"] == "cancelled"
    assert product.releases == {}
    lease = product.namespace.find("lease", "watchbill-shop")
    assert lease
    assert lease["spec"]["holderIdentity"] == "somebody-else", "it is not ours to release"


def test_waiting_for_one_that_may_be_dead_can_be_cancelled(product: Product) -> None:
    """Elsewhere nobody sees whether a process lives: a Lease that is not renewed is waited for."""
    product.bill("web")
    product.deployed()
    hold(product, "somebody-elsewhere")
    process = product.start("bill.yaml", "--events=jsonl")
    assert process.stderr
    for line in process.stderr:
        if "waits whether this deploy is still at work: somebody-elsewhere" in line:
            break
    process.send_signal(signal.SIGINT)
    ran = ended(process, 14)
    assert ran.code == 130, ran.said
    assert ran.out == ""
    assert len(product.history()) == 1


def hold(product: Product, who: str) -> None:
    change = {"metadata": {"annotations": {"watchbill.dev/holder": None}}, "spec": {"holderIdentity": who}}
    product.namespace.kubectl(
        "patch", "lease", "watchbill-shop", "--type=merge", f"--patch={json.dumps(change)}"
    )


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
