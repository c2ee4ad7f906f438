"""What is refused before anything begins, and the ways out."""

from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from dev.cluster.client import Namespace
from tests.support.products import FAILING, Product

pytestmark = pytest.mark.cluster


@pytest.fixture
def product(namespace: Namespace, tmp_path: Path) -> Product:
    return Product(namespace, tmp_path / "product")


def test_a_chart_that_cannot_be_rendered_is_not_begun(product: Product) -> None:
    product.chart("web", "a: {{ .Values.x")
    product.job("global", "pre", "look")
    product.bill("queue", "web")
    before = product.snapshot()
    ran = product.deploy()
    assert ran.code == 2
    assert "web: " in ran.err
    assert "a chart cannot be rendered" in ran.err
    assert product.journal == []
    assert product.snapshot() == before
    assert product.run("bill.yaml", "--plan").code == 1


def test_a_first_install_that_cannot_be_completed_can_be_given_up(product: Product) -> None:
    product.chart("web", FAILING)
    product.bill("web", "queue")
    product.fates(web_migrate="fail")
    assert product.deploy("--accept", "WB101").code == 1
    product.chart("web")
    product.bill("web", "queue", version="1.0.1")
    refused = product.deploy()
    assert refused.code == 2
    assert "--abandon 1.0.0" in refused.err
    ran = product.deployed("--abandon", "1.0.0")
    assert "1.0.0 is given up" in ran.err
    assert product.record["installed"] == "1.0.1"
    product.deployed("--abandon", "1.0.0")


def test_the_release_of_another_product_is_refused(
    product: Product, namespace: Namespace, tmp_path: Path
) -> None:
    product.bill("web")
    product.deployed()
    other = Product(namespace, tmp_path / "other", name="bank")
    other.bill("web")
    ran = other.deploy()
    assert ran.code == 2
    assert f"release {namespace.name}/web belongs to product shop" in ran.err
    plan = other.run("bill.yaml", "--plan")
    assert (plan.code, "belongs to product shop" in plan.out) == (1, True)
    [command] = [line.strip() for line in ran.err.splitlines() if "kubectl label" in line]
    namespace.cluster.kubectl(*command.split()[1:])
    other.deployed()


def test_a_part_of_a_version_is_not_the_version(product: Product) -> None:
    product.bill("web", "queue")
    ran = product.deployed("--only", "web")
    assert "1.0.0 is not complete: queue not deployed yet" in ran.err
    assert product.shown()["reason"] == "the version is not complete: queue not deployed yet"
    ran = product.deployed("--only", "queue")
    assert "not complete" not in ran.err
    assert product.record["installed"] == "1.0.0"


def test_a_plan_tells_who_may_not_deploy(product: Product, namespace: Namespace, tmp_path: Path) -> None:
    """With the rights of somebody who may read everything."""
    reader = f"reader-{namespace.name}"
    config = yaml.safe_load(product.kubeconfig.read_text())
    for user in config["users"]:
        user["user"] |= {"as": reader}
    product.kubeconfig = tmp_path / "kubeconfig"
    product.kubeconfig.write_text(yaml.safe_dump(config))
    kubectl = namespace.cluster.kubectl
    kubectl("create", "clusterrole", reader, "--verb=get,list,watch", "--resource=*.*")
    kubectl("create", "clusterrolebinding", reader, f"--clusterrole={reader}", f"--user={reader}")
    try:
        product.bill("web")
        plan = product.run("bill.yaml", "--plan")
        assert plan.code == 1, plan.said
        assert "you may not create leases" in plan.out
        assert product.deploy().code == 2
    finally:
        kubectl("delete", "clusterrole,clusterrolebinding", reader)


def test_a_component_that_left_the_bill_and_a_moved_record_are_said(
    product: Product, namespace: Namespace
) -> None:
    product.bill("web", "queue")
    product.deployed()
    product.bill("web", version="1.0.1", upgradesFrom="1.0.0")
    stays = f"release {namespace.name}/queue is of shop, but of no component of 1.0.1: it stays"
    assert stays in product.run("bill.yaml", "--plan").out
    assert stays in product.deployed().err
    product.bill({"name": "web", "namespace": namespace.name}, defaultNamespace=f"{namespace.name}-new")
    plan = product.run("bill.yaml", "--plan")
    assert f"shop has a record in namespace {namespace.name} and none in {namespace.name}-new" in plan.out
