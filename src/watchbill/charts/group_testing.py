"""Group testing: find the few items of many that have an effect, with few tests.

A test takes any number of items at once. A group without effect is done with one test; a group with an effect is
split in two, down to single items. Finding k of n items takes about 2 k log2(n / k) tests.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def find_effective(
    items: Sequence[Item], have_effect: Callable[[Sequence[Sequence[Item]]], Sequence[bool]]
) -> Iterator[Item]:
    """Yield the items that have an effect alone, level by level. `have_effect` tests many groups in one call."""
    groups = [items] if items else []
    while groups:
        effective = [group for group, has in zip(groups, have_effect(groups), strict=True) if has]
        yield from (group[0] for group in effective if len(group) == 1)
        groups = [half for group in effective if len(group) > 1 for half in halves(group)]


def halves(group: Sequence[Item]) -> tuple[Sequence[Item], Sequence[Item]]:
    middle = len(group) // 2
    return group[:middle], group[middle:]
