"""CustomResourceDefinitions at a real API server: their kinds are served when it says that they are applied."""

import asyncio
import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from dev.cluster.client import Cluster
from watchbill.deploy.crds import Definition, Definitions
from watchbill.errors import UserError
from watchbill.kube import access
from watchbill.kube.client import connect

pytestmark = pytest.mark.cluster


@pytest.fixture
def group(control_plane: Cluster) -> Iterator[str]:
    """An API group of a test's own."""
    name = f"test-{uuid.uuid4().hex[:8]}.example.org"
    yield name
    listed = json.loads(control_plane.kubectl("get", "crds", "--output=json").stdout)
    ours = [item["metadata"]["name"] for item in listed["items"] if item["spec"]["group"] == name]
    if ours:
        control_plane.kubectl("delete", "crd", *ours, "--wait=false")


def definition(group: str, plural: str, *, kind: str = "", **properties: Any) -> Definition:
    kind = kind or plural.title()
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    made = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            # What is left out is made of the first kind, and stays when the kind changes.
            "names": {"kind": kind, "listKind": f"{kind}List", "singular": kind.lower(), "plural": plural},
            "scope": "Namespaced",
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
            ],
        },
    }
    return Definition(f"{plural}.{group}", made, f"crds/{plural}.yaml")


def apply(cluster: Cluster, *definitions: Definition, dry_run: bool = False) -> None:
    async def run() -> None:
        async with connect(access.find(str(cluster.kubeconfig)), dry_run=dry_run) as kube:
            await Definitions(definitions).apply(kube)

    asyncio.run(run())


def refused(cluster: Cluster, *definitions: Definition) -> str:
    with pytest.raises(UserError) as caught:
        apply(cluster, *definitions)
    return str(caught.value)


def stored(cluster: Cluster, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(cluster.kubectl("get", "crd", name, "--output=json").stdout)
    return found


def test_kinds_are_served_at_once(control_plane: Cluster, group: str) -> None:
    apply(control_plane, *(definition(group, f"thing{number}s") for number in range(20)))
    served = json.loads(control_plane.kubectl("get", "--raw", f"/apis/{group}/v1").stdout)["resources"]
    assert {one["name"] for one in served} == {f"thing{number}s" for number in range(20)}


def test_what_changed_is_applied_also_over_what_others_wrote(control_plane: Cluster, group: str) -> None:
    """Helm creates them and never touches them again."""
    first = definition(group, "things", size={"type": "string"})
    control_plane.kubectl("create", "--filename=-", stdin=json.dumps(first.object))
    apply(
        control_plane,
        definition(
            group,
            "things",
            size={"type": "integer", "x-kubernetes-int-or-string": False},
            colour={"type": "string"},
        ),
    )
    [version] = stored(control_plane, f"things.{group}")["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    assert (spec["size"]["type"], spec["colour"]["type"]) == ("integer", "string")


def test_fields_that_no_client_knows_are_kept(control_plane: Cluster, group: str) -> None:
    open_ended = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    apply(control_plane, definition(group, "things", anything=open_ended))
    [version] = stored(control_plane, f"things.{group}")["spec"]["versions"]
    assert version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["anything"] == open_ended


def test_again_is_the_same(control_plane: Cluster, group: str) -> None:
    made = definition(group, "things")
    apply(control_plane, made)
    before = stored(control_plane, made.name)["metadata"]["resourceVersion"]
    apply(control_plane, made)
    assert stored(control_plane, made.name)["metadata"]["resourceVersion"] == before


def test_a_dry_run_makes_nothing(control_plane: Cluster, group: str) -> None:
    apply(control_plane, definition(group, "things"), dry_run=True)
    assert group not in control_plane.kubectl("get", "crds", "--output=name").stdout


def test_a_kind_that_another_one_has(control_plane: Cluster, group: str) -> None:
    apply(control_plane, definition(group, "things", kind="Thing"))
    said = refused(control_plane, definition(group, "others", kind="Thing"))
    assert said.startswith(f'CustomResourceDefinition others.{group} is not accepted: "Thing')
    assert "crds/others.yaml" in said
    apply(control_plane, definition(group, "others", kind="Other"))
    assert stored(control_plane, f"others.{group}")["status"]["acceptedNames"]["kind"] == "Other"


def test_what_the_server_refuses_is_told_with_its_file_and_the_others_are_applied(
    control_plane: Cluster, group: str
) -> None:
    wrong = definition(group, "wrong", size={"type": "no such type"})
    said = refused(control_plane, definition(group, "things"), wrong)
    assert said.startswith(f"CustomResourceDefinition wrong.{group} cannot be applied: ")
    assert "no such type" in said
    assert "crds/wrong.yaml" in said
    assert stored(control_plane, f"things.{group}")


def test_several_that_are_refused_are_told_together(control_plane: Cluster, group: str) -> None:
    wrong = [definition(group, f"wrong{number}", size={"type": "no"}) for number in range(3)]
    said = refused(control_plane, *wrong)
    assert said.startswith("3 of 3 CustomResourceDefinitions cannot be applied\n")
    assert all(f"crds/wrong{number}.yaml" in said for number in range(3))
