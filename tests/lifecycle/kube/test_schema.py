"""The types of built-in kinds, generated from the server's own."""

from dev import kubedata
from dev.oracle import Oracle
from watchbill.lifecycle.kube.schema import Type, blank, deduced, find


def _at(type_: Type | None, path: str) -> Type:
    """Follows fields; [] is an item of a list."""
    for step in path.split("."):
        assert type_ is not None
        type_ = type_.element if step == "[]" else type_.fields[step].type
    assert type_ is not None
    return type_


def test_the_committed_file_is_what_the_generator_writes(oracle: Oracle) -> None:
    assert (kubedata.DATA / "schema.json").read_text() == kubedata.schema(oracle.ask({"op": "schema"}))


def test_containers_are_known_by_name_in_patches_and_in_apply() -> None:
    spec = _at(find("batch/v1", "Job"), "spec.template.spec")
    containers = spec.fields["containers"]
    assert (containers.merge, containers.merge_key) == (True, "name")
    assert (containers.type.associative, containers.type.keys) == (True, ("name",))


def test_apply_tells_ports_apart_by_protocol_and_patches_do_not() -> None:
    ports = _at(find("v1", "Pod"), "spec.containers.[]").fields["ports"]
    assert ports.merge_key == "containerPort"
    assert ports.type.keys == ("containerPort", "protocol")
    assert ports.type.defaults["protocol"] == "TCP"


def test_a_label_selector_is_owned_as_a_whole_and_labels_are_not() -> None:
    deployment = find("apps/v1", "Deployment")
    assert _at(deployment, "spec.selector").atomic
    assert not _at(deployment, "metadata.labels").atomic


def test_a_field_may_see_a_type_otherwise_than_the_type_itself() -> None:
    assert not _at(find("v1", "PersistentVolume"), "spec.claimRef").atomic
    assert _at(find("v1", "Event"), "involvedObject").atomic


def test_patch_strategies_beside_merge() -> None:
    strategy = _at(find("apps/v1", "Deployment"), "spec").fields["strategy"]
    volumes = _at(find("v1", "Pod"), "spec").fields["volumes"]
    selector = _at(find("policy/v1", "PodDisruptionBudget"), "spec").fields["selector"]
    assert strategy.retain_keys
    assert volumes.merge
    assert volumes.retain_keys
    assert selector.replace


def test_types_may_refer_to_themselves() -> None:
    definition = find("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    schema = _at(definition, "spec.versions.[].schema.openAPIV3Schema")
    assert schema.fields["not"].type is schema


def test_kinds_that_are_not_served_have_no_type() -> None:
    assert find("batch/v1beta1", "CronJob") is None
    assert find("example.com/v1", "Widget") is None


def test_without_a_schema_maps_are_open_and_lists_are_whole() -> None:
    assert deduced().others is deduced()
    assert not deduced().associative


def test_a_blank_object_has_the_fields_that_go_always_writes() -> None:
    assert blank("networking.k8s.io/v1", "NetworkPolicy")["spec"] == {"podSelector": {}}
    assert blank("example.com/v1", "Widget") == {"apiVersion": "example.com/v1", "kind": "Widget"}
