"""Objects as the API server stores them."""

from random import Random
from typing import Any

import pytest

from dev.oracle import Oracle, OracleError
from tests.lifecycle.kube.edits import edited
from tests.lifecycle.kube.fuzz import cases
from tests.lifecycle.kube.seeds import SEEDS
from tests.lifecycle.kube.verdicts import answers, stored
from watchbill.lifecycle.kube import quantity, validate
from watchbill.lifecycle.kube.decode import decode_error
from watchbill.lifecycle.kube.defaults import prepare_create, prepare_update

Object = dict[str, Any]


def job(**spec: Any) -> Object:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox"}]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j"},
        "spec": {"template": template, **spec},
    }


def service(**spec: Any) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "s"},
        "spec": {"ports": [{"port": 80}], **spec},
    }


def test_a_job_gets_a_selector_and_labels_of_its_own() -> None:
    stored_job = prepare_create(job())
    assert stored_job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": "uid"}}
    assert stored_job["spec"]["template"]["metadata"]["labels"] == {
        "job-name": "j",
        "batch.kubernetes.io/job-name": "j",
        "controller-uid": "uid",
        "batch.kubernetes.io/controller-uid": "uid",
    }
    assert stored_job["spec"]["backoffLimit"] == 6
    assert stored_job["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] == "Always"


def test_a_service_keeps_its_address_when_the_same_manifest_is_sent_again() -> None:
    first = prepare_create(service(type="NodePort"))
    assert first["spec"]["clusterIP"] == "allocated"
    assert prepare_update(service(type="NodePort"), first)["spec"] == first["spec"]


def test_a_service_that_becomes_internal_loses_its_node_port() -> None:
    exposed = prepare_create(service(type="NodePort"))
    merged = {**exposed, "spec": {**exposed["spec"], "type": "ClusterIP"}}
    assert "nodePort" not in prepare_update(merged, exposed)["spec"]["ports"][0]


def test_the_text_of_a_secret_becomes_its_data() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "b"}}
    assert prepare_create(secret)["data"] == {"a": "Yg=="}


def test_what_the_server_does_not_know_is_dropped_and_the_input_is_left_alone() -> None:
    given = job(unheardOf=1)
    assert "unheardOf" not in prepare_create(given)["spec"]
    assert given["spec"]["unheardOf"] == 1
    assert "selector" not in given["spec"]


def test_custom_objects_stay_as_they_are() -> None:
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": {"a": None}}
    assert prepare_create(thing) is thing


def test_preparing_twice_changes_nothing() -> None:
    for seed in SEEDS:
        once = prepare_create(seed)
        assert prepare_update(once, once) == once


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.1Gi", "107374182400m"),
        ("1e3", "1e3"),
        ("1500000", "1500k"),
        ("+1", "+1"),
        ("0.0001", "100u"),
    ],
)
def test_quantities_have_one_spelling(given: str, written: str) -> None:
    assert quantity.canonical(given) == written


def test_quantities_are_written_as_the_server_writes_them(oracle: Oracle) -> None:
    draw = Random(3)
    suffixes = ("", *"n u m k M G T P E Ki Mi Gi Ti Pi Ei e3 E-2 e+6".split())
    numbers = "0 1 10 100 1000 1024 1500 0.5 1.500 00.25 .5 5. +3 -2.5 123456789".split()
    texts = [draw.choice(numbers) + draw.choice(suffixes) for _ in range(cases(400))]
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "p"},
            "spec": {
                "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": text}}}],
                "volumes": [{"name": "v", "emptyDir": {"sizeLimit": text}}],
            },
        }
        for text in texts
    ]
    for pod, answer in zip(
        pods, answers(oracle, ({"op": "create", "object": pod} for pod in pods)), strict=True
    ):
        assert answer["object"]["spec"]["containers"] == prepare_create(pod)["spec"]["containers"], pod
        assert answer["object"]["spec"]["volumes"] == prepare_create(pod)["spec"]["volumes"], pod


def test_created_objects_are_stored_as_the_server_stores_them(oracle: Oracle) -> None:
    draw = Random(5)
    objects = [*SEEDS, *(edited(draw, draw.choice(SEEDS), draw.choice((1, 2, 3))) for _ in range(cases(500)))]
    compared = 0
    for whole, answer in zip(
        objects, answers(oracle, ({"op": "create", "object": whole} for whole in objects)), strict=True
    ):
        # Where the server refuses an object, nothing is stored.
        if isinstance(answer, OracleError) or answer.get("undecodable") or answer["causes"]:
            continue
        compared += 1
        assert stored(prepare_create(whole)) == stored(answer["object"]), whole
    assert compared > len(objects) / 5


def test_updated_objects_are_stored_as_the_server_stores_them(oracle: Oracle) -> None:
    draw = Random(6)
    pairs = []
    for _ in range(cases(500)):
        old = edited(draw, draw.choice(SEEDS), draw.choice((0, 0, 1)))
        new = edited(draw, old, draw.choice((1, 1, 2)))
        if decode_error(old) or decode_error(new) or validate.on_create(prepare_create(old)):
            continue
        pairs.append((new, prepare_create(old)))
    compared = 0
    questions = ({"op": "update", "new": new, "old": old} for new, old in pairs)
    for (new, old), answer in zip(pairs, answers(oracle, questions), strict=True):
        if isinstance(answer, OracleError) or answer["causes"]:
            continue
        compared += 1
        assert stored(prepare_update(new, old)) == stored(answer["object"]), (new, old)
    assert compared > len(pairs) / 5
