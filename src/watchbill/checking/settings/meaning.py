"""From what is written to what is meant; what cannot be meant, with its place."""

import os
from collections.abc import Iterator, Mapping, Sequence

from watchbill.charts.plain import Path
from watchbill.checking.settings import written as as_written
from watchbill.checking.settings.config import Config, Ignore, Release, Severity
from watchbill.checking.settings.flags import EVERY_TOOL, name_of, timeout_of, wrong
from watchbill.checking.settings.own_scenarios import BadScenario, read_scenario
from watchbill.checking.settings.rule_names import RuleNames
from watchbill.checking.settings.shape import Mistake, quoted, suggest
from watchbill.errors import UserError
from watchbill.lifecycle.kube.names import dns_label
from watchbill.lifecycle.lab import Contract, Tool
from watchbill.lifecycle.scenarios import HELM_SCENARIOS, KUBECTL_SCENARIOS, Scenario
from watchbill.rehearsal.script import check_release, read_tool

STANDARD = frozenset(scenario.name for scenario in (*HELM_SCENARIOS, *KUBECTL_SCENARIOS))


class Meaning:
    """Gathers mistakes on the way: the user hears of all of them at once."""

    def __init__(self, written: as_written.Config, file: str, rules: RuleNames) -> None:
        self.mistakes: list[Mistake] = []
        self._written = written
        self._folder = os.path.dirname(file)
        self._rules = rules
        self._file = file

    def config(self, ignore_lines: Sequence[int]) -> Config:
        """All of it. Of worth only if there are no mistakes then."""
        written = self._written
        tools = self._tools(written.tools, ("tools",))
        self._check_flags(written.flags, tools, ("flags",))
        return Config(
            file=self._file,
            tools=tools,
            fail_on=written.fail_on,
            in_use=frozenset(map(name_of, written.flags)),
            timeout=timeout_of(written.flags),
            releases=self._releases(tools),
            contracts=tuple(self._contracts()),
            scenarios=tuple(self._scenarios()),
            severities=self._severities(),
            ignores=tuple(map(self._ignore, range(len(written.ignores)), written.ignores, ignore_lines)),
            baseline=self._path(written.baseline) if written.baseline else "",
        )

    def _wrong(self, path: Path, what: str, then: str | None = "") -> None:
        self.mistakes.append(Mistake(path, what, then or ""))

    def _path(self, text: str) -> str:
        return os.path.join(self._folder, text)

    def _tools(self, texts: Sequence[str], path: Path) -> tuple[Tool, ...]:
        tools = []
        for place, text in enumerate(texts):
            try:
                tools.append(read_tool(text))
            except UserError as error:
                self._wrong((*path, place), error.what, (error.then or "").replace("--tool ", ""))
        return tuple(dict.fromkeys(tools))

    def _check_flags(self, texts: Sequence[str], tools: Sequence[Tool], path: Path) -> None:
        for place, text in enumerate(texts):
            if said := wrong(text, tools or EVERY_TOOL):
                self._wrong((*path, place), *said)

    def _releases(self, tools: tuple[Tool, ...]) -> tuple[Release, ...]:
        found = dict[tuple[str, str, str], Release]()
        for place, written in enumerate(self._written.releases):
            path = ("releases", place)
            release = self._release(written, tools, path)
            known = release.chart, release.name, release.namespace
            if known in found:
                self._wrong(path, "duplicate release", "give it another name or namespace")
            found[known] = release
        return tuple(found.values())

    def _release(self, written: as_written.Release, tools: tuple[Tool, ...], path: Path) -> Release:
        own = self._tools(written.tools, (*path, "tools")) or tools
        self._check_flags(written.flags, own, (*path, "flags"))
        chart = self._path(written.chart)
        if not os.path.exists(chart):
            self._wrong((*path, "chart"), f"no chart at {quoted(chart)}", _neighbour(chart))
        for number, text in enumerate(written.values):
            if "://" not in text and not os.path.exists(file := self._path(text)):
                self._wrong((*path, "values", number), f"no file at {quoted(file)}", _neighbour(file))
        if written.name:
            try:
                check_release(written.name)
            except UserError as error:
                self._wrong((*path, "name"), error.what, error.then)
        if written.namespace and dns_label(written.namespace):
            self._wrong(
                (*path, "namespace"),
                f"{quoted(written.namespace)} is not a valid namespace",
                "use lower-case letters, digits and -, at most 63 characters",
            )
        return Release(
            chart=os.path.realpath(chart),
            name=written.name,
            namespace=written.namespace,
            values=tuple(text if "://" in text else self._path(text) for text in written.values),
            tools=own,
            in_use=frozenset(map(name_of, (*self._written.flags, *written.flags))),
            timeout=timeout_of((*self._written.flags, *written.flags)),
        )

    def _contracts(self) -> Iterator[Contract]:
        for place, written in enumerate(self._written.contracts):
            if written.runs is None and written.overlap is None:
                self._wrong(
                    ("contracts", place),
                    f"the contract of {quoted(written.job)} is empty",
                    "add runs or overlap",
                )
            yield Contract(written.job, written.runs or "", written.overlap or "")

    def _scenarios(self) -> Iterator[Scenario]:
        names = set(STANDARD)
        for place, written in enumerate(self._written.scenarios):
            path = ("scenarios", place)
            if written.name in names:
                self._wrong(
                    (*path, "name"),
                    f"there is a scenario {quoted(written.name)} already",
                    "give it another name",
                )
            names.add(written.name)
            try:
                yield read_scenario(written.name, written.moves)
            except BadScenario as bad:
                where = ("moves",) if bad.place is None else ("moves", bad.place)
                self._wrong((*path, *where), bad.what, bad.then)

    def _severities(self) -> Mapping[str, Severity]:
        found = dict[str, Severity]()
        for word, severity in self._written.severities.items():
            rule = self._rule(word, ("severities", word))
            if rule in found:
                self._wrong(("severities", word), f"duplicate rule {rule}: by its id and by its name")
            found[rule] = severity
        return found

    def _ignore(self, place: int, written: as_written.Ignore, line: int) -> Ignore:
        path = ("ignores", place)
        if not (written.rule or written.resource or written.dependency):
            self._wrong(path, "this ignores everything", "say which: rule, resource or dependency")
        kind, slash, name = written.resource.partition("/")
        if written.resource and not (kind and slash and name):
            then = "write it as KIND/NAME, like Job/*-smoke"
            self._wrong((*path, "resource"), f"{quoted(written.resource)} is not a resource", then)
        return Ignore(
            reason=" ".join(written.reason.split()),
            rule=self._rule(written.rule, (*path, "rule")) if written.rule else "",
            resource=written.resource,
            dependency=written.dependency,
            line=line,
        )

    def _rule(self, text: str, path: Path) -> str:
        rule = self._rules.id_of(text)
        if rule is None:
            self._wrong(path, *self._rules.unknown(text))
        return rule or text


def _neighbour(path: str) -> str:
    """Something beside it that is called alike."""
    folder, name = os.path.split(os.path.normpath(path))
    try:
        return suggest(name, sorted(os.listdir(folder or ".")))
    except OSError:
        return "paths are from the folder of this file"
