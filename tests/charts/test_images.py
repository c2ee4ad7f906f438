"""Image references taken apart."""

import pytest

from watchbill.charts.images import Image, only_tags_differ, parse_image

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


def test_another_repository_is_not_another_tag() -> None:
    assert only_tags_differ([Image("a", "1")], [Image("a", "2")])
    assert not only_tags_differ([Image("a", "1")], [Image("b", "1")])
    assert not only_tags_differ([Image("a", "1")], [Image("a", "1")])
