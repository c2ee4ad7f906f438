"""A log that is asked for again tells each line once. A real broken connection is in tests/cluster/kube."""

import pytest

from watchbill.kube.podlogs import _Place

FIRST = [("00:01.1Z", "a"), ("00:01.12Z", "b"), ("00:01.12Z", "c"), ("00:01.12Z", "d"), ("00:02Z", "e")]


@pytest.mark.parametrize("told", range(len(FIRST) + 1))
@pytest.mark.parametrize("since", [0, 1])
def test_each_line_once(told: int, since: int) -> None:
    """The connection breaks after `told` lines; the answer begins with the second of the last one, or a little later."""
    place = _Place()
    heard = [text for time, text in FIRST[:told] if place.is_new(time)]
    place.again()
    again = FIRST if told <= 4 else FIRST[4:]
    if since and told:
        again = [(time, text) for time, text in FIRST if time.rstrip("Z") >= place.time.rstrip("Z")]
    heard += [text for time, text in again if place.is_new(time)]
    assert heard == ["a", "b", "c", "d", "e"]


def test_twice_in_a_row() -> None:
    place = _Place()
    assert place.is_new("1Z")
    for _ in range(3):
        place.again()
        assert not place.is_new("1Z")
    assert place.is_new("1Z"), "another line of the same time"
    place.again()
    assert [place.is_new("1Z") for _ in range(3)] == [False, False, True]
