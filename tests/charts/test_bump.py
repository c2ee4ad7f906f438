"""The next value of a value keeps its type."""

from typing import Any

import pytest

from watchbill.charts.bump import bump_image, bump_version, candidates


@pytest.mark.parametrize(
    ("version", "following"),
    [
        ("1.2.3", "1.2.4"),
        ("v1.9", "v1.10"),
        ("2024-08", "2024-09"),
        ("1.36-alpine3.19", "1.36-alpine3.20"),
        ("2.0.0-rc.1", "2.0.0-rc.2"),
        ("1.2.3+build.5", "1.2.4"),
        ("latest", "latest-next"),
        ("17", "18"),
    ],
)
def test_the_version_after(version: str, following: str) -> None:
    assert bump_version(version) == following


@pytest.mark.parametrize(
    ("reference", "following"),
    [
        ("app:1.2", "app:1.3"),
        ("registry:5000/team/app:v1", "registry:5000/team/app:v2"),
        (f"app:1.9@sha256:{'a' * 64}", "app:1.10"),
    ],
)
def test_the_image_after(reference: str, following: str) -> None:
    assert bump_image(reference) == following


@pytest.mark.parametrize(
    ("value", "following"),
    [
        ("512Mi", ["513Mi", "512Mi-next", "512Mix", "512Ma"]),
        ("orders-db", ["orders-db-next", "orders-dbx", "orders-da"]),
        ("{{ .Release.Name }}-2", ["{{ .Release.Name }}-2-next", "{{ .Release.Name }}-2x"]),
        ("007", ["008", "007-next", "007x"]),
        (5432, [5433, 5431, 10864]),
        (1.25, [1.26, 1.24, 2.5]),
        (20240131.0, [20240132.0, 20240130.0, 40480262.0]),
    ],
)
def test_what_may_follow_a_value_the_likeliest_first(value: Any, following: list[Any]) -> None:
    assert candidates(value) == following
    assert {type(candidate) for candidate in following} == {type(value)}
