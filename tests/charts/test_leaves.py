"""Which values a release may change, and how a single one is changed."""

from typing import Any

import pytest

from watchbill.charts.leaves import Leaf, leaves_of, next_value, overlay

VALUES: dict[str, Any] = {
    "image": {"tag": "1.0", "pullPolicy": "Always"},
    "debug": False,
    "empty": "",
    "nothing": None,
    "jobs": [{"name": "a", "args": ["x", "y"]}, {"name": "b", "timeout": 30}],
    "replicaCount": 2,
}


def test_leaves_are_strings_and_numbers_in_a_fixed_order() -> None:
    assert [(leaf.name, leaf.value) for leaf in leaves_of(VALUES)] == [
        ("image.pullPolicy", "Always"),
        ("image.tag", "1.0"),
        ("jobs[0].args[0]", "x"),
        ("jobs[0].args[1]", "y"),
        ("jobs[0].name", "a"),
        ("jobs[1].name", "b"),
        ("jobs[1].timeout", 30),
        ("replicaCount", 2),
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("image", "pullPolicy"), "Always"),
        (("serviceAccountName",), "robot"),
        (("auth", "existingSecret"), "credentials"),
        (("replicaCount",), 2),
        (("spec", "parallelism"), 3),
        (("kind",), "blue"),  # an enum, by the schema
        (("list", 0), "red"),  # an enum of items, behind a reference
    ],
)
def test_names_counts_and_enums_stay(path: tuple[str | int, ...], value: str | int) -> None:
    schema = {
        "properties": {
            "kind": {"enum": ["blue", "green"]},
            "list": {"items": {"$ref": "#/$defs/colour"}},
        },
        "$defs": {"colour": {"enum": ["red"]}},
    }
    assert next_value(Leaf(path, value), schema) is None


def test_a_schema_that_refers_to_itself_is_not_followed_for_ever() -> None:
    schema = {"properties": {"a": {"$ref": "#/properties/a"}}}
    assert next_value(Leaf(("a",), "1"), schema) == "2"


def test_an_overlay_changes_one_leaf_and_repeats_only_lists() -> None:
    assert overlay(VALUES, ("image", "tag"), "2.0") == {"image": {"tag": "2.0"}}
    assert overlay(VALUES, ("jobs", 1, "timeout"), 31) == {
        "jobs": [{"name": "a", "args": ["x", "y"]}, {"name": "b", "timeout": 31}]
    }
    assert overlay(VALUES, ("jobs", 0, "args", 1), "z")["jobs"][0]["args"] == ["x", "z"]
    assert VALUES["jobs"][1]["timeout"] == 30
