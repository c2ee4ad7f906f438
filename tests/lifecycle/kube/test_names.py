"""Names are told right by plain code; the server's messages say by which expression it tells them."""

import re
from collections.abc import Callable
from itertools import product

import pytest

from watchbill.lifecycle.kube import names
from watchbill.lifecycle.kube.defaults_pod import pull_policy


@pytest.mark.parametrize(
    ("judge", "bad"),
    [
        (names.dns_label, "-"),
        (names.dns_subdomain, "-"),
        (names.label_key, "-"),
        (names.label_value, "-"),
        (names.percent, "-"),
    ],
)
def test_plain_code_judges_as_the_expression_in_its_message(
    judge: Callable[[str], tuple[str, ...]], bad: str
) -> None:
    expression = re.search("regex used for validation is '(.+)'", judge(bad)[0])
    assert expression is not None
    for length in range(5):
        for letters in product("a0Z-._%é²٣\n", repeat=length):
            value = "".join(letters)
            assert (not judge(value)) == bool(re.fullmatch(expression[1], value)), repr(value)


def test_keys_of_a_config_map_are_of_the_letters_in_the_message() -> None:
    expression = re.search("regex used for validation is '(.+)'", names.config_key("/")[0])
    assert expression is not None
    for length in range(5):
        for letters in product("a0Z-._%é²٣\n", repeat=length):
            value = "".join(letters)
            said = any(expression[1] in words for words in names.config_key(value))
            assert said == (not re.fullmatch(expression[1], value)), repr(value)


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("app", "Always"),
        ("app:latest", "Always"),
        ("host:5000/app", "Always"),
        ("host:5000/app:latest@sha256:" + "a" * 64, "Always"),
        ("app:1.2", "IfNotPresent"),
        ("app:latest-1", "IfNotPresent"),
        ("host:5000/app:1.2", "IfNotPresent"),
        ("app@sha256:" + "a" * 64, "IfNotPresent"),
        ("app:", "IfNotPresent"),
        ("a" * 64, "IfNotPresent"),
    ],
)
def test_images_without_a_tag_or_with_latest_are_always_pulled(image: str, policy: str) -> None:
    assert pull_policy(image) == policy
