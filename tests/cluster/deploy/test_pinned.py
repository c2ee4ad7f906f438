"""A deploy stays with the cluster of its start, and goes on after a first install that was not complete."""

import json
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from dev.cluster.client import Namespace
from tests.support.products import HELM_3, HELM_4, Product

pytestmark = pytest.mark.cluster


@pytest.fixture
def product(namespace: Namespace, tmp_path: Path) -> Product:
    return Product(namespace, tmp_path / "product")


@pytest.mark.parametrize("helm", [HELM_4, HELM_3])
def test_jobs_cannot_lead_helm_to_another_cluster(helm: str, product: Product, tmp_path: Path) -> None:
    """Nobody is there in the other one: whoever went there would fail."""
    config = yaml.safe_load(product.kubeconfig.read_text())
    current = config["current-context"]
    [here] = [one["context"] for one in config["contexts"] if one["name"] == current]
    config["clusters"].append({"name": "other", "cluster": {"server": "https://127.0.0.1:9"}})
    config["contexts"].append({"name": "other", "context": {"cluster": "other", "user": here["user"]}})
    product.kubeconfig = tmp_path / "kubeconfig"
    product.kubeconfig.write_text(yaml.safe_dump(config))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text(yaml.safe_dump({**config, "current-context": "other"}))
    product.job(
        "global",
        "pre",
        "leave",
        f"""
        Path({str(product.kubeconfig)!r}).write_text(Path({str(elsewhere)!r}).read_text())
        os.environ["KUBECONFIG"] = {str(elsewhere)!r}
        os.environ["HELM_KUBECONTEXT"] = "other"
        os.chdir("/")
        """,
    )
    product.bill("queue", "web")
    product.deployed(helm=helm)
    assert product.releases == {"queue": "deployed", "web": "deployed"}


def test_a_component_is_new_until_it_was_complete(product: Product) -> None:
    product.job(
        "web",
        "post",
        "seed",
        """
        if not ctx.is_new:
            raise Skip("it is seeded")
        if not (HERE / "ready").exists():
            raise ValueError("no database yet")
        """,
    )
    product.bill("web")
    assert product.deploy().ended["web seed"] == "failed"
    (product.folder / "ready").touch()
    assert product.deployed().ended["web seed"] == "done"
    assert product.deployed().ended["web seed"] == "skipped"


def test_what_cannot_be_encoded_does_not_keep_a_deploy_from_its_end(product: Product) -> None:
    product.job("global", "post", "list", "ctx.log.info(os.fsdecode(b'gr\\xfc\\xdfe.txt'))")
    product.bill("web")
    ran = product.deployed()
    assert any(r"gr\udcfc\udcdfe.txt" in event.get("text", "") for event in ran.events)
    assert product.record["installed"] == "1.0.0"
    assert r"gr\\udcfc" in json.dumps(product.shown())


def test_many_jobs_may_read_the_same_kinds_at_once(product: Product) -> None:
    for number in range(8):
        product.job(
            "global",
            "pre",
            f"read-{number}",
            f"""
            from lightkube.resources.apps_v1 import Deployment, StatefulSet
            for kind in (Deployment, StatefulSet):
                {"found = [one async for one in ctx.kube.list(kind, namespace=ctx.namespace)]" if number % 2 else "found = list(ctx.kube.list(kind, namespace=ctx.namespace))"}
            """,
            sync=number % 2 == 0,
        )
    product.bill("web")
    product.deployed()
