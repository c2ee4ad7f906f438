"""What becomes of Jobs is an input of the model, never a guess of it."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal

Fate = Literal["succeed", "fail", "hang", "late"]  # late: it succeeds after the client gave up
FATES: tuple[Fate, ...] = ("succeed", "fail", "hang", "late")
Fates = tuple[tuple[str, Fate], ...]  # patterns of names; the newest that matches holds


def fate_of(name: str, fates: Sequence[tuple[str, Fate]]) -> Fate:
    for pattern, fate in reversed(fates):
        if fnmatchcase(name, pattern):
            return fate
    return "succeed"


def ordain(fates: Fates, pattern: str, fate: Fate) -> Fates:
    """A new fate for all names that match; what the same pattern said before is forgotten."""
    return (*((known, old) for known, old in fates if known != pattern), (pattern, fate))
