"""Group testing finds what trying every item alone finds, with fewer tests."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from watchbill.charts.group_testing import find_effective


@given(st.integers(0, 200), st.sets(st.integers(0, 199)))
def test_finds_exactly_the_items_with_an_effect(count: int, effective: set[int]) -> None:
    def have_effect(groups: Sequence[Sequence[int]]) -> list[bool]:
        return [not effective.isdisjoint(group) for group in groups]

    found = set(find_effective(range(count), have_effect))
    assert found == {item for item in effective if item < count}


def test_few_of_many_take_few_tests() -> None:
    tests = 0

    def have_effect(groups: Sequence[Sequence[int]]) -> list[bool]:
        nonlocal tests
        tests += len(groups)
        return [17 in group or 600 in group for group in groups]

    assert set(find_effective(range(613), have_effect)) == {17, 600}
    assert tests <= 2 * 2 * 10 + 1
