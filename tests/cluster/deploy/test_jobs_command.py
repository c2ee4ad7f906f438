"""`watchbill jobs`: which there are, one run alone, and those that should be gone."""

import json
import signal
from pathlib import Path

import pytest

from dev.cluster.client import Namespace
from tests.support.products import Product, ended

pytestmark = pytest.mark.cluster


@pytest.fixture
def product(namespace: Namespace, tmp_path: Path) -> Product:
    return Product(namespace, tmp_path / "product")


def test_which_there_are(product: Product) -> None:
    product.job("global", "pre", "look")
    product.job("web", "post", "seed", once=True, until="2.0.0", reason="", requires=["get pods"])
    product.bill("web")
    product.kubeconfig = product.folder / "nowhere"
    listed = product.run(command="jobs list")
    assert listed.code == 0, listed.said
    for text in ("global/look", "stays: a test needs it", "web/seed", "2.0.0", "jobs.py:", "runs once"):
        assert text in listed.out
    found = json.loads(product.run("-o", "json", command="jobs list").out)
    assert [(one["identity"], one["moment"], one["until"], one["once"]) for one in found] == [
        ("global/look", "pre", None, False),
        ("web/seed", "post", "2.0.0", True),
    ]
    assert product.run("--version=1.9.0", command="jobs lint").code == 0
    late = product.run("--version=2.0.0", command="jobs lint")
    assert late.code == 1
    assert "web/seed" in late.out
    assert "jobs.py:" in late.out


def test_one_alone(product: Product) -> None:
    """With its context as in a deploy, recorded if it runs once, and nothing else is touched."""
    product.job(
        "web", "post", "seed", "note(f'{ctx.component} {ctx.is_new} {ctx.installed} {ctx.target}')", once=True
    )
    product.job("web", "pre", "fails", "raise ValueError('no room left') if ctx.dry_run else Skip('enough')")
    product.job("web", "pre", "asks", "raise Manual('cannot grow', 'copy the data')")
    product.bill("web")
    first = product.run("web/seed", command="jobs run")
    assert first.code == 0, first.said
    assert "web/seed: done" in first.out
    assert product.journal[1] == "web True None 1.0.0"
    assert product.releases == {}
    assert product.record["once"]["web/seed"]["status"] == "done"
    second = product.run("seed", command="jobs run")
    assert second.code == 0
    assert "web/seed: skipped: it runs once, and did so with version 1.0.0" in second.out
    dry = product.run("seed", "--rerun", "--dry-run", command="jobs run")
    assert "web/seed: done" in dry.out
    again = product.run("seed", "--rerun", command="jobs run")
    assert "web/seed: done" in again.out
    assert product.journal.count("web/seed begins") == 3

    skipped = product.run("fails", command="jobs run")
    assert (skipped.code, "web/fails: skipped: enough" in skipped.out) == (0, True)
    failed = product.run("fails", "--dry-run", command="jobs run")
    assert failed.code == 1
    assert "ValueError: no room left" in failed.out
    manual = product.run("asks", command="jobs run")
    assert manual.code == 1
    assert "copy the data" in manual.out
    unknown = product.run("sed", command="jobs run")
    assert unknown.code == 2
    assert "did you mean web/seed?" in unknown.err


def test_not_beside_a_deploy_and_not_for_ever(product: Product) -> None:
    product.job("web", "pre", "slow", "await asyncio.sleep(120)", once=True)
    product.job("web", "pre", "quick")
    product.bill("web")
    running = product.start("slow", command="jobs run")
    product.wait_for("web/slow begins")
    for name in ("quick", "slow"):
        beside = product.run(name, command="jobs run")
        assert beside.code == 2
        assert "another deploy of shop is at work" in beside.err
        assert "--rerun" not in beside.err, "it is running, not left behind"
    running.send_signal(signal.SIGINT)
    ran = ended(running, 60)
    assert ran.code == 130, ran.said
    assert "web/slow: cancelled" in ran.out
    unsure = product.run("slow", command="jobs run")
    assert unsure.code == 2
    assert "maybe ran" in unsure.err
