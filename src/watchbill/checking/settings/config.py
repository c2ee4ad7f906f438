"""What `.watchbill.yaml` means: names resolved, paths complete, every word known."""

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Literal

from msgspec import Struct

from watchbill.checking.result import Finding
from watchbill.lifecycle.flags import DEFAULT_TIMEOUT
from watchbill.lifecycle.lab import Contract, Tool
from watchbill.lifecycle.scenarios import Scenario

FailOn = Literal["error", "warning", "note", "never"]
Severity = Literal["error", "warning", "note", "off"]


class Release(Struct, frozen=True):
    """How a chart is really installed."""

    chart: str  # its real path
    name: str = ""  # empty: not said
    namespace: str = ""
    values: tuple[str, ...] = ()  # paths
    tools: tuple[Tool, ...] = ()  # its own, or those of the whole file; none: not said
    in_use: frozenset[str] = frozenset()  # names of flags, those of the whole file among them
    timeout: float = DEFAULT_TIMEOUT  # of Helm, in seconds


class Ignore(Struct, frozen=True):
    """Holds for findings of which all that it says is true."""

    reason: str
    rule: str = ""  # WB304
    resource: str = ""  # pattern of KIND/NAME
    dependency: str = ""  # pattern of a subchart's name
    line: int = 0  # where it stands

    def holds_for(self, finding: Finding) -> bool:
        if self.rule and self.rule != finding.rule:
            return False
        if self.resource and not all(map(self._is_resource, finding.objects)):
            return False  # of several objects one may be new, and not what was accepted
        return not self.dependency or self._is_dependency(finding.dependency)

    def _is_resource(self, named: str) -> bool:
        kind, _, name = named.partition("/")
        wanted_kind, _, wanted_name = self.resource.partition("/")
        return fnmatchcase(kind.lower(), wanted_kind.lower()) and fnmatchcase(name, wanted_name)

    def _is_dependency(self, named: str) -> bool:
        """`redis` is also the one inside `shop/redis`, and `shop` all that is in it."""
        way = named.partition(" ")[0]
        return any(fnmatchcase(name, self.dependency) for name in (way, *way.split("/")) if name)

    def __str__(self) -> str:
        said = (("", self.rule), ("of ", self.resource), ("in ", self.dependency))
        return " ".join(f"{before}{what}" for before, what in said if what)


class Config(Struct, frozen=True):
    file: str = ""  # as the user would name it; empty: there is none
    tools: tuple[Tool, ...] = ()  # none: not said
    fail_on: FailOn | None = None
    in_use: frozenset[str] = frozenset()  # names of flags
    timeout: float = DEFAULT_TIMEOUT  # of Helm, in seconds
    releases: tuple[Release, ...] = ()
    contracts: tuple[Contract, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    severities: Mapping[str, Severity] = {}  # by the rule's number
    ignores: tuple[Ignore, ...] = ()
    baseline: str = ""

    def releases_of(self, chart: str) -> tuple[Release, ...]:
        """All that are installed from the chart at this path, in their order."""
        real = os.path.realpath(chart)
        return tuple(release for release in self.releases if release.chart == real)
