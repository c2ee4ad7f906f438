"""What the API server refuses, and in which words."""

import copy
import gzip
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dev.oracle import Oracle, OracleError
from tests.lifecycle.kube.edits import edited
from tests.lifecycle.kube.fuzz import cases
from tests.lifecycle.kube.seeds import SEEDS
from tests.lifecycle.kube.verdicts import answers, is_unordered, modelled, real, stored
from watchbill.charts.engine import Engine
from watchbill.charts.render import parse
from watchbill.lifecycle.kube import catalog, validate
from watchbill.lifecycle.kube.decode import decode_error
from watchbill.lifecycle.kube.defaults import prepare_create, prepare_update
from watchbill.lifecycle.kube.immutable import RULES, Rule, table
from watchbill.lifecycle.kube.validate import Cause, invalid_words, on_create, on_update
from watchbill.lifecycle.kube.words import normalise

Object = dict[str, Any]

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "chart-pairs.jsonl.gz"


def seed(kind: str, number: int = 0) -> Object:
    return copy.deepcopy([whole for whole in SEEDS if whole["kind"] == kind][number])


def put(whole: Object, path: str, value: Any) -> Object:
    *parents, last = path.split(".")
    place = whole
    for key in parents:
        place = place.setdefault(key, {})
    place[last] = value
    return whole


def refused(whole: Object) -> str:
    prepared = prepare_create(whole)
    return invalid_words(prepared, on_create(prepared))


def refused_update(new: Object, old: Object) -> str:
    before = prepare_create(old)
    after = prepare_update(new, before)
    causes = on_update(after, before)
    return invalid_words(after, causes) if causes else ""


def test_the_rules_of_every_kind_are_found() -> None:
    """They are imported by name, when an object of their kind comes along."""
    for rules in (validate._CREATION, validate._UPDATE, validate._RESTRICTED):
        for name in rules.values():
            assert callable(validate._function(name)), name
    assert {*validate._UPDATE, *validate._RESTRICTED} <= validate._CREATION.keys()


def test_a_job_may_not_change_its_template() -> None:
    old = seed("Job")
    new = copy.deepcopy(old)
    new["spec"]["template"]["spec"]["containers"][0]["image"] = "app:2"
    # Sent as a patch: the rest of what is stored stays.
    merged = {
        **prepare_create(old),
        "spec": {**prepare_create(old)["spec"], "template": prepare_create(new)["spec"]["template"]},
    }
    assert refused_update(merged, old) == (
        'Job.batch "thing" is invalid: spec.template: Invalid value: …: field is immutable'
    )


def test_a_job_that_is_replaced_lacks_what_the_server_had_added() -> None:
    assert refused_update(seed("Job", 1), seed("Job", 1)) == (
        'Job.batch "thing" is invalid: [spec.selector: Required value, '
        "spec.template.metadata.labels: Invalid value: …: `selector` does not match template `labels`, "
        "spec.selector: Invalid value: …: field is immutable]"
    )


def test_other_spellings_of_a_quantity_and_empty_lists_are_no_change() -> None:
    old = prepare_create(seed("Job"))
    new = copy.deepcopy(old)
    container = new["spec"]["template"]["spec"]["containers"][0]
    container["resources"]["limits"]["cpu"] = "1"
    container["resources"]["limits"]["memory"] = "1073741824"
    container["command"] = []
    assert on_update(prepare_update(new, old), old) == ()


def test_the_order_of_a_list_counts() -> None:
    old = prepare_create(seed("Job"))
    new = copy.deepcopy(old)
    new["spec"]["template"]["spec"]["containers"][0]["env"].reverse()
    assert on_update(prepare_update(new, old), old) == (
        Cause("spec.template", "Invalid value: …: field is immutable"),
    )


def test_a_suspended_job_without_pods_may_ask_for_other_resources_but_not_run_another_image() -> None:
    old = prepare_create(seed("Job", 1))
    container = old["spec"]["template"]["spec"]["containers"][0]
    bigger = put(copy.deepcopy(old), "spec.template", copy.deepcopy(old["spec"]["template"]))
    bigger["spec"]["template"]["spec"]["containers"] = [{**container, "resources": {"limits": {"cpu": "2"}}}]
    assert on_update(prepare_update(bigger, old), old) == ()
    other = copy.deepcopy(bigger)
    other["spec"]["template"]["spec"]["containers"] = [{**container, "image": "other"}]
    assert on_update(prepare_update(other, old), old) == (
        Cause("spec.template.spec", "Invalid value: …: field is immutable"),
    )
    running = {**old, "status": {"startTime": "2026-01-01T00:00:00Z", "active": 1}}
    assert on_update(prepare_update(bigger, running), running)


def test_the_name_of_a_job_is_a_label_of_its_pods() -> None:
    assert "spec.template.labels: Invalid value" in refused(put(seed("Job", 1), "metadata.name", "x" * 64))
    assert "must be no more than 52 characters" in refused(put(seed("CronJob"), "metadata.name", "x" * 53))


def test_a_job_must_say_that_its_pods_end() -> None:
    assert 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"' in refused(
        put(seed("Job", 1), "spec.template.spec.restartPolicy", "Always")
    )


def test_causes_that_say_the_same_are_said_once() -> None:
    cause = Cause("a", "Required value")
    assert invalid_words(seed("Pod"), (cause, cause)) == 'Pod "thing" is invalid: a: Required value'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            (
                'spec.template: Invalid value: core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:"a}", '
                'Labels:map[string]string{"a":"b"}}, Spec:core.PodSpec{Volumes:[]core.Volume(nil)}}: field is immutable'
            ),
            "spec.template: Invalid value: …: field is immutable",
        ),
        (
            'spec.selector: Invalid value: {"matchLabels":{"a":"}"}}: field is immutable',
            "spec.selector: Invalid value: …: field is immutable",
        ),
        ('a: Invalid value: map[string]string{"a":"b"}: no', "a: Invalid value: …: no"),
        ("a: Invalid value: null: no", "a: Invalid value: …: no"),
        ('a: Invalid value: "te}xt": no', 'a: Invalid value: "te}xt": no'),
        ("a: Invalid value: -5: no", "a: Invalid value: -5: no"),
        (
            '[a: Invalid value: ["x"]: no, b: Duplicate value: "y"]',
            '[a: Invalid value: …: no, b: Duplicate value: "y"]',
        ),
        (
            (
                "spec: Forbidden: spec is immutable after creation except resources.requests and "
                'volumeAttributesClassName for bound claims\n@@ -1,2 +1,2 @@\n {\n-  "a": 1,\n+  "a": 2,\n }\n, b: Required value'
            ),
            (
                "spec: Forbidden: spec is immutable after creation except resources.requests and "
                "volumeAttributesClassName for bound claims\n…, b: Required value"
            ),
        ),
    ],
)
def test_dumps_of_values_are_elided_and_scalars_stay(text: str, expected: str) -> None:
    assert normalise(text) == expected
    assert normalise(expected) == expected


# One edit for each row of the table: what is stored, and what is sent.
EDITS: dict[tuple[str, str], tuple[Object, str, Any]] = {
    ("Job", "spec.selector"): (seed("Job"), "spec.selector", {"matchLabels": {"a": "b"}}),
    ("Job", "spec.template"): (seed("Job"), "spec.template.spec.hostname", "other"),
    ("Job", "spec.completions"): (seed("Job"), "spec.completions", 2),
    ("Job", "spec.completionMode"): (seed("Job"), "spec.completionMode", "Indexed"),
    ("Job", "spec.podFailurePolicy"): (seed("Job", 2), "spec.podFailurePolicy", None),
    ("Job", "spec.backoffLimitPerIndex"): (seed("Job", 2), "spec.backoffLimitPerIndex", 2),
    ("Job", "spec.managedBy"): (seed("Job"), "spec.managedBy", "example.com/x"),
    ("Job", "spec.successPolicy"): (seed("Job", 2), "spec.successPolicy", {"rules": [{"succeededCount": 1}]}),
    **{
        (kind, "spec.selector"): (seed(kind), "spec.selector", {"matchLabels": {"tier": "back"}})
        for kind in ("Deployment", "ReplicaSet", "DaemonSet", "StatefulSet")
    },
    ("StatefulSet", "spec.serviceName"): (seed("StatefulSet"), "spec.serviceName", "other"),
    ("StatefulSet", "spec.volumeClaimTemplates"): (seed("StatefulSet"), "spec.volumeClaimTemplates", None),
    ("StatefulSet", "spec.podManagementPolicy"): (
        seed("StatefulSet"),
        "spec.podManagementPolicy",
        "Parallel",
    ),
    ("Pod", "spec"): (seed("Pod"), "spec.hostname", "other"),
    ("Service", "spec.clusterIP"): (seed("Service"), "spec.clusterIP", "None"),
    ("Service", "spec.loadBalancerClass"): (seed("Service", 2), "spec.loadBalancerClass", "example.com/lb"),
    ("Service", "spec.healthCheckNodePort"): (seed("Service", 2), "spec.healthCheckNodePort", 31000),
    ("PersistentVolumeClaim", "spec"): (seed("PersistentVolumeClaim"), "spec.storageClassName", "slow"),
    ("PersistentVolumeClaim", "spec.volumeMode"): (seed("PersistentVolumeClaim"), "spec.volumeMode", "Block"),
    ("PersistentVolume", "spec (its source)"): (
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": "thing"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "capacity": {"storage": "1Gi"},
                "nfs": {"server": "a", "path": "/a"},
            },
        },
        "spec.nfs.path",
        "/b",
    ),
    ("ConfigMap", "data"): (seed("ConfigMap", 1), "data", {"a": "2"}),
    ("ConfigMap", "immutable"): (seed("ConfigMap", 1), "immutable", False),
    ("Secret", "data"): (put(seed("Secret"), "immutable", True), "data", {"a": "Mg=="}),
    ("Secret", "immutable"): (put(seed("Secret"), "immutable", True), "immutable", None),
    ("Secret", "type"): (seed("Secret"), "type", "example.com/other"),
    ("RoleBinding", "roleRef"): (seed("RoleBinding"), "roleRef.name", "other"),
    ("ClusterRoleBinding", "roleRef"): (seed("ClusterRoleBinding"), "roleRef.name", "other"),
    ("StorageClass", "provisioner"): (seed("StorageClass"), "provisioner", "other.example.com"),
    ("StorageClass", "parameters"): (seed("StorageClass"), "parameters", {"type": "hdd"}),
    ("StorageClass", "reclaimPolicy"): (seed("StorageClass"), "reclaimPolicy", "Retain"),
    ("StorageClass", "volumeBindingMode"): (
        seed("StorageClass"),
        "volumeBindingMode",
        "WaitForFirstConsumer",
    ),
    ("IngressClass", "spec.controller"): (seed("IngressClass"), "spec.controller", "example.com/other"),
    ("PriorityClass", "value"): (seed("PriorityClass"), "value", 1),
    ("PriorityClass", "preemptionPolicy"): (seed("PriorityClass"), "preemptionPolicy", "Never"),
    ("CSIDriver", "spec.attachRequired"): (seed("CSIDriver"), "spec.attachRequired", True),
    ("CSIDriver", "spec.volumeLifecycleModes"): (
        seed("CSIDriver"),
        "spec.volumeLifecycleModes",
        ["Ephemeral"],
    ),
}


def definition() -> Object:
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


EDITS[("PersistentVolume", "spec.volumeMode")] = (
    EDITS[("PersistentVolume", "spec (its source)")][0],
    "spec.volumeMode",
    "Block",
)
EDITS[("CustomResourceDefinition", "spec.scope")] = (definition(), "spec.scope", "Cluster")
EDITS[("CustomResourceDefinition", "spec.names.kind")] = (definition(), "spec.names.kind", "Other")
EDITS[("CustomResourceDefinition", "spec.versions (one that was stored)")] = (
    definition(),
    "spec.versions",
    [{**definition()["spec"]["versions"][0], "name": "v2"}],
)


def established(prepared: Object) -> Object:
    """As it is a moment after it was stored, when its controller has seen it."""
    if prepared["kind"] != "CustomResourceDefinition":
        return prepared
    condition = {
        "type": "Established",
        "status": "True",
        "lastTransitionTime": None,
        "reason": "",
        "message": "",
    }
    return {**prepared, "status": {**prepared["status"], "conditions": [condition]}}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.kind} {rule.field}")
def test_a_field_of_the_table_is_refused_by_the_model_and_by_the_server(oracle: Oracle, rule: Rule) -> None:
    old, path, value = EDITS[rule.kind, rule.field]
    before = established(prepare_create(old))
    edit = put(copy.deepcopy(before), path, value)
    if path == "spec.clusterIP":
        edit["spec"].pop("clusterIPs")
    after = prepare_update(edit, before)
    causes = on_update(after, before)
    assert any(cause.path == rule.cause and rule.words in cause.words for cause in causes), causes
    answer = oracle.ask({"op": "update", "new": edit, "old": before})
    assert modelled(causes) == real(answer)


def test_the_page_shows_the_table(root: Path) -> None:
    assert table() in (root / "docs" / "immutable-fields.md").read_text()


def same_verdicts(oracle: Oracle, objects: list[Object]) -> Iterator[bool]:
    """Each creation, compared; whether it was refused."""
    questions = ({"op": "create", "object": whole} for whole in objects)
    for whole, answer in zip(objects, answers(oracle, questions), strict=True):
        # A bare error is the server's own trouble (two node ports with one number).
        if isinstance(answer, OracleError) or is_unordered(whole):
            continue
        assert decode_error(json.loads(json.dumps(whole, sort_keys=True))) == answer.get("undecodable"), whole
        if "undecodable" not in answer:
            prepared = prepare_create(whole)
            assert modelled(on_create(prepared)) == real(answer), whole
            yield bool(answer["causes"])


def same_update_verdicts(oracle: Oracle, pairs: list[tuple[Object, Object]]) -> Iterator[bool]:
    """Each update over what is stored, compared; whether it was refused."""
    questions = ({"op": "update", "new": new, "old": old} for new, old in pairs)
    for (new, old), answer in zip(pairs, answers(oracle, questions), strict=True):
        if isinstance(answer, OracleError) or "undecodable" in answer or is_unordered(new):
            continue
        prepared = prepare_update(new, old)
        assert modelled(on_update(prepared, old)) == real(answer), (new, old)
        yield bool(answer["causes"])


def test_creations_are_judged_as_the_server_judges_them(oracle: Oracle) -> None:
    draw = Random(21)
    objects = [
        *SEEDS,
        *(edited(draw, draw.choice(SEEDS), draw.choice((1, 1, 2, 3))) for _ in range(cases(900))),
    ]
    verdicts = list(same_verdicts(oracle, objects))
    assert min(verdicts.count(True), verdicts.count(False)) > len(verdicts) / 5


def test_updates_are_judged_as_the_server_judges_them(oracle: Oracle) -> None:
    draw = Random(22)
    pairs = []
    for _ in range(cases(900)):
        old = edited(draw, draw.choice(SEEDS), draw.choice((0, 0, 1)))
        new = edited(draw, old, draw.choice((1, 1, 2)))
        if decode_error(old) is None and not on_create(before := prepare_create(old)):
            if draw.random() < 0.5:
                # As a patch is: everything that is stored, and the edit.
                new = edited(draw, before, draw.choice((1, 1, 2)))
            pairs.append((new, before))
    verdicts = list(same_update_verdicts(oracle, pairs))
    assert min(verdicts.count(True), verdicts.count(False)) > len(verdicts) / 5


@pytest.fixture(scope="module")
def corpus(engine: Engine) -> list[tuple[str, str, Object]]:
    """Pair, side and object of every document of a built-in kind; a part of the pairs unless there is time."""
    if not CORPUS.exists():
        pytest.skip(f"no corpus at {CORPUS}")
    found = []
    step = 1 if "WATCHBILL_FUZZ" in os.environ else 6
    with gzip.open(CORPUS, "rt") as lines:
        for number, line in enumerate(lines):
            if number % step:
                continue
            pair = json.loads(line)
            for side, action in (("old", "install"), ("new", "upgrade")):
                text = "\n---\n".join(document["yaml"] for document in pair[side][action])
                found += [
                    (pair["pair"], side, resource.object)
                    for resource in parse(engine, pair["pair"], text).resources
                    if catalog.find(str(resource.object.get("apiVersion")), resource.kind)
                ]
    return found


def test_documents_of_real_charts_are_judged_and_stored_as_the_server_does(
    oracle: Oracle, corpus: list[tuple[str, str, Object]]
) -> None:
    unique = {json.dumps(whole, sort_keys=True): whole for _, _, whole in corpus}
    objects = list(unique.values())
    assert not all(same_verdicts(oracle, objects))
    questions = ({"op": "create", "object": whole} for whole in objects)
    for whole, answer in zip(objects, answers(oracle, questions), strict=True):
        if "undecodable" not in answer:
            assert stored(prepare_create(whole)) == stored(answer["object"]), whole


def test_upgrades_of_real_charts_are_judged_as_the_server_does(
    oracle: Oracle, corpus: list[tuple[str, str, Object]]
) -> None:
    def identity(whole: Object) -> tuple[str, ...]:
        return (
            whole["apiVersion"],
            whole["kind"],
            whole["metadata"].get("namespace", ""),
            whole["metadata"]["name"],
        )

    named = [(pair, side, whole) for pair, side, whole in corpus if whole["metadata"].get("name")]
    news = {(pair, identity(whole)): whole for pair, side, whole in named if side == "new"}
    pairs = []
    for pair, side, old in named:
        new = news.get((pair, identity(old)))
        if side == "old" and new is not None and new != old and decode_error(old) is None:
            pairs.append((new, prepare_create(old)))
    assert any(same_update_verdicts(oracle, pairs))


def test_the_words_have_no_dumps_in_them() -> None:
    for whole in SEEDS:
        assert not re.search(
            r"Invalid value: [{\[]", refused_update(put(copy.deepcopy(whole), "metadata.name", "X Y"), whole)
        )
