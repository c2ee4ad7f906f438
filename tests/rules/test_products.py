"""What custom resources bring into being: names out of the data table."""

from typing import Any

import pytest

from watchbill.lifecycle.objects import Body, Key, group_of
from watchbill.rules.products import products


def made(api_version: str, kind: str, spec: dict[str, Any], namespace: str = "ns") -> list[str]:
    thing = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "main"}, "spec": spec}
    key = Key(group_of(api_version), kind, "ns", "main")
    return [f"{one.kind}/{one.name}" for one in products(key, Body.of(thing), namespace)]


@pytest.mark.parametrize(
    ("api_version", "kind", "spec", "expected"),
    [
        ("external-secrets.io/v1", "ExternalSecret", {"target": {"name": "db"}}, ["Secret/db"]),
        ("external-secrets.io/v1", "ExternalSecret", {}, ["Secret/main"]),
        ("external-secrets.io/v1", "ExternalSecret", {"target": {"creationPolicy": "Merge"}}, []),
        ("bitnami.com/v1alpha1", "SealedSecret", {}, ["Secret/main"]),
        ("cert-manager.io/v1", "Certificate", {"secretName": "tls"}, ["Secret/tls"]),
        (
            "secrets.hashicorp.com/v1beta1",
            "VaultStaticSecret",
            {"destination": {"name": "db", "create": True}},
            ["Secret/db"],
        ),
        ("secrets.hashicorp.com/v1beta1", "VaultStaticSecret", {"destination": {"name": "db"}}, []),
        (
            "isindir.github.com/v1alpha3",
            "SopsSecret",
            {"secretTemplates": [{"name": "a"}, {"name": "b"}]},
            ["Secret/a", "Secret/b"],
        ),
        (
            "postgres-operator.crunchydata.com/v1beta1",
            "PostgresCluster",
            {"users": [{"name": "app"}]},
            [
                "Secret/main-pguser-app",
                "Service/main-primary",
                "Service/main-replicas",
                "Service/main-pgbouncer",
            ],
        ),
        (
            "acid.zalan.do/v1",
            "postgresql",
            {"users": {"app_owner": []}},
            [
                "Secret/app-owner.main.credentials.postgresql.acid.zalan.do",
                "Secret/postgres.main.credentials.postgresql.acid.zalan.do",
                "Service/main",
                "Service/main-repl",
            ],
        ),
        (
            "database.aws.crossplane.io/v1beta1",
            "RDSInstance",
            {"writeConnectionSecretToRef": {"name": "rds"}},
            ["Secret/rds"],
        ),
        ("example.com/v1", "Widget", {}, []),
    ],
)
def test_what_is_made(api_version: str, kind: str, spec: dict[str, Any], expected: list[str]) -> None:
    assert made(api_version, kind, spec) == expected


def test_it_is_made_beside_it_unless_it_is_for_all_namespaces() -> None:
    assert not made("bitnami.com/v1alpha1", "SealedSecret", {}, namespace="elsewhere")
    assert made("trust.cert-manager.io/v1alpha1", "Bundle", {}, namespace="elsewhere")
