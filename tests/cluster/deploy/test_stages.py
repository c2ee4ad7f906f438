"""The rules of the stages, with real releases: what comes when, what a failure stops, and what goes on beside it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dev.cluster.client import Namespace
from tests.support.products import CONFIG, FAILING, HELM_3, HELM_4, MIGRATION, Product, in_order

pytestmark = pytest.mark.cluster

FAILS = "raise ValueError('no room left')"
ABORTS = "raise Abort('the licence is over')"


@pytest.fixture
def product(namespace: Namespace, tmp_path: Path) -> Product:
    return Product(namespace, tmp_path / "product")


@pytest.mark.parametrize("helm", [HELM_4, HELM_3])
def test_everything_in_its_order(helm: str, product: Product) -> None:
    """Global pre, prerequisites one after the other, components, global post; jobs of a stage together, and it ends with
    the last of them."""
    for moment in ("pre", "post"):
        for name in (f"first-{moment}", f"second-{moment}"):
            # Each needs the other to have begun: alone, it would wait for ever.
            other = f"{'second' if 'first' in name else 'first'}-{moment}"
            product.job(
                "global",
                moment,
                name,
                f"""
                while 'global/{other} begins' not in (HERE / 'journal').read_text():
                    await asyncio.sleep(0.01)
                """,
                timeout="30s",
            )
        for component in ("store", "queue", "web", "shop"):
            product.job(component, moment, f"{component}-{moment}", "await asyncio.sleep(0.1)")
    product.bill("web", "shop", prerequisites=["store", "queue"])
    ran = product.deployed(helm=helm)

    lines = product.journal
    stages = [[line for line in lines if line.split()[0].endswith(moment)] for moment in ("pre", "post")]
    assert set(stages[0][:4]) == {
        f"global/{at}-pre {what}" for at in ("first", "second") for what in ("begins", "ends")
    }
    assert lines[:4] == stages[0][:4], "global jobs come before all others"
    assert lines[-4:] == stages[1][-4:], "and after all others"
    around = ["store/store-pre", "store/store-post", "queue/queue-pre", "queue/queue-post"]
    assert lines[4:12] == [f"{name} {what}" for name in around for what in ("begins", "ends")]
    for component in ("web", "shop"):
        assert in_order(
            lines,
            "queue/queue-post ends",
            f"{component}/{component}-pre ends",
            f"{component}/{component}-post begins",
        )
    assert product.releases == dict.fromkeys(("store", "queue", "web", "shop"), "deployed")
    stages_told = [
        event["stage"] for event in ran.events if event["event"] == "ProcessStart" and "stage" in event
    ]
    assert stages_told == ["global-pre", "prerequisites", "components", "global-post"]
    assert product.record["installed"] == "1.0.0"


def test_a_chart_lies_between_its_jobs(product: Product) -> None:
    look = """
        found = [one.metadata.name async for one in ctx.kube.list(ConfigMap, namespace=ctx.namespace)]
        note(f"{ctx.component} {ctx.is_new} {ctx.installed} {ctx.target} {'web-config' in found}")
    """
    for moment in ("pre", "post"):
        product.job("web", moment, moment, look)
    product.bill("web")
    product.deployed()
    assert product.journal[1::3] == ["web True None 1.0.0 False", "web True None 1.0.0 True"]
    product.forget()
    product.bill("web", version="1.1.0", upgradesFrom="1.0.0")
    product.deployed()
    assert product.journal[1::3] == ["web False 1.0.0 1.1.0 True"] * 2


def test_what_never_worked_is_still_new(product: Product) -> None:
    """A first install that failed leaves a release: helm upgrades it, but for jobs there is nothing yet."""
    product.job("web", "pre", "look", "note(f'new {ctx.is_new}')")
    product.chart("web", CONFIG, FAILING)
    product.bill("web")
    assert product.deploy().code == 1
    product.chart("web", CONFIG, MIGRATION)
    product.deployed()
    product.deployed()
    assert product.journal[1::3] == ["new True", "new True", "new False"]


class Case:
    """A failure, and what comes of it."""

    def __init__(
        self,
        prepare: Callable[[Product], object],
        *,
        released: set[str],
        ended: dict[str, str],
        never: tuple[str, ...] = (),
        ran: tuple[str, ...] = (),
        arguments: tuple[str, ...] = (),
        says: tuple[str, ...] = (),
    ) -> None:
        self.prepare = prepare
        self.released = released  # those that are deployed in the end
        self.ended = ended
        self.never = never  # jobs that must not have begun
        self.ran = ran  # and those that must have ended
        self.arguments = arguments
        self.says = says


EVERYTHING = {"store", "queue", "web", "shop"}
CASES = {
    "a failed global pre job stops everything": Case(
        lambda product: product.job("global", "pre", "room", FAILS),
        released=set(),
        ended={"global-pre": "failed", "global-pre room": "failed"},
        never=("store/around-pre", "web/around-pre", "global/last"),
        says=("ValueError: no room left", "jobs.py:"),
    ),
    "a failed prerequisite stops all that comes after it": Case(
        lambda product: product.chart("store", FAILING),
        released=set(),
        ended={"store": "failed", "prerequisites": "failed"},
        ran=("store/around-pre",),
        never=("store/around-post", "queue/around-pre", "web/around-pre", "global/last"),
    ),
    "a failed job of a prerequisite as well": Case(
        lambda product: product.job("queue", "post", "warm", FAILS),
        released={"store", "queue"},
        ended={"store": "done", "queue chart": "done", "queue": "failed"},
        never=("web/around-pre", "shop/around-pre", "global/last"),
    ),
    "a failed pre job stops its component, and no other": Case(
        lambda product: product.job("web", "pre", "room", FAILS),
        released={"store", "queue", "shop"},
        ended={"web": "failed", "shop": "done", "components": "failed"},
        ran=("web/around-pre", "shop/around-post"),
        never=("web/around-post", "global/last"),
    ),
    "a failed component runs no post jobs": Case(
        lambda product: product.chart("web", FAILING),
        released={"store", "queue", "shop"},
        ended={"web chart": "failed", "web": "failed", "shop": "done"},
        ran=("web/around-pre", "shop/around-post"),
        never=("web/around-post", "global/last"),
        says=("web-migrate", "failed"),
    ),
    "after a failed post job the release is there, and no global post job runs": Case(
        lambda product: product.job("web", "post", "room", FAILS),
        released=EVERYTHING,
        ended={"web chart": "done", "web": "failed", "shop": "done"},
        ran=("web/around-post", "shop/around-post"),
        never=("global/last",),
    ),
    "a job that needs a person stops its component and gives the steps": Case(
        lambda product: product.job(
            "web",
            "pre",
            "grow",
            "raise Manual('this class cannot grow', 'make a larger claim\\ncopy the data')",
        ),
        released={"store", "queue", "shop"},
        ended={"web grow": "manual", "web": "manual", "shop": "done"},
        never=("web/around-post", "global/last"),
        says=("this class cannot grow", "what you have to do:", "copy the data"),
    ),
    "a job that takes too long has failed": Case(
        lambda product: product.job("web", "pre", "slow", "await asyncio.sleep(60)", timeout="1s"),
        released={"store", "queue", "shop"},
        ended={"web slow": "timed-out", "web": "timed-out", "shop": "done"},
        never=("web/around-post", "global/last"),
    ),
    "an abort in a global job begins nothing": Case(
        lambda product: product.job("global", "pre", "licence", ABORTS),
        released=set(),
        ended={"global-pre licence": "aborted", "deploy": "aborted"},
        never=("store/around-pre", "web/around-pre", "global/last"),
        says=("the licence is over",),
    ),
    "an abort lets finish what runs, and begins nothing new": Case(
        # With one worker: shop waits for its turn while web runs.
        lambda product: product.job("web", "post", "licence", ABORTS),
        released={"store", "queue", "web"},
        ended={"web": "aborted", "shop": "not-started", "deploy": "aborted"},
        ran=("web/around-post",),
        never=("shop/around-pre", "global/last"),
        arguments=("--workers=1",),
        says=("job web/licence aborted the deploy: the licence is over",),
    ),
    "with --fail-fast nothing is begun after a failure": Case(
        lambda product: product.job("web", "pre", "room", FAILS),
        released={"store", "queue"},
        ended={"web": "failed", "shop": "not-started"},
        never=("shop/around-pre", "global/last"),
        arguments=("--workers=1", "--fail-fast"),
    ),
    "of --only the others' jobs do not run, and global ones do": Case(
        lambda product: product.job("global", "pre", "first"),
        released={"queue", "web"},
        ended={"web": "done", "queue": "done", "deploy": "done"},
        ran=("global/first", "queue/around-pre", "web/around-post", "global/last"),
        never=("store/around-pre", "shop/around-pre", "shop/around-post"),
        arguments=("--only=web", "--only=queue"),
    ),
    "a skipped job is no failure": Case(
        lambda product: product.job("web", "pre", "grow", "raise Skip('it is large enough')"),
        released=EVERYTHING,
        ended={"web grow": "skipped", "web": "done", "deploy": "done"},
        ran=("global/last",),
        says=("it is large enough",),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_failure_stops(name: str, product: Product) -> None:
    case = CASES[name]
    for component in ("store", "queue", "web", "shop"):
        for moment in ("pre", "post"):
            product.job(component, moment, f"around-{moment}")
    product.job("global", "post", "last")
    case.prepare(product)
    product.bill("web", "shop", prerequisites=["store", "queue"])
    ran = product.deploy(*case.arguments)

    is_good = case.ended.get("deploy") == "done"
    assert ran.code == (0 if is_good else 1), ran.said
    found = ran.ended
    assert {what: found.get(what) for what in case.ended} == case.ended, ran.said
    deployed = {release for release, status in product.releases.items() if status == "deployed"}
    assert deployed == case.released
    begun = {line.split()[0] for line in product.journal}
    assert not begun & set(case.never)
    assert {line.split()[0] for line in product.journal if line.endswith(" ends")} >= set(case.ran)
    assert [text for text in case.says if text not in ran.err] == []
    complete = is_good and not case.arguments
    assert product.record.get("installed", "") == ("1.0.0" if complete else "")


def test_what_runs_is_finished_after_an_abort(product: Product) -> None:
    """Two at once: the chart of one is on its way when a job of the other aborts. Its post jobs complete it."""
    product.job("web", "pre", "licence", "await asyncio.sleep(1)\nraise Abort('the licence is over')")
    product.job("shop", "pre", "first", "await asyncio.sleep(0.2)")
    product.job("shop", "post", "complete", "await asyncio.sleep(1)")
    product.bill("web", "shop", "third", workers=2)
    ran = product.deploy()
    assert ran.code == 1
    assert {name: ran.ended[name] for name in ("web", "shop", "third")} == {
        "web": "aborted",
        "shop": "done",
        "third": "not-started",
    }
    assert "shop/complete ends" in product.journal
    assert product.releases == {"shop": "deployed"}


def test_releases_carry_who_deployed_them(product: Product) -> None:
    product.chart("web")
    (product.folder / "large.yaml").write_text("said: a lot")
    environments = {"staging": {"set": ["said=staging"]}, "production": {"context": "production"}}
    product.bill("web", profiles={"large": {"values": ["large.yaml"]}}, environments=environments)
    for refused, why in (((), "none is chosen"), (("-e", "production"), "is deployed to context production")):
        ran = product.deploy(*refused)
        assert (ran.code, why in ran.err) == (2, True)
    ran = product.deployed("--profile=large", "--environment=staging")
    labels = product.revisions()["web"]["metadata"]["labels"]
    assert labels["watchbill.dev/product"] == "shop"
    assert labels["watchbill.dev/version"] == "1.0.0"
    assert labels["watchbill.dev/profile"] == "large"
    assert labels["watchbill.dev/environment"] == product.record["environment"] == "staging"
    assert labels["watchbill.dev/operation"] in ran.err, "it is the one that is shown"
    assert product.namespace.list("configmap")
    config = product.namespace.find("configmap", "web-config")
    assert config
    assert config["data"]["said"] == "staging", "the environment is on top"


def test_components_in_namespaces_of_their_own(product: Product, namespace: Namespace) -> None:
    """Made if they are missing; jobs are told that of their component."""
    other = f"{namespace.name}-other"
    product.job("shop", "post", "look", "note(ctx.namespace)")
    product.job("global", "post", "look", "note(ctx.namespace)")
    asks = "assert ctx.kube.get(ConfigMap, 'web-config', namespace=ctx.namespace).data['chart'] == '1.0.0'"
    product.job("web", "post", "in-a-thread", asks, sync=True)
    product.chart("shop")
    product.bill("web", {"name": "shop", "namespace": other, "release": "shop-main"})
    try:
        product.deployed()
        assert [line for line in product.journal if " " not in line] == [other, namespace.name]
        assert "web/in-a-thread ends" in product.journal
        assert product.releases == {"web": "deployed"}
        listed = namespace.cluster.kubectl("get", "secrets", f"--namespace={other}", "--output=name").stdout
        assert listed.split() == ["secret/sh.helm.release.v1.shop-main.v1"]
        product.deployed()
    finally:
        namespace.cluster.kubectl("delete", "namespace", other, "--ignore-not-found", "--wait=false")


def test_definitions_come_first(product: Product, namespace: Namespace) -> None:
    """A chart may use kinds that another one brings, whatever their order."""
    group = f"{namespace.name}.example.org"
    definition = f"""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: gates.{group}}}
spec:
  group: {group}
  scope: Namespaced
  names: {{plural: gates, singular: gate, kind: Gate}}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {{openAPIV3Schema: {{type: object, x-kubernetes-preserve-unknown-fields: true}}}}
"""
    used = f"apiVersion: {group}/v1\nkind: Gate\nmetadata: {{name: main}}\n"
    product.chart("web", used)
    product.chart("gates", files={"crds/gates.yaml": definition})
    product.bill("gates", prerequisites=["web"])
    try:
        dry = product.deploy("--dry-run")
        assert namespace.cluster.kubectl("get", "crds", f"gates.{group}", check=False).returncode, dry.said
        ran = product.deployed()
        assert ran.events[1]["stage"] == "crds"
        assert namespace.find(f"gates.{group}", "main")
    finally:
        namespace.cluster.kubectl("delete", "crd", f"gates.{group}", "--ignore-not-found", "--wait=false")


def test_many_components(product: Product) -> None:
    """Their charts share a folder: it is the releases that are many."""
    product.chart("tiny")
    names = [f"part-{at}" for at in range(60)]
    product.bill(*({"name": name, "chart": "charts/tiny"} for name in names))
    product.deployed()
    assert product.releases == dict.fromkeys(names, "deployed")
    assert product.record["installed"] == "1.0.0"


def test_components_come_after_what_they_need(product: Product) -> None:
    product.chart("database", CONFIG, FAILING)
    product.chart("web")
    for name in ("database", "web", "docs"):
        product.job(name, "pre", "before")
    product.bill({"name": "web", "needs": ["database"]}, "docs", "database")
    plan = product.run("bill.yaml", "--plan")
    assert f"install charts/web in namespace {product.namespace.name}, after database" in plan.out, plan.err
    ran = product.deploy("--accept", "WB101")
    assert (ran.code, ran.ended["docs"], ran.ended["web"]) == (1, "done", "not-started")
    assert "it needs database, which is failed" in ran.err
    assert "web/before begins" not in product.journal
    (product.folder / "charts/database/templates/1.yaml").unlink()
    product.forget()
    product.deployed()
    assert in_order(product.journal, "database/before ends", "web/before begins")
    assert product.record["installed"] == "1.0.0"
