"""From version to version: what is allowed, what is refused and how that is said, and the walk over several."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dev.cluster.client import Namespace
from tests.support.products import CONFIG, FAILING, Product

pytestmark = pytest.mark.cluster

FIRST, SECOND, THIRD = VERSIONS = ("1.0.0", "1.1.0", "1.2.0")
Version = Callable[[str], Product]


@pytest.fixture
def bills(namespace: Namespace, tmp_path: Path) -> Version:
    """A folder for each version, each from the one before."""

    def version(wanted: str, *, broken: str = "") -> Product:
        product = Product(namespace, tmp_path / "bills" / wanted)
        product.job("web", "pre", "before", "note(f'{ctx.installed} to {ctx.target}')")
        for name in ("web", "shop"):
            product.chart(name, CONFIG, *([FAILING] if broken == name else []), version=wanted)
        at = VERSIONS.index(wanted)
        before = {"upgradesFrom": VERSIONS[at - 1]} if at else {}
        product.bill("web", "shop", version=wanted, **before)
        return product

    for each in VERSIONS:
        version(each)
    return version


def mend(product: Product, name: str) -> None:
    (product.folder / "charts" / name / "templates" / "1.yaml").unlink()


def test_one_step_at_a_time(bills: Version) -> None:
    first, second, third = map(bills, VERSIONS)
    assert "from nothing" in first.deployed().err
    assert f"{FIRST}, again" in first.deployed().err

    skipped = third.deploy()
    assert skipped.code == 2
    assert f"shop cannot go from {FIRST} to {THIRD}" in skipped.err
    assert f"{FIRST} → {SECOND} → {THIRD} is the way" in skipped.err
    assert third.charts() == {"web": FIRST, "shop": FIRST}

    assert f"{FIRST} → {SECOND}" in second.deployed().err
    assert second.charts() == {"web": SECOND, "shop": SECOND}
    older = first.deploy()
    assert older.code == 2
    assert f"shop cannot go back to {FIRST}: {SECOND} is installed" in older.err
    assert second.record["installed"] == SECOND


def test_after_a_part_only_the_same_or_back(bills: Callable[..., Product]) -> None:
    first, third = bills(FIRST), bills(THIRD)
    first.deployed()
    second = bills(SECOND, broken="shop")
    assert second.deploy().code == 1
    assert second.record["installed"] == FIRST
    assert second.record["target"] == SECOND
    assert second.record["done"] == ["web"]

    further = third.deploy()
    assert further.code == 2
    assert f"the deploy of {SECOND} is not complete" in further.err
    assert "1 of its components done: web" in further.err
    unasked = first.deploy()
    assert unasked.code == 2
    assert "--back" in unasked.err

    back = first.deployed("--back")
    assert f"warning: shop {SECOND} is there in part" in back.err
    assert first.charts() == {"web": FIRST, "shop": FIRST}
    assert (first.record["installed"], first.record.get("target", "")) == (FIRST, "")

    assert second.deploy().code == 1
    mend(second, "shop")
    resumed = second.deployed()
    assert "which was begun before" in resumed.err
    assert second.charts() == {"web": SECOND, "shop": SECOND}
    assert second.record["installed"] == SECOND
    assert second.journal == [
        line for _ in range(3) for line in ("web/before begins", f"{FIRST} to {SECOND}", "web/before ends")
    ]


def test_a_part_that_is_deployed_anew_and_fails_is_not_done(bills: Callable[..., Product]) -> None:
    """Else a deploy of the rest alone would call the version complete."""
    bills(FIRST).deployed()
    second = bills(SECOND, broken="shop")
    assert second.deploy().code == 1
    mend(second, "shop")
    second.chart("web", CONFIG, FAILING, version=SECOND)
    assert second.deploy().code == 1
    second.deployed("--only=shop")
    assert second.record["installed"] == FIRST
    mend(second, "web")
    second.deployed("--only=web")
    assert second.record["installed"] == SECOND


def test_through_all_of_them(bills: Callable[..., Product], tmp_path: Path) -> None:
    bills(FIRST).deployed()
    third = bills(THIRD)
    plan = third.run("--through", str(tmp_path / "bills"), "--plan")
    assert plan.code == 0, plan.said
    assert f"{FIRST} → {SECOND}" in plan.out
    assert f"{SECOND} → {THIRD}" in plan.out

    second = bills(SECOND, broken="shop")
    stopped = third.run("--through", str(tmp_path / "bills"))
    assert stopped.code == 1, stopped.said
    assert third.charts()["web"] == SECOND
    assert third.journal == [], "it ends at the first failure"
    mend(second, "shop")
    ran = third.run("--through", str(tmp_path / "bills"))
    assert ran.code == 0, ran.said
    assert third.charts() == {"web": THIRD, "shop": THIRD}
    assert third.journal == ["web/before begins", f"{SECOND} to {THIRD}", "web/before ends"]
    assert [(one["from_version"], one["version"]) for one in third.history()[:2]] == [
        (SECOND, THIRD),
        (FIRST, SECOND),
    ]


def test_a_later_version_that_is_refused_anyway_keeps_the_first_from_beginning(bills: Version) -> None:
    last = bills(THIRD)
    last.job("web", "pre", "old", until=SECOND)
    last.bill("web", "shop", version=THIRD, upgradesFrom=SECOND)
    ran = last.run("--through", "..")
    assert ran.code == 2
    assert f"web/old should be gone since {SECOND}" in ran.err
    assert last.record == {}
    last.no_jobs()
    last.chart("shop", "a: {{ .Values.x")
    last.bill("web", "shop", version=THIRD, upgradesFrom=SECOND)
    ran = last.run("--through", "..")
    assert (ran.code, "a chart cannot be rendered" in ran.err, last.record) == (2, True, {})
