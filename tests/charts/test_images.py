"""Image references taken apart, and their tags found in values."""

import pytest

from watchbill.charts.images import Image, parse_image, tag_of_leaf
from watchbill.charts.leaves import Leaf

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("reference", "image"),
    [
        ("app", Image("app")),
        ("app:1", Image("app", "1")),
        ("localhost:5000/app", Image("localhost:5000/app")),
        ("localhost:5000/team/app:1.2", Image("localhost:5000/team/app", "1.2")),
        (f"app:1@{DIGEST}", Image("app", "1", DIGEST)),
    ],
)
def test_references(reference: str, image: Image) -> None:
    assert parse_image(reference) == image


@pytest.mark.parametrize(
    ("value", "following"),
    [
        ("1.2.3", "1.2.4"),
        ("team/app:1.2.3", "team/app:1.2.4"),
        ("other:1.2.3", None),
        ("1.2", None),
        (1.5, 1.6),
    ],
)
def test_a_leaf_holds_a_tag_alone_or_behind_its_repository(value: str | float, following: object) -> None:
    images = frozenset(
        {Image("registry.example.com/team/app", "1.2.3"), Image("db", "1.5"), Image("untagged")}
    )
    assert tag_of_leaf(Leaf(("x",), value), images) == following
