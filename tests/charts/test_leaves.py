"""Which values a release may change, and how a single one is changed."""

from typing import Any

import pytest

from watchbill.charts.leaves import Leaf, leaves_of, overlay

VALUES: dict[str, Any] = {
    "image": {"tag": "1.0", "pullPolicy": "Always"},
    "debug": False,
    "empty": "",
    "nothing": None,
    "jobs": [{"name": "a", "args": ["x", "y"]}, {"name": "b", "timeout": 30}],
    "annotations": {"example.com/a,b": "x"},
}


def test_leaves_are_strings_and_numbers_in_a_fixed_order_named_as_set_spells_them() -> None:
    assert [(leaf.name, leaf.value) for leaf in leaves_of(VALUES)] == [
        (r"annotations.example\.com/a\,b", "x"),
        ("image.pullPolicy", "Always"),
        ("image.tag", "1.0"),
        ("jobs[0].args[0]", "x"),
        ("jobs[0].args[1]", "y"),
        ("jobs[0].name", "a"),
        ("jobs[1].name", "b"),
        ("jobs[1].timeout", 30),
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("image", "pullPolicy"), "Always"),
        (("serviceAccountName",), "robot"),
        (("serviceAccount",), "robot"),
        (("fullnameOverride",), "x"),
        (("auth", "existingSecret"), "credentials"),
        (("imagePullSecrets", 0), "registry"),
        (("replicaCount",), 2),
        (("spec", "parallelism"), 3),
        (("backoffLimit",), 3),
        (("verbose",), "true"),
    ],
)
def test_names_counts_enums_and_booleans_stay(path: tuple[str | int, ...], value: str | int) -> None:
    assert not Leaf(path, value).may_change


@pytest.mark.parametrize(
    "path",
    [("admin",), ("username",), ("gitRef",), ("discount",), ("args", 0), ("timeoutSeconds",), ("PORT",)],
)
def test_what_only_sounds_like_a_name_or_count_may_change(path: tuple[str | int, ...]) -> None:
    assert Leaf(path, "x1").may_change


def test_an_overlay_changes_one_leaf_and_repeats_only_lists() -> None:
    assert overlay(VALUES, ("image", "tag"), "2.0") == {"image": {"tag": "2.0"}}
    assert overlay(VALUES, ("jobs", 1, "timeout"), 31) == {
        "jobs": [{"name": "a", "args": ["x", "y"]}, {"name": "b", "timeout": 31}]
    }
    assert overlay(VALUES, ("jobs", 0, "args", 1), "z")["jobs"][0]["args"] == ["x", "z"]
    assert VALUES["jobs"][1]["timeout"] == 30
