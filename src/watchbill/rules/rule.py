"""What a rule is: it claims violations that were seen, or finds one in what is rendered.

Rules never search traces: the explorer and the scenarios do, and give each violation with its shortest trace.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Literal

from msgspec import Struct

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.world import Rendered
from watchbill.rules.look import Look
from watchbill.rules.sighting import Sighting

Path = tuple[str | int, ...]
Confidence = Literal["high", "medium"]

# A change of what a version renders; a finding is one only if such a change makes it go away.
Mend = Callable[[Rendered], Rendered]


class Severity(IntEnum):
    NOTE = 0
    WARNING = 1
    ERROR = 2

    def __str__(self) -> str:
        return self.name.lower()


class Pointer(Struct, frozen=True):
    """A field of an object, before anybody has looked up its line."""

    key: Key
    path: Path = ()
    note: str = ""


class Claim(Struct, frozen=True):
    """What a rule says of a violation."""

    subject: Key  # the object that has to change
    title: str  # operation, object, consequence
    because: str  # what in the chart makes it so: stands beside file:line
    fix: str
    mends: tuple[Mend, ...]  # the first that helps is the fix; without any it is a fact of the tool
    cause: str = ""  # tells findings of one rule on one object apart; no names of releases, no lines
    path: Path = ()  # the field of the subject that makes it so
    related: tuple[Pointer, ...] = ()
    severity: Severity = Severity.ERROR  # at worst: circumstances lower it (see severity.py)
    confidence: Confidence = "high"
    release_name_length: int = 0  # the shortest release name with which it happens; 0: with any name
    flags: frozenset[str] = frozenset()  # that it takes, where no trace shows which


class Rule(Struct, frozen=True):
    id: str
    name: str
    summary: str
    rows: tuple[int, ...] = ()  # of the catalogue of reported defects
    claim: Callable[[Sighting], Claim | None] | None = None
    inspect: Callable[[Look], Iterator[Claim]] | None = None
    covers: tuple[str, ...] = ()  # rules that say of the same object what has the same cause
    joins_objects: bool = False  # whether objects with the same fix are reported as one finding
    after_kills: bool = False  # whether a client that was killed may be part of what it claims
