"""`--plan` reads and never writes; `--offline` does not even read. `--dry-run` runs all of it, and changes nothing."""

import json
from pathlib import Path

import pytest

from dev.cluster.client import Cluster, Namespace
from tests.kube import writing
from tests.support.products import CONFIG, Product, in_order

pytestmark = pytest.mark.cluster


@pytest.fixture
def product(namespace: Namespace, tmp_path: Path) -> Product:
    product = Product(namespace, tmp_path / "product")
    product.job("global", "pre", "look")
    product.job("web", "pre", "grow", requires=["patch persistentvolumeclaims"], timeout="10m")
    product.job("web", "post", "seed", once=True)
    product.job("global", "post", "tell")
    product.bill("web", "shop", prerequisites=["store"])
    return product


def test_before_anything_is_there(product: Product, namespace: Namespace) -> None:
    """In a namespace that does not exist, and does not after it."""
    elsewhere = f"{namespace.name}-not-made"
    product.bill("web", "shop", prerequisites=["store"], defaultNamespace=elsewhere)
    plan = product.run("bill.yaml", "--plan")
    assert plan.code == 0, plan.said
    wanted = (
        "global-pre",
        "pre look",
        "prerequisites",
        "store",
        "components",
        "web",
        "pre grow",
        "post seed",
        "shop",
        "global-post",
        "post tell",
    )
    rows = [line.strip().partition("  ")[0] for line in plan.out.splitlines()]
    assert in_order(rows, *wanted), plan.out
    assert "requires patch persistentvolumeclaims" in plan.out
    assert "at most 10m" in plan.out
    assert "runs once" in plan.out
    assert "4 at once" in plan.out or "2 at once" in plan.out
    assert "from nothing" in plan.out
    found = namespace.cluster.kubectl("get", "namespace", elsewhere, "--ignore-not-found")
    assert found.stdout == ""
    assert product.journal == []
    assert product.snapshot().keys() == {"ConfigMap/kube-root-ca.crt", "ServiceAccount/default"}


def test_over_what_is_there(product: Product) -> None:
    product.deployed()
    product.forget()
    product.chart("web", CONFIG, version="1.1.0")
    product.bill("web", "shop", "mail", version="1.1.0", upgradesFrom="1.0.0", prerequisites=["store"])
    before = product.snapshot()
    plan = product.run("bill.yaml", "--plan")
    assert plan.code == 0, plan.said
    assert "1.0.0 → 1.1.0" in plan.out
    assert "from revision 1 (deployed)" in plan.out
    assert "install charts/mail in namespace" in plan.out
    assert "ran already, with version 1.0.0: is left out" in plan.out
    assert product.snapshot() == before
    assert product.journal == []


def test_what_keeps_it_from_beginning(product: Product) -> None:
    """All of it at once, with exit code 1; the deploy itself is refused with 2."""
    product.deployed()
    product.no_jobs()
    product.job("web", "pre", "old", until="2.0.0", reason="")
    product.bill("web", version="3.0.0", upgradesFrom="2.0.0")
    before = product.snapshot()
    plan = product.run("bill.yaml", "--plan")
    assert plan.code == 1
    assert "refused: shop cannot go from 1.0.0 to 3.0.0" in plan.out
    assert "web/old should be gone since 2.0.0" in plan.out
    assert "refused: jobs.py:" in plan.out
    refused = product.deploy()
    assert (refused.code, refused.out) == (2, "")
    assert "shop cannot go from 1.0.0 to 3.0.0" in refused.err
    assert product.snapshot() == before


def test_rights_are_asked_for_before_anything_starts(
    product: Product, namespace: Namespace, control_plane: Cluster, tmp_path: Path
) -> None:
    namespace.kubectl("create", "serviceaccount", "robot")
    verbs = "--verb=get,list,create,update"  # what a deploy itself needs
    namespace.kubectl("create", "role", "reader", verbs, "--resource=secrets,configmaps,leases")
    namespace.kubectl(
        "create", "rolebinding", "reader", "--role=reader", f"--serviceaccount={namespace.name}:robot"
    )
    token = namespace.kubectl("create", "token", "robot").stdout.strip()
    view = control_plane.kubectl("config", "view", "--raw", "--minify", "--flatten", "--output=json")
    cluster = json.loads(view.stdout)["clusters"][0]["cluster"]
    product.kubeconfig = writing.write(tmp_path / "robot", writing.kubeconfig(cluster, {"token": token}))
    before = product.snapshot()
    plan = product.run("bill.yaml", "--plan")
    assert plan.code == 1, plan.said
    missing = f"job web/grow must patch persistentvolumeclaims, in namespace {namespace.name}"
    assert missing in plan.out
    assert token not in plan.said
    refused = product.deploy()
    assert refused.code == 2
    assert missing in refused.err
    assert product.snapshot() == before
    assert product.journal == []
    elsewhere = product.run("bill.yaml", "--plan", "--only=shop")
    assert elsewhere.code == 0, "jobs of what is not deployed need no rights"


def test_offline_reads_nothing(product: Product) -> None:
    product.kubeconfig = product.folder / "there-is-none"
    plan = product.run("bill.yaml", "--plan", "--offline")
    assert plan.code == 0, plan.said
    for part in ("pre look", "store", "pre grow", "post seed", "post tell", "offline:"):
        assert part in plan.out


def test_a_dry_run_changes_nothing(product: Product) -> None:
    product.deployed()
    product.job(
        "shop",
        "pre",
        "writes",
        """
        note(f'dry {ctx.dry_run}')
        await ctx.kube.create(ConfigMap(metadata=ObjectMeta(name='made', namespace=ctx.namespace)))
        """,
    )
    product.job("shop", "post", "later", once=True)
    product.chart("web", CONFIG, version="1.1.0")
    product.bill("web", "shop", version="1.1.0", upgradesFrom="1.0.0", prerequisites=["store"])
    product.forget()
    before = product.snapshot()
    ran = product.deploy("--dry-run")
    assert ran.code == 0, ran.said
    assert product.snapshot() == before
    assert "dry True" in product.journal
    assert "shop/later ends" in product.journal
    assert "web/seed begins" not in product.journal, "it ran already, and would be left out"
    assert ran.ended["web chart"] == "done"
    assert "dry run: nothing is changed" in ran.err
    assert "history" not in ran.err
    product.deployed()
    assert "shop/later ends" in product.journal[-8:]
    assert product.namespace.find("configmap", "made")


def test_a_diff_shows_what_changes_and_no_secret(product: Product) -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {password: %s}\n"
    product.chart("web", CONFIG, secret % "hunter2")
    product.bill("web")
    product.deployed()
    assert "web: no changes" in product.run("bill.yaml", "--plan", "--diff").out
    product.chart("web", CONFIG, secret % "correct-horse", version="1.0.1")
    before = product.snapshot()
    plan = product.run("bill.yaml", "--plan", "--diff")
    assert plan.code == 0, plan.said
    assert "web: 2 changed" in plan.out
    assert f"{product.namespace.name}, web-config, ConfigMap (v1) has changed:" in plan.out
    assert "-  chart: 1.0.0\n+  chart: 1.0.1\n" in plan.out
    assert "-  password: '-------- # (7 bytes)'\n+  password: '++++++++ # (13 bytes)'\n" in plan.out
    assert "hunter2" not in plan.said
    assert "correct-horse" not in plan.said
    assert product.snapshot() == before
    refused = product.run("bill.yaml", "--diff")
    assert (refused.code, "--diff needs --plan" in refused.err) == (2, True)
