"""Bodies that the API server cannot read."""

import copy
import json
from itertools import product
from random import Random
from typing import Any

import pytest

from dev.oracle import Oracle
from tests.lifecycle.kube.fuzz import cases
from tests.lifecycle.kube.seeds import SEEDS
from tests.lifecycle.kube.verdicts import answers
from watchbill.lifecycle.kube.decode import (
    _reader,
    decode_error,
    is_strict_base64,
    strict_error,
    where_go_stops,
)
from watchbill.lifecycle.kube.gotypes import canonical, type_of

Object = dict[str, Any]

WRONG: tuple[Any, ...] = (
    5,
    "x",
    True,
    [],
    {},
    ["y"],
    {"z": 1},
    1.5,
    None,
    "",
    -3,
    99999999999,
    "10",
    "YQ==",
    "YQ",
    "1Gi",
    [None],
)


def wrecked(draw: Random, whole: Object) -> Object:
    """A copy with a value or two of another type, members in the order in which clients send them."""
    copied = copy.deepcopy(whole)
    for _ in range(draw.choice((1, 1, 1, 2))):
        place: Any = copied
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            keys = [key for key in keys if place is not copied or key not in ("apiVersion", "kind")]
            if not keys:
                break
            key = draw.choice(keys)
            if isinstance(place[key], dict | list) and place[key] and draw.random() < 0.85:
                place = place[key]
                continue
            place[key] = copy.deepcopy(draw.choice(WRONG))
            break
        if isinstance(place, dict) and draw.random() < 0.2:
            place["unheardOf"] = 1
    ordered: Object = json.loads(json.dumps(copied, sort_keys=True))
    return ordered


def test_a_number_where_a_string_belongs_is_named_with_its_place() -> None:
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "spec": {"template": {"spec": {"containers": [{"env": [{"name": "PORT", "value": 80}]}]}}},
    }
    assert decode_error(job) == (
        'Job in version "v1" cannot be handled as a Job: json: cannot unmarshal number into Go struct field '
        "EnvVar.spec.template.spec.containers.env.value of type string"
    )


def test_unknown_fields_are_refused_only_in_strict_mode() -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "spec": {"foo": 1}}
    assert decode_error(job) is None
    assert strict_error(job) == (
        'Job in version "v1" cannot be handled as a Job: strict decoding error: unknown field "spec.foo"'
    )


def test_bytes_may_come_as_a_list_and_null_is_zero() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}, "data": {"a": [None, 65]}}
    assert decode_error(secret) is None
    assert canonical(secret)["data"] == {"a": "AEE="}


def test_what_is_read_without_a_word_is_what_nothing_is_said_about() -> None:
    """Most bodies are only looked through; that must come to the same as looking for words."""
    draw = Random(5)
    for whole in SEEDS:
        name = type_of(whole["apiVersion"], whole["kind"])
        assert name is not None
        for _ in range(40):
            body = wrecked(draw, whole)
            assert _reader(name)(body) == (decode_error(body) is None), body


def test_custom_kinds_have_no_types() -> None:
    assert decode_error({"apiVersion": "example.com/v1", "kind": "Thing", "spec": 5}) is None


@pytest.mark.parametrize("strict", [False, True])
def test_the_words_are_those_of_the_server(oracle: Oracle, strict: bool) -> None:
    draw = Random(11)
    wrecks = [wrecked(draw, draw.choice(SEEDS)) for _ in range(cases(1500))]
    words = strict_error if strict else decode_error
    questions = ({"op": "decode", "object": wreck, "strict": strict} for wreck in wrecks)
    for wreck, answer in zip(wrecks, answers(oracle, questions), strict=True):
        assert words(wreck) == answer, wreck


@pytest.mark.parametrize(("letters", "longest"), [("Aq/=\n!", 6), ("A=", 12)])
def test_what_is_base64_to_the_letter_stops_no_decoder(letters: str, longest: int) -> None:
    texts = ("".join(text) for length in range(longest + 1) for text in product(letters, repeat=length))
    strict = [text for text in texts if is_strict_base64(text)]
    assert len(strict) > 8
    assert [text for text in strict if where_go_stops(text) is not None] == []
