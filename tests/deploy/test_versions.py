"""Which of two versions is later, as semver.org says."""

from itertools import pairwise

import pytest

from watchbill import versions
from watchbill.errors import UserError
from watchbill.versions import LONGEST

# From semver.org, item 11, and where numbers and words meet.
IN_ORDER = """
0.0.1 0.1.0 0.9.9 1.0.0-0 1.0.0-2 1.0.0-10 1.0.0-10.a 1.0.0-1a 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta
1.0.0-beta.2 1.0.0-beta.11 1.0.0-beta.11.x 1.0.0-rc.1 1.0.0 1.0.1-rc.1 1.0.1 1.2.0 1.10.0 2.0.0 10.0.0
""".split()


def test_they_come_in_order() -> None:
    parsed = [versions.parse(text) for text in IN_ORDER]
    assert sorted({*parsed}) == parsed
    for before, after in pairwise(parsed):
        assert before < after
        assert after > before
        assert before != after


@pytest.mark.parametrize("text", ["v1.2.3", "1.2.3+build", "v1.2.3+build.5-x"])
def test_what_was_built_does_not_count(text: str) -> None:
    version, plain = versions.parse(text), versions.parse("1.2.3")
    assert version == plain
    assert not version < plain
    assert hash(version) == hash(plain)
    assert str(version) == text.removeprefix("v")


def test_a_label_has_no_plus() -> None:
    assert versions.parse("v1.2.3-rc.1+linux.5").label == "1.2.3-rc.1_linux.5"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "1",
            "1.2",
            "1.2.3.4",
            "vv1.2.3",
            "V1.2.3",
            "1.2.3-",
            "1.2.3+",
            "1.2.3-rc..1",
            "1.2.3-rc_1",
            "latest",
        ),
        *(
            "01.2.3",
            "1.02.3",
            "1.2.3-01",
            " 1.2.3",
            "1.2.3\n",
            "1.2.x",
            "^1.2.3",
            "-1.2.3",
            "१.२.३",
            "1.2.3+a+b",
        ),
        f"1.2.3-{'x' * LONGEST}",
        f"1.{'9' * 5000}.0",
    ],
)
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(UserError) as caught:
        versions.parse(text)
    assert caught.value.then
    assert len(str(caught.value)) < 200
