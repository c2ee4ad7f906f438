"""Rights of a service account that has few, asked for before anything is done; and the resources every cluster has."""

from typing import Any

import pytest

from dev.cluster.client import Cluster, Namespace
from tests.cluster.kube.conftest import Ways, with_kube
from watchbill.kube.builtin import GROUPS, RESOURCES
from watchbill.kube.client import Kube
from watchbill.kube.rights import Right, missing, parse

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("control_plane")]

ASKED = {
    # right: does the account have it?
    "get persistentvolumeclaims": True,
    "patch persistentvolumeclaims": True,
    "delete persistentvolumeclaims": False,
    "get persistentvolumeclaims cluster-wide": False,
    "get persistentvolumeclaims in default": False,
    "get secrets one": True,
    "get secrets other": False,
    "get secrets": False,
    "create pods/exec": True,
    "create pods": False,
    "update apps/statefulsets/scale": True,
    "update apps/statefulsets": False,
    "patch gateways.networking.istio.io": True,
    "patch virtualservices.networking.istio.io": False,
    "list nodes": True,
    "delete nodes": False,
}
ROLE = [
    {"apiGroups": [""], "resources": ["persistentvolumeclaims"], "verbs": ["get", "patch"]},
    {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"], "verbs": ["get"]},
    {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["create"]},
    {"apiGroups": ["apps"], "resources": ["statefulsets/scale"], "verbs": ["update"]},
    {"apiGroups": ["networking.istio.io"], "resources": ["gateways"], "verbs": ["patch"]},
]


@pytest.fixture
def restricted(namespace: Namespace, account: str) -> Any:
    rbac = "rbac.authorization.k8s.io"
    subject = {"kind": "ServiceAccount", "name": account, "namespace": namespace.name}
    cluster_name = f"{namespace.name}-nodes"
    nodes = {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}

    def objects(prefix: str, name: str, rules: list[Any]) -> list[dict[str, Any]]:
        role = {
            "apiVersion": f"{rbac}/v1",
            "kind": f"{prefix}Role",
            "metadata": {"name": name},
            "rules": rules,
        }
        reference = {"apiGroup": rbac, "kind": f"{prefix}Role", "name": name}
        binding = {"kind": f"{prefix}RoleBinding", "metadata": {"name": name}, "subjects": [subject]}
        return [role, {"apiVersion": f"{rbac}/v1", **binding, "roleRef": reference}]

    namespace.apply(*objects("", "some", ROLE), *objects("Cluster", cluster_name, [nodes]))
    yield namespace.kubectl("create", "token", account).stdout.strip()
    namespace.kubectl("delete", "clusterrole,clusterrolebinding", cluster_name)


@pytest.mark.parametrize("dry_run", [False, True], ids=["really", "dry run"])
def test_what_is_missing(dry_run: bool, restricted: str, ways: Ways, namespace: Namespace) -> None:
    rights = [parse(text) for text in ASKED]

    async def ask(kube: Kube) -> list[Right]:
        return await missing(kube, [*rights, *rights], namespace.name)

    found = with_kube(ways.reach({"token": restricted}), ask, dry_run=dry_run)
    assert [str(right) for right in found] == [str(parse(text)) for text, has in ASKED.items() if not has]


def test_an_administrator_misses_nothing(ways: Ways, namespace: Namespace) -> None:
    async def ask(kube: Kube) -> list[Right]:
        return await missing(kube, [parse(text) for text in ASKED], namespace.name)

    assert with_kube(ways.administrator(), ask) == []


def test_the_resources_every_cluster_has(control_plane: Cluster) -> None:
    """Those of stable versions, as a real API server lists them."""
    paths = ["/api/v1"]
    for group in control_plane.get("/apis")["groups"]:
        paths += [
            f"/apis/{version['groupVersion']}" for version in group["versions"] if version["version"] == "v1"
        ]
    served: dict[str, tuple[str, bool]] = {}
    for path in paths:
        group = path.removeprefix("/apis/").partition("/")[0] if path.startswith("/apis") else ""
        for resource in control_plane.get(path)["resources"]:
            if "/" not in resource["name"] and group != "events.k8s.io":
                served[resource["name"]] = (group, resource["namespaced"])
    ours = {name: found for name, found in served.items() if found[0] in GROUPS | {""}}
    assert {name: RESOURCES.get(name) for name in ours} == ours
