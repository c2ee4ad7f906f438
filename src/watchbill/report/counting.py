"""How many, and of many the first few."""

from collections.abc import Sequence

MOST_NAMED = 3


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(names: Sequence[str], most: int = MOST_NAMED, *, whole: bool = False) -> str:
    """One more than the most is named too: `and 1 more` would not be shorter."""
    if whole or len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} more"
