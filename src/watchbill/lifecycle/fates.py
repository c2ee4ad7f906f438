"""What becomes of Jobs is an input of the model, never a guess of it."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Literal

Fate = Literal["succeed", "fail", "hang", "late"]  # late: it succeeds after the client gave up
FATES: tuple[Fate, ...] = ("succeed", "fail", "hang", "late")
Fates = tuple[tuple[str, Fate], ...]  # patterns of names; the newest that matches holds

RUNS_TO_COMPLETION = ("Job", "Pod")


def fate_of(kind: str, name: str, fates: Sequence[tuple[str, Fate]]) -> Fate:
    """A plain pattern is about Jobs and Pods; `Deployment/web` is about what it says."""
    for pattern, fate in reversed(fates):
        wanted, slash, names = pattern.rpartition("/")
        if (wanted == kind if slash else kind in RUNS_TO_COMPLETION) and _matches(name, names):
            return fate
    return "succeed"


def _matches(name: str, pattern: str) -> bool:
    """Most patterns are a star or a name: for those no expression is compiled."""
    if pattern == "*" or not any(map(pattern.__contains__, "*?[")):
        return pattern in ("*", name)
    return fnmatchcase(name, pattern)


def ordain(fates: Fates, pattern: str, fate: Fate) -> Fates:
    """A new fate for all names that match; what the same pattern said before is forgotten."""
    return (*((known, old) for known, old in fates if known != pattern), (pattern, fate))
