"""Killed with -9 at any moment, and run again: the cluster ends as if nothing had happened, and no job ran twice unsaid that runs once."""

import contextlib
import random
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dev.cluster.client import Namespace, Object
from tests.support.products import CONFIG, HELM_3, HELM_4, MIGRATION, WEB, Product, Ran

pytestmark = [pytest.mark.cluster, pytest.mark.long]

POINTS = 10  # of first installs, and as many of upgrades
SEED = 20
NAMES = ("store", "web", "shop", "mail")


def write(product: Product, at: int) -> None:
    """The version 1.AT.0 of four components: a prerequisite, one with a slow migration, one with a workload. Of the jobs around
    them one runs once, in each version another."""
    product.no_jobs()
    product.job("global", "pre", "look", "await asyncio.sleep(0.05)")
    product.job("web", "pre", "check", "await asyncio.sleep(0.05)")
    product.job("web", "post", once(at), "await asyncio.sleep(0.3)", once=True)
    product.job("global", "post", "say", "await asyncio.sleep(0.05)")
    templates = {"web": (CONFIG, MIGRATION), "shop": (CONFIG, WEB)}
    for name in NAMES:
        product.chart(name, *templates.get(name, (CONFIG,)), version=f"1.{at}.0")
    before = {"upgradesFrom": f"1.{at - 1}.0"} if at else {}
    product.bill("web", "shop", "mail", version=f"1.{at}.0", prerequisites=["store"], grace="5s", **before)


def once(at: int) -> str:
    return f"seed-{at}"


class Person:
    """Runs it again after a kill, as somebody does who reads what is said."""

    def __init__(self, product: Product, helm: str) -> None:
        self.product = product
        self.helm = helm
        self.said_again: list[str] = []  # jobs that may run a second time, since it was said

    def finish(self) -> Ran:
        asked: list[str] = []
        while True:
            ran = self.product.run("bill.yaml", *asked, helm=self.helm)
            found = re.findall(r"--heal=uninstall|--rerun \S+", ran.err)
            wanted = {option.replace(" ", "=") for option in found} - set(asked)
            if ran.code != 2 or not wanted:
                return ran
            self.said_again += [option.split("/")[-1] for option in wanted if "--rerun" in option]
            asked += wanted


def kill_after(process: "subprocess.Popen[str]", seconds: float) -> None:
    """Only the command itself: what it started must end by itself."""
    time.sleep(seconds)
    process.kill()
    process.communicate()


@pytest.fixture
def namespaces(namespace: Namespace) -> Iterator[Callable[[int], Namespace]]:
    """More of them, by number."""
    made = []

    def make(at: int) -> Namespace:
        made.append(replace(namespace, name=f"{namespace.name}-{at}"))
        namespace.cluster.kubectl("create", "namespace", made[-1].name)
        return made[-1]

    yield make
    namespace.cluster.kubectl("delete", "namespace", "--wait=false", *(one.name for one in made))


def test_first_installs(namespaces: Callable[[int], Namespace], tmp_path: Path) -> None:
    took = 0.0
    moments = random.Random(SEED)
    for at in range(POINTS + 1):
        product = Product(namespaces(at), tmp_path / f"product-{at}")
        product.fates(web_migrate="late:1")
        write(product, 0)
        if not took:
            took = measured(product, HELM_4)
        else:
            kill_and_finish(product, 0, took * (at - 1 + moments.random()) / POINTS, HELM_4)


def test_upgrades(namespace: Namespace, tmp_path: Path) -> None:
    """From version to version, each of them killed."""
    product = Product(namespace, tmp_path / "product")
    product.fates(web_migrate="late:1")
    write(product, 0)
    took = measured(product, HELM_3)
    moments = random.Random(SEED + 1)
    for at in range(1, POINTS + 1):
        write(product, at)
        kill_and_finish(product, at, took * (at - 1 + moments.random()) / POINTS, HELM_3)
    ends = [one["status"] for one in product.history()]
    assert len(ends) == 10, "no more are kept"
    assert set(ends) == {"killed", "done"}, "the kills came while it was at work"


def test_in_the_middle_of_what_runs_once(namespace: Namespace, tmp_path: Path) -> None:
    """No point by chance hits it for sure: nobody knows how far it came, so a person must say that it shall run again."""
    product = Product(namespace, tmp_path / "product")
    write(product, 0)
    process = product.start("bill.yaml")
    product.wait_for(f"web/{once(0)} begins")
    process.kill()
    process.communicate()
    assert f"web/{once(0)} ends" not in product.journal, "it was killed in time"
    refused = product.run("bill.yaml")
    assert refused.code == 2, refused.said
    assert f"job web/{once(0)} maybe ran" in refused.err
    assert product.journal.count(f"web/{once(0)} begins") == 1
    person = Person(product, HELM_4)
    assert person.finish().code == 0
    assert person.said_again == [once(0)]
    assert product.journal.count(f"web/{once(0)} begins") == 2
    assert as_it_is(product) == as_it_should_be("1.0.0")


def measured(product: Product, helm: str) -> float:
    began = time.monotonic()
    product.deployed(helm=helm)
    return time.monotonic() - began


def kill_and_finish(product: Product, at: int, moment: float, helm: str) -> None:
    kill_after(product.start("bill.yaml", helm=helm), moment)
    person = Person(product, helm)
    ran = person.finish()
    point = f"killed after {moment:.2f} s"
    assert ran.code == 0, f"{point}: {ran.said}"
    runs = product.journal.count(f"web/{once(at)} begins")
    assert 1 <= runs <= 1 + person.said_again.count(once(at)), f"{point}: it ran {runs} times"
    assert as_it_is(product) == as_it_should_be(f"1.{at}.0"), point
    assert helms(product) == [], point


def as_it_is(product: Product) -> Object:
    record, lease = product.record, product.namespace.find("lease", f"watchbill-{product.name}")
    [shop], [migration] = product.namespace.list("deployment"), product.namespace.list("job")
    return {
        "releases": product.releases,
        "charts": product.charts(),
        "installed": record["installed"],
        "left over": [record.get(key) for key in ("target", "done", "working") if record.get(key)],
        "not known to be done": [job for job, known in record["once"].items() if known["status"] != "done"],
        "ready": shop["status"].get("readyReplicas"),
        "migrated": migration["status"].get("succeeded"),
        "holder": lease and lease["spec"].get("holderIdentity"),
    }


def as_it_should_be(version: str) -> Object:
    return {
        "releases": dict.fromkeys(NAMES, "deployed"),
        "charts": dict.fromkeys(NAMES, version),
        "installed": version,
        "left over": [],
        "not known to be done": [],
        "ready": 1,
        "migrated": 1,
        "holder": "",
    }


def helms(product: Product) -> list[str]:
    """Helm processes that are at work in the namespace."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if "upgrade" in words and product.namespace.name in " ".join(words).split():
                found.append(" ".join(words))
    return found
