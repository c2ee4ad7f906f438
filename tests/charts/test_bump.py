"""The next value of a value keeps its type, and what the schema says of it."""

from typing import Any

import pytest

from watchbill.charts.bump import bump, bump_version


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
    ("value", "rules", "following"),
    [
        ("512Mi", {}, "513Mi"),
        ("orders-db", {}, "orders-db-next"),
        ("{{ .Release.Name }}-2", {}, "{{ .Release.Name }}-2-next"),
        ("abc", {"pattern": "^[a-z]+$"}, "abcx"),
        ("abc", {"maxLength": 3}, None),
        ("a1", {"maxLength": 2}, "a2"),
        ("007", {}, "008"),
        (5432, {}, 5433),
        (65535, {"maximum": 65535}, 65534),
        (3, {"minimum": 3, "maximum": 3}, None),
        (10, {"multipleOf": 5}, 15),
        (1.25, {}, 1.26),
        (0.5, {"exclusiveMaximum": 0.6}, 0.4),
    ],
)
def test_the_value_after(value: Any, rules: dict[str, Any], following: Any) -> None:
    assert bump(value, rules) == following
    assert following is None or type(following) is type(value)
