"""Versions of charts and the steps between them."""

import re
from enum import IntEnum

from dev.charts_tree import ChartsError

Numbers = tuple[int, int, int]


class Step(IntEnum):
    """How far a version is raised; the greater one decides where several meet."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


def numbers(version: str) -> Numbers:
    match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)", version)
    if not match:
        raise ChartsError(f"the version {version!r} is not of the form 1.2.3")
    major, minor, patch = map(int, match.groups())
    return major, minor, patch


def raised(version: str, step: Step) -> str:
    major, minor, patch = numbers(version)
    after = {
        Step.NONE: (major, minor, patch),
        Step.PATCH: (major, minor, patch + 1),
        Step.MINOR: (major, minor + 1, 0),
        Step.MAJOR: (major + 1, 0, 0),
    }
    return ".".join(map(str, after[step]))


def step(before: str, after: str) -> Step:
    """What was raised; an error if it was lowered."""
    old, new = numbers(before), numbers(after)
    if new < old:
        raise ChartsError(f"the version went down from {before} to {after}")
    if new == old:
        return Step.NONE
    return (Step.MAJOR, Step.MINOR, Step.PATCH)[[a == b for a, b in zip(old, new, strict=True)].index(False)]
