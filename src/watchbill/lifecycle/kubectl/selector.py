"""Label selectors, as far as people write them behind -l (apimachinery's pkg/labels)."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from watchbill.patterns import regex

_NAME = r"[\w./-]+"
_REQUIREMENT = regex(
    rf"\s*(?:!\s*(?P<absent>{_NAME})"
    rf"|(?P<set>{_NAME})\s+(?P<word>in|notin)\s*\((?P<values>[^()]*)\)"
    rf"|(?P<name>{_NAME})\s*(?:(?P<sign>==?|!=)\s*(?P<value>[\w.-]*))?)\s*"
)


class BadSelector(Exception):  # noqa: N818 - it is the selector that is bad
    """In kubectl's words."""


class Requirement(NamedTuple):
    name: str
    values: frozenset[str] | None  # None: any
    wanted: bool

    def fits(self, labels: Mapping[str, str]) -> bool:
        found = self.name in labels and (self.values is None or labels[self.name] in self.values)
        return found == self.wanted


Selector = tuple[Requirement, ...]


def parse(text: str) -> Selector:
    requirements = []
    position = 0
    while position < len(text):
        found = _REQUIREMENT.match(text, position)
        if found is None:
            raise BadSelector(_bad(text, position, "!, identifier, or 'end of string'"))
        requirements.append(_requirement(found))
        position = found.end()
        if position < len(text) and text[position] != ",":
            raise BadSelector(_bad(text, position, "',' or 'end of string'"))
        position += 1
    return tuple(requirements)


def fits(selector: Selector, labels: Mapping[str, str]) -> bool:
    return all(requirement.fits(labels) for requirement in selector)


def _requirement(found: re.Match[str]) -> Requirement:
    if found["absent"]:
        return Requirement(found["absent"], None, wanted=False)
    if found["set"]:
        values = frozenset(value.strip() for value in found["values"].split(","))
        return Requirement(found["set"], values, wanted=found["word"] == "in")
    if found["sign"]:
        return Requirement(found["name"], frozenset({found["value"]}), wanted=found["sign"] != "!=")
    return Requirement(found["name"], None, wanted=True)


def _bad(text: str, position: int, expected: str) -> str:
    return f"the provided selector \"{text}\" is not valid: found '{text[position]}', expected: {expected}"
