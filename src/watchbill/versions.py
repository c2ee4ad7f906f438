"""Versions of products, as semver.org has them: which of two is later. A leading v is allowed."""

from dataclasses import dataclass, field

from watchbill.errors import UserError
from watchbill.patterns import regex

LONGEST = 63  # of a label's value: releases carry the version

_NUMBER = "(0|[1-9][0-9]*)"
_PART = "(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_VERSION = regex(
    rf"v?{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_PART}(?:\.{_PART})*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)

Order = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


@dataclass(frozen=True, order=True)
class Version:
    """Equal are versions of equal rank, whatever was built of them: v1.0.0+linux is 1.0.0."""

    rank: Order
    text: str = field(compare=False)  # as it is written, without the v

    @property
    def label(self) -> str:
        """As the value of a label, in which no + may stand."""
        return self.text.replace("+", "_")

    @property
    def release(self) -> "Version":
        """The release that a pre-release leads to: 2.6.0 of 2.6.0-rc.1."""
        major, minor, patch = self.rank[:3]
        return Version((major, minor, patch, True, ()), f"{major}.{minor}.{patch}")

    def __str__(self) -> str:
        return self.text


def parse(text: str) -> Version:
    found = _VERSION.fullmatch(text)
    if not found:
        raise UserError(
            f"{_short(text)!r} is not a valid version",
            then="write it as MAJOR.MINOR.PATCH, like 2.6.0 or 2.6.0-rc.1",
        )
    if len(text) > LONGEST:
        raise UserError(f"the version {_short(text)!r} is too long", then=f"use at most {LONGEST} characters")
    major, minor, patch, early = found.groups()
    parts = tuple(map(_part, early.split("."))) if early else ()
    return Version((int(major), int(minor), int(patch), not parts, parts), text.removeprefix("v"))


def _part(text: str) -> tuple[bool, int, str]:
    """Of a pre-release: numbers come before words."""
    return (False, int(text), "") if text.isdecimal() else (True, 0, text)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
