"""What a bill means."""

import gzip
import os
import time
from pathlib import Path

import pytest

from tests.support.trees import chart, write
from watchbill import versions
from watchbill.charts.engine import Engine
from watchbill.deploy.bill import Component
from watchbill.deploy.reading import read, require_environment
from watchbill.errors import UserError

MINIMAL = "product: shop\nversion: 2.0.0\ndefaultNamespace: shop\ncomponents: [{name: web, chart: web}]\n"
EVERYTHING = """\
product: shop
version: v2.6.0
defaultNamespace: shop
upgradesFrom: [2.5.0, v2.5.1, 2.5.0]
workers: 8
timeout: 1h30m
grace: 0s
crds: [crds, more/one.yaml]
jobs: [jobs/*.py, jobs, os.path]
prerequisites:
  - name: certificates
    chart: ./charts/certificates
    namespace: certificates
components:
  - name: web
    chart: charts/web
    release: shop-web
    values: [values/web.yaml, https://example.org/shared.yaml]
    set: [replicas=3]
    setString: [account=0042]
    timeout: 90s
    waitForJobs: true
    atomic: true
    cleanupOnFail: true
    historyMax: 0
    skipCrds: true
  - name: cache
    chart: bitnami/redis
    version: 19.0.0
    wait: false
profiles:
  small:
    values: [values/small.yaml]
    set: [replicas=1]
    components:
      web:
        values: [values/web-small.yaml]
        set: [replicas=2, image.tag=edge]
        setString: [account=0]
      certificates:
        set: [selfSigned=true]
  empty:
"""
FILES = {
    "bill.yaml": EVERYTHING,
    "crds/one.yaml": "",
    "more/one.yaml": "",
    "jobs/grow.py": "",
    "charts/certificates/Chart.yaml": "name: certificates\n",
    "charts/web/Chart.yaml": "name: web\n",
    "values/web.yaml": "",
    "values/small.yaml": "",
    "values/web-small.yaml": "",
}
SMALL = "product: shop\nversion: 1.0.0\ndefaultNamespace: shop\ncomponents: [{{name: web, {0}}}]\n"


@pytest.fixture
def shop(here: Path) -> Path:
    return write(here, FILES)


def only(engine: Engine, here: Path, component: str) -> Component:
    write(here, {"bill.yaml": SMALL.format(component)})
    [found] = read(engine, "bill.yaml").components
    return found


def test_everything_that_can_be_said(engine: Engine, shop: Path) -> None:
    bill = read(engine, "bill.yaml")
    root = str(shop)
    assert (bill.file, bill.folder, bill.product, str(bill.version)) == ("bill.yaml", root, "shop", "2.6.0")
    assert [str(version) for version in bill.upgrades_from] == ["2.5.0", "2.5.1"]
    assert (bill.workers, bill.timeout, bill.grace) == (8, 5400, 0)
    assert bill.crds == (f"{root}/crds", f"{root}/more/one.yaml")
    assert bill.jobs == ("jobs/*.py", "jobs", "os.path")
    assert bill.names == ("certificates", "web", "cache")
    assert bill.prerequisites == (
        Component(
            name="certificates",
            release="certificates",
            namespace="certificates",
            chart=f"{root}/charts/certificates",
            is_local=True,
            is_prerequisite=True,
            line=11,
        ),
    )
    web, cache = bill.components
    assert web == Component(
        name="web",
        release="shop-web",
        namespace="shop",
        chart=f"{root}/charts/web",
        is_local=True,
        values=(f"{root}/values/web.yaml", "https://example.org/shared.yaml"),
        set=("replicas=3",),
        set_string=("account=0042",),
        timeout=90,
        wait_for_jobs=True,
        atomic=True,
        cleanup_on_fail=True,
        history_max=0,
        skip_crds=True,
        line=15,
    )
    assert (cache.chart, cache.is_local, cache.chart_version, cache.wait) == (
        "bitnami/redis",
        False,
        "19.0.0",
        False,
    )


def test_what_is_not_said(engine: Engine, shop: Path) -> None:
    component = only(engine, shop, "chart: charts/web")
    assert (component.timeout, component.wait, component.history_max) == (300, True, 10)
    assert {component.atomic, component.wait_for_jobs, component.cleanup_on_fail, component.skip_crds} == {
        False
    }
    bill = read(engine, "bill.yaml")
    assert (bill.workers, bill.timeout, bill.grace, bill.upgrades_from) == (4, None, 30, ())


def test_a_profile_lies_on_top_first_for_all_then_for_one(engine: Engine, shop: Path) -> None:
    bill = read(engine, "bill.yaml", "small")
    [certificates], (web, cache) = bill.prerequisites, bill.components
    names = [Path(file).name for file in web.values]
    assert names == ["web.yaml", "shared.yaml", "small.yaml", "web-small.yaml"]
    assert web.set == ("replicas=3", "replicas=1", "replicas=2", "image.tag=edge")
    assert web.set_string == ("account=0042", "account=0")
    assert (cache.values, cache.set) == ((f"{shop}/values/small.yaml",), ("replicas=1",))
    assert certificates.set == ("replicas=1", "selfSigned=true"), "prerequisites have profiles, too"
    assert bill.profile == "small"


def test_an_environment_lies_on_top_of_the_profile(engine: Engine, here: Path) -> None:
    chart(here / "web")
    overlay = "{set: [of=%s], setString: [text=%s], components: {web: {set: [web=%s]}}}"
    write(
        here,
        {
            "bill.yaml": MINIMAL.replace("chart: web", "chart: web, set: [of=component]")
            + f"profiles: {{small: {overlay % (('profile',) * 3)}}}\n"
            f"environments: {{staging: {overlay % (('staging',) * 3)}, production: null}}\n"
        },
    )
    [web] = read(engine, "bill.yaml", "small", "staging").components
    assert web.set == ("of=component", "of=profile", "web=profile", "of=staging", "web=staging")
    assert web.set_string == ("text=profile", "text=staging")
    bill = read(engine, "bill.yaml", environment="production")
    assert (bill.environment, bill.environments) == ("production", ("production", "staging"))
    assert bill.components[0].set == ("of=component",)


@pytest.mark.parametrize(
    ("chosen", "context", "refused"),
    [
        ("", "", "has environments, and none is chosen\n  choose one: --environment production or staging"),
        ("staging", "anywhere", ""),
        ("production", "eu", ""),
        ("production", "us", "environment production is deployed to context eu, and this is us"),
    ],
)
def test_an_environment_is_chosen_and_has_its_cluster(
    engine: Engine, here: Path, chosen: str, context: str, refused: str
) -> None:
    chart(here / "web")
    environments = "environments: {staging: {}, production: {context: eu}}\n"
    write(here, {"bill.yaml": f"{MINIMAL}{environments}"})
    bill = read(engine, "bill.yaml", environment=chosen)
    if not refused:
        require_environment(bill, context)
        return
    with pytest.raises(UserError) as caught:
        require_environment(bill, context)
    assert refused in str(caught.value)


@pytest.mark.usefixtures("shop")
def test_a_profile_may_say_nothing(engine: Engine) -> None:
    bill, plain = read(engine, "bill.yaml", "empty"), read(engine, "bill.yaml")
    assert bill.components == plain.components


def test_paths_are_from_the_folder_of_the_bill(
    engine: Engine, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "elsewhere").mkdir()
    monkeypatch.chdir(shop / "elsewhere")
    bill = read(engine, "../bill.yaml")
    assert (bill.file, bill.folder) == ("../bill.yaml", str(shop))
    assert bill.components[0].values[0] == f"{shop}/values/web.yaml"


@pytest.mark.parametrize("written", ["2.5.0", "[2.5.0]", '"v2.5.0"'])
def test_one_version_needs_no_list(engine: Engine, shop: Path, written: str) -> None:
    write(shop, {"bill.yaml": EVERYTHING.replace("[2.5.0, v2.5.1, 2.5.0]", written)})
    assert read(engine, "bill.yaml").upgrades_from == (versions.parse("2.5.0"),)


@pytest.mark.parametrize("written", ["", "[]"])
def test_a_first_version_upgrades_from_none(engine: Engine, shop: Path, written: str) -> None:
    write(shop, {"bill.yaml": EVERYTHING.replace("[2.5.0, v2.5.1, 2.5.0]", written)})
    assert read(engine, "bill.yaml").upgrades_from == ()


@pytest.mark.parametrize(
    ("written", "version"),
    [
        ("chart: oci://registry.example.org/charts/web, version: 1.0.0", "1.0.0"),
        ('chart: "oci://registry.example.org:5000/charts/web:1.0.0"', ""),
        ('chart: "oci://registry.example.org/web@sha256:0123"', ""),
        ("chart: https://example.org/web-1.0.0.tgz", ""),
        ("chart: s3://bucket/web-1.0.0.tgz", ""),
        ('chart: bitnami/redis, version: ">=19"', ">=19"),
    ],
)
def test_charts_from_afar_are_left_to_helm(engine: Engine, here: Path, written: str, version: str) -> None:
    component = only(engine, here, written)
    assert not component.is_local
    assert component.chart == written.removeprefix("chart: ").partition(", ")[0].strip('"')
    assert component.chart_version == version


@pytest.mark.parametrize("written", ["web", "./web", "deep/../web", "web-1.0.0.tgz"])
def test_charts_on_this_disk(engine: Engine, here: Path, written: str) -> None:
    chart(here / "web")
    (here / "web-1.0.0.tgz").write_bytes(gzip.compress(b""))
    component = only(engine, here, f"chart: {written}")
    assert component.is_local
    assert component.chart == str(here / os.path.normpath(written))


def test_an_absolute_path_stays_one(engine: Engine, here: Path) -> None:
    chart(here / "web")
    assert only(engine, here, f"chart: {here}/web").chart == str(here / "web")


def test_releases_of_one_name_may_live_in_two_namespaces(engine: Engine, here: Path) -> None:
    chart(here / "web")
    write(
        here, {"bill.yaml": SMALL.format("chart: web}, {name: api, release: web, namespace: api, chart: web")}
    )
    assert [one.release for one in read(engine, "bill.yaml").components] == ["web", "web"]


def many(here: Path, count: int) -> None:
    text = "product: many\nversion: 1.0.0\ndefaultNamespace: many\ncomponents:\n"
    for number in range(count):
        chart(here / f"charts/c{number}")
        text += f"  - name: c{number}\n    chart: charts/c{number}\n    values: [values.yaml]\n    set: [n={number}]\n"
    write(here, {"values.yaml": "a: 1\n", "bill.yaml": text})


def test_two_hundred_components(engine: Engine, here: Path) -> None:
    many(here, 200)
    read(engine, "bill.yaml")  # the engine is up
    began = time.process_time()
    bill = read(engine, "bill.yaml")
    assert time.process_time() - began < 1
    assert len(bill.components) == 200
    assert [one.line for one in bill.components[:3]] == [5, 9, 13]
    assert bill.components[199].set == ("n=199",)
