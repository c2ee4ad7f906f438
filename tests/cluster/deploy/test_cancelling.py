"""A deploy that is told to stop: every job and helm hear of it, and what was in flight is recorded as cancelled."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from dev.cluster.client import Namespace, eventually
from tests.support.products import CONFIG, HELM_3, HELM_4, MIGRATION, Product, ended

pytestmark = pytest.mark.cluster

WAITS = "await asyncio.sleep(120)"
CLEANS_UP = """
try:
    await asyncio.sleep(120)
finally:
    note('web/before cleans up')
"""
# It looks at nothing but its own work.
DEAF = "time.sleep(120)"


@pytest.fixture
def product(namespace: Namespace, tmp_path: Path) -> Product:
    product = Product(namespace, tmp_path / "product")
    product.fates(shop_migrate="hang")
    product.chart("shop", CONFIG, MIGRATION)
    return product


def begun(product: Product, *arguments: str, helm: str = HELM_4) -> "subprocess.Popen[str]":
    """A deploy in the middle of it: a job runs, and helm waits for a hook."""
    process = product.start("bill.yaml", *arguments, "--events=jsonl", helm=helm)
    product.wait_for("web/before begins")
    assert eventually(lambda: product.namespace.find("job", "shop-migrate"), 60)
    return process


@pytest.mark.parametrize(
    ("way", "helm", "code"),
    [(signal.SIGINT, HELM_4, 130), (signal.SIGTERM, HELM_3, 1), ("--timeout=12s", HELM_4, 1)],
    ids=["Ctrl-C", "SIGTERM", "--timeout"],
)
def test_everything_hears_of_it(way: "signal.Signals | str", helm: str, code: int, product: Product) -> None:
    product.job("web", "pre", "before", CLEANS_UP)
    product.job("global", "post", "last")
    product.bill("web", "shop", "third", workers=2)
    process = begun(product, *([way] if isinstance(way, str) else []), helm=helm)
    if isinstance(way, signal.Signals):
        process.send_signal(way)
    ran = ended(process, 60)
    assert ran.code == code, ran.said
    assert product.journal == ["web/before begins", "web/before cleans up"]
    assert product.releases == {"shop": "failed"}, "not pending: helm marked it"
    how = "timed-out" if isinstance(way, str) else "cancelled"
    assert {name: ran.ended[name] for name in ("web before", "web", "shop", "third", "deploy")} == {
        "web before": "cancelled",
        "web": "cancelled",
        "shop": "cancelled",
        "third": "not-started",
        "deploy": how,
    }
    shown = product.shown()
    assert shown["status"] == how
    assert {one["name"]: one["status"] for one in shown["components"]} == {
        "web": "cancelled",
        "shop": "cancelled",
        "third": "not-started",
    }
    assert [(one["identity"], one["status"]) for one in shown["jobs"]] == [("web/before", "cancelled")]
    # Nobody has to wait, and nothing has to be healed.
    product.no_jobs()
    product.fates(shop_migrate="succeed")
    product.bill("web", "shop", "third")
    product.deployed(helm=helm)
    assert product.record["installed"] == "1.0.0"


@pytest.mark.parametrize("job", ["a deaf one", "one that cleans up for long"])
def test_a_second_signal_quits_by_force(job: str, product: Product) -> None:
    if job == "a deaf one":
        product.job("web", "pre", "before", DEAF, sync=True)
    else:
        product.job("web", "pre", "before", f"try:\n    {WAITS}\nfinally:\n    {WAITS}")
    product.bill("web", "shop")
    process = begun(product)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None, "the job has its grace"
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    ran = ended(process, 60)
    took = time.monotonic() - began
    assert ran.code == 130
    assert took < 2 * busy(), f"{took:.1f} s"
    shown = product.shown()
    assert shown["status"] == "cancelled"
    assert {one["name"]: one["status"] for one in shown["components"]} == {
        "web": "cancelled",
        "shop": "cancelled",
    }
    assert [(one["identity"], one["status"]) for one in shown["jobs"]] == [("web/before", "cancelled")]
    # Helm was killed if it had not ended: what it left is ours, and healed.
    product.no_jobs()
    product.fates(shop_migrate="succeed")
    product.bill("web", "shop")
    product.deployed("--heal=uninstall")


def busy() -> float:
    """How much slower than alone everything is just now."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def test_a_job_that_does_not_stop_is_named(product: Product) -> None:
    product.job("web", "pre", "before", DEAF, sync=True, grace="1s")
    product.bill("web", "shop")
    process = begun(product)
    process.send_signal(signal.SIGTERM)
    ran = ended(process, 60)
    assert ran.code == 1
    assert ran.ended["web before"] == "abandoned"
    assert any(event["event"] == "ProcessForceQuitFailure" for event in ran.events)
    assert "abandoned" in ran.err
    assert "web/before" in ran.err
    assert [(one["identity"], one["status"]) for one in product.shown()["jobs"]] == [
        ("web/before", "abandoned")
    ]


def test_once_and_cancelled_means_maybe(product: Product) -> None:
    """Nobody knows how far it came: it is not run again before somebody says so."""
    product.job(
        "web", "pre", "before", "if not (HERE / 'go').exists():\n    await asyncio.sleep(120)", once=True
    )
    product.fates(shop_migrate="hang")
    product.bill("web", "shop")
    process = begun(product)
    process.send_signal(signal.SIGINT)
    assert ended(process, 60).code == 130
    product.fates(shop_migrate="succeed")
    (product.folder / "go").touch()
    again = product.deploy()
    assert again.code == 2
    assert "job web/before maybe ran" in again.err
    assert "jobs.py:" in again.err
    plan = product.run("bill.yaml", "--plan")
    assert plan.code == 1
    assert "maybe ran" in plan.out
    product.deployed("--rerun=web/before")
    assert product.journal == ["web/before begins", "web/before begins", "web/before ends"]
    last = product.deployed()
    assert last.ended["web before"] == "skipped"
    assert len(product.journal) == 3


def test_healing_is_cancelled_too(product: Product) -> None:
    """A rollback that takes long: helm knows no way to cancel it, and it is ours to heal the next time as well."""
    product.fates(shop_migrate="succeed")
    product.bill("shop")
    product.deployed()
    rolls_back = MIGRATION.replace("pre-install,pre-upgrade", "pre-install,pre-upgrade,pre-rollback")
    product.chart("shop", CONFIG, rolls_back, version="1.1.0")
    product.bill("shop", version="1.1.0", upgradesFrom="1.0.0", grace="1s")
    product.deployed()
    product.chart("shop", CONFIG, rolls_back, version="1.2.0")
    product.bill("shop", version="1.2.0", upgradesFrom="1.1.0", grace="1s")
    product.fates(shop_migrate="hang")
    helm_dies(product)
    assert product.releases == {"shop": "pending-upgrade"}
    process = product.start("bill.yaml")
    assert eventually(lambda: product.releases["shop"] == "pending-rollback", 60)
    process.send_signal(signal.SIGINT)
    ran = ended(process, 60)
    assert ran.code == 130, ran.said
    assert "cancelled" in ran.out
    product.fates(shop_migrate="succeed")
    product.deployed()
    assert product.releases == {"shop": "deployed"}
    assert product.charts() == {"shop": "1.2.0"}


def helm_dies(product: Product) -> None:
    """Not of us: as of a lack of memory. It cannot say anything in its release then."""
    process = product.start("bill.yaml", "--events=jsonl")
    assert eventually(lambda: product.releases["shop"] == "pending-upgrade", 60)
    for helm in helms_of(process.pid):
        os.kill(helm, signal.SIGKILL)
    ran = ended(process, 60)
    assert ran.code == 1, ran.said
    assert ran.ended["shop chart"] == "failed"


def helms_of(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children if b"upgrade" in Path(f"/proc/{child}/cmdline").read_bytes()]
