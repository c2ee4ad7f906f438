"""What keeps a deploy from beginning, told so that the person knows what to do."""

import datetime as dt
from typing import Any

import pytest

from watchbill import versions
from watchbill.deploy.bill import Bill, Component
from watchbill.deploy.outlook import Lack, Outlook, Selection
from watchbill.deploy.record import Once, Record
from watchbill.deploy.refusals import of_another_product, refusals
from watchbill.deploy.releases import PRODUCT, Release, Revision
from watchbill.errors import UserError
from watchbill.jobs.declare import Job
from watchbill.jobs.moments import Post, Pre
from watchbill.jobs.places import Place
from watchbill.jobs.registry import Registry
from watchbill.kube.rights import parse

WEB, SHOP, STORE = (
    Component(name, name, "ns", f"charts/{name}", is_local=True) for name in ("web", "shop", "store")
)
BILL = Bill(
    "bill.yaml",
    "/product",
    "shop",
    versions.parse("2.0.0"),
    (),
    "ns",
    prerequisites=(STORE,),
    components=(WEB, SHOP),
)


def declared(identity: str, line: int = 1, **more: Any) -> Job:
    component, _, name = identity.partition("/")
    given: dict[str, Any] = {
        "name": name,
        "component": None if component == "global" else component,
        "moment": Pre,
        "until": None,
        "reason": "a test needs it",
        "timeout": None,
        "grace": None,
        "requires": (),
        "once": False,
        "place": Place("jobs.py", line),
        "summary": "",
        "function": lambda _ctx: None,
        "is_async": True,
    }
    return Job(**(given | more))


def told(jobs: list[Job], outlook: Outlook, settled: list[Job] | None = None) -> list[str]:
    return [str(one) for one in refusals(BILL, Registry(jobs), jobs, outlook, settled or [])]


def test_nothing() -> None:
    assert told([declared("web/grow")], Outlook(Record("shop"), {})) == []


@pytest.mark.parametrize(
    ("until", "is_gone"), [("1.9.0", True), ("2.0.0", True), ("2.0.1", False), ("10.0.0", False)]
)
def test_jobs_that_should_be_gone(until: str, is_gone: bool) -> None:
    found = told([declared("web/grow", 7, until=versions.parse(until))], Outlook(Record("shop"), {}))
    expected = (
        f"jobs.py:7: web/grow should be gone since {until}\n"
        "  remove it; or, if it is still needed, say until when"
    )
    assert found == ([expected] if is_gone else [])


@pytest.mark.parametrize(("until", "is_gone"), [("2.0.0", True), ("2.0.0-rc.1", True), ("2.0.1", False)])
def test_a_release_candidate_is_refused_as_its_release_will_be(until: str, is_gone: bool) -> None:
    registry = Registry([declared("web/grow", 7, until=versions.parse(until))])
    assert bool(registry.outdated(versions.parse("2.0.0-rc.1"))) is is_gone


def test_rights_that_are_missing() -> None:
    grow = declared("web/grow", 7)
    lacks = (Lack(grow, parse("patch persistentvolumeclaims"), "ns"), Lack(grow, parse("list nodes"), "ns"))
    [found] = told([grow], Outlook(Record("shop"), {}, lacks))
    assert "jobs.py:7: job web/grow must patch persistentvolumeclaims, in namespace ns" in found
    assert "jobs.py:7: job web/grow must list nodes" in found


@pytest.mark.parametrize(
    ("status", "once", "settled", "is_refused"),
    [
        ("started", True, False, True),
        ("started", True, True, False),
        ("started", False, False, False),  # it was declared so once, and is not any more
        ("done", True, False, False),
    ],
)
def test_a_job_that_maybe_ran(status: Any, once: bool, settled: bool, is_refused: bool) -> None:
    seed = declared("web/seed", 9, once=once)
    at = dt.datetime(2026, 1, 2, tzinfo=dt.UTC).isoformat()
    record = Record("shop", once={"web/seed": Once(status, "abc", "1.0.0", at)})
    found = told([seed], Outlook(record, {}), [seed] if settled else [])
    assert bool(found) == is_refused
    if is_refused:
        assert found[0].startswith("job web/seed maybe ran")
        assert "jobs.py:9" in found[0]
        assert "--rerun web/seed" in found[0]
        assert "--done web/seed" in found[0]


def test_all_at_once() -> None:
    seed = declared("web/seed", once=True, until=versions.parse("1.0.0"))
    record = Record("shop", once={"web/seed": Once("started", "abc", "1.0.0", "then")})
    assert len(told([seed], Outlook(record, {}, (Lack(seed, parse("get pods"), "ns"),)))) == 3


JOBS = [
    declared("global/first"),
    declared("global/last", moment=Post),
    declared("shop/after", moment=Post),
    declared("web/before"),
    declared("store/before"),
]


@pytest.mark.parametrize(
    ("only", "components", "jobs"),
    [
        (
            (),
            ["store", "web", "shop"],
            ["global/first", "store/before", "web/before", "shop/after", "global/last"],
        ),
        (("shop",), ["shop"], ["global/first", "shop/after", "global/last"]),
        (("web", "store"), ["store", "web"], ["global/first", "store/before", "web/before", "global/last"]),
    ],
)
def test_what_is_deployed_and_the_jobs_around_it(
    only: tuple[str, ...], components: list[str], jobs: list[str]
) -> None:
    chosen = Selection.of(BILL, Registry(JOBS), only)
    assert [one.name for one in chosen.everything] == components
    assert [one.identity for one in chosen.jobs] == jobs


def test_a_component_that_is_not_there() -> None:
    with pytest.raises(UserError, match=r"bill.yaml has no component 'shp'") as raised:
        Selection.of(BILL, Registry(JOBS), ["shp"])
    assert raised.value.then == "did you mean 'shop'?"


@pytest.mark.parametrize(("owner", "is_refused"), [("shop", False), ("", False), ("bank", True)])
def test_the_release_of_another_product_is_refused(owner: str, is_refused: bool) -> None:
    labels = {PRODUCT: owner} if owner else {}
    release = Release("web", "front", (Revision(1, "deployed", labels, "stored"),))
    found = of_another_product("shop", [release])
    assert (found is not None) is is_refused
    if found:
        assert "release front/web belongs to product bank" in str(found)
        assert f"--selector owner=helm,name=web {PRODUCT}-" in str(found)
