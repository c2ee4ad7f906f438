"""From what is written in a bill to what is meant; what cannot be meant, with its place."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from watchbill import durations, versions
from watchbill.charts.plain import Path
from watchbill.checking.settings.shape import Mistake, quoted, suggest
from watchbill.deploy import named_files
from watchbill.deploy import written as as_written
from watchbill.deploy.bill import Bill, Component
from watchbill.deploy.named_files import Wrong
from watchbill.deploy.needs import find_cycle
from watchbill.errors import UserError
from watchbill.lifecycle.kube.names import dns_label, label_value
from watchbill.rehearsal.script import check_release
from watchbill.versions import Version

GLOBAL = "global"  # what jobs of no component say
LONGEST_NAME = 53  # of releases; and the record of a product is called watchbill-PRODUCT
OF_NAMES = f"use small letters, digits and -, at most {LONGEST_NAME} of them"
OF_NAMESPACES = "use small letters, digits and -, at most 63 of them"
OF_PROFILES = "use letters, digits, -, _ and ., at most 63 of them"
_ONE = {"profiles": "profile", "environments": "environment"}
UNKNOWN = versions.parse("0.0.0")

Section = tuple[str, Sequence[as_written.Component]]


class Values(NamedTuple):
    files: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    set_string: tuple[str, ...] = ()


class Meaning:
    """Gathers mistakes on the way: the user hears of all of them at once."""

    def __init__(self, written: as_written.Bill, file: str, profile: str, environment: str) -> None:
        self.mistakes: list[Mistake] = []
        self._written = written
        self._file = file
        self._folder = os.path.dirname(os.path.abspath(file))
        self._profile = profile
        self._environment = environment
        self._sections: tuple[Section, ...] = (
            ("prerequisites", written.prerequisites),
            ("components", written.components),
        )
        self._names = frozenset(one.name for _, components in self._sections for one in components)
        first = [one.name for one in written.prerequisites]
        self._chain = {
            name: first[:place][-1:] for place, name in enumerate(first)
        }  # each after the one before
        self._overlays = dict[
            tuple[str, str, str], Values
        ]()  # by kind, name and component, which is empty for all

    def bill(self, lines: Sequence[int]) -> Bill:
        """All of it; `lines` of prerequisites and components. Of worth only if there are no mistakes then."""
        written = self._written
        self._check_name(written.product, ("product",))
        self._check_namespace(written.default_namespace, ("defaultNamespace",))
        self._check_jobs()
        self._read_overlays("profiles", written.profiles)
        self._read_overlays("environments", written.environments)
        if not any(components for _, components in self._sections):
            self._wrong((), "no components", "list under components what to deploy")
        found = tuple(self._components(lines))
        self._check_twice()
        self._check_cycles()
        version = self._version(written.version, ("version",))
        return Bill(
            file=self._file,
            folder=self._folder,
            product=written.product,
            version=version or UNKNOWN,
            upgrades_from=self._upgrades_from(version),
            default_namespace=written.default_namespace,
            workers=written.workers,
            timeout=self._seconds(written.timeout, ("timeout",)) if written.timeout else None,
            grace=self._seconds(written.grace, ("grace",), least=0),
            crds=self._files(written.crds, ("crds",), named_files.definitions),
            jobs=written.jobs,
            profile=self._profile,
            environment=self._environment,
            environments=tuple(written.environments),
            context=chosen.context if (chosen := written.environments.get(self._environment)) else "",
            prerequisites=tuple(one for one in found if one.is_prerequisite),
            components=tuple(one for one in found if not one.is_prerequisite),
        )

    def _wrong(self, path: Path, what: str, then: str | None = "") -> None:
        self.mistakes.append(Mistake(path, what, then or ""))

    # --- names

    def _check_name(self, text: str, path: Path) -> None:
        if dns_label(text) or len(text) > LONGEST_NAME:
            self._wrong(path, f"{quoted(text)} is not a valid name", OF_NAMES)

    def _check_namespace(self, text: str, path: Path) -> None:
        if dns_label(text):
            self._wrong(path, f"{quoted(text)} is not a valid namespace", OF_NAMESPACES)

    def _check_release(self, written: as_written.Component, path: Path) -> None:
        self._check_name(written.name, (*path, "name"))
        if written.name == GLOBAL:
            self._wrong(
                (*path, "name"),
                f"no component can be called {GLOBAL!r}",
                "jobs that belong to no component go by that: give it another name",
            )
        if written.release:
            try:
                check_release(written.release)
            except UserError as error:
                self._wrong((*path, "release"), error.what, error.then)

    def _check_twice(self) -> None:
        """Names, because jobs go by them; and releases, because two would take turns in one."""
        names, releases = dict[str, str](), dict[tuple[str, str], str]()
        for section, components in self._sections:
            for place, written in enumerate(components):
                path = (section, place)
                if written.name in names:
                    self._wrong(
                        (*path, "name"),
                        f"{quoted(written.name)} stands under {names[written.name]} already",
                        "give one of them another name",
                    )
                    continue
                names[written.name] = section
                release = (
                    written.release or written.name,
                    written.namespace or self._written.default_namespace,
                )
                if release in releases:
                    self._wrong(
                        path,
                        f"{quoted(written.name)} and {quoted(releases[release])} are both the release "
                        f"{quoted(release[0])} in namespace {quoted(release[1])}",
                        "give one of them another release or namespace",
                    )
                releases[release] = written.name

    # --- needs

    def _needs(self, written: as_written.Component, path: Path) -> tuple[str, ...]:
        """What it names, and for a prerequisite the one before it."""
        for place, name in enumerate(written.needs):
            if name not in self._names:
                then = (
                    suggest(name, sorted(self._names)) or f"components are: {', '.join(sorted(self._names))}"
                )
                self._wrong((*path, "needs", place), f"unknown component {quoted(name)}", then)
        return tuple(dict.fromkeys((*written.needs, *self._chain.get(written.name, ()))))

    def _check_cycles(self) -> None:
        """Components all need all prerequisites, and each of these needs the one before it."""
        needs = {one.name: one.needs for _, components in self._sections for one in components}
        first = tuple(self._chain)
        cycle = find_cycle({name: (*given, *self._chain.get(name, first)) for name, given in needs.items()})
        if not cycle:
            return
        steps = [
            f"{name} needs {other}"
            if other in needs[name]
            else f"{name} comes after the prerequisite {other}"
            for name, other in pairwise((*cycle, cycle[0]))
        ]
        guilty = next(name for name, other in pairwise((*cycle, cycle[0])) if other in needs[name])
        path = next(
            (section, place, "needs")
            for section, components in self._sections
            for place, one in enumerate(components)
            if one.name == guilty
        )
        self._wrong(
            path, f"these components wait for each other: {', '.join(steps)}", "remove one of these needs"
        )

    # --- versions and durations

    def _version(self, text: str, path: Path) -> Version | None:
        try:
            return versions.parse(text)
        except UserError as error:
            self._wrong(path, error.what, error.then)
            return None

    def _upgrades_from(self, version: Version | None) -> tuple[Version, ...]:
        written, found = self._written.upgrades_from, []
        one = isinstance(written, str)
        for place, text in enumerate((written,) if isinstance(written, str) else written):
            path: Path = ("upgradesFrom",) if one else ("upgradesFrom", place)
            before = self._version(text, path)
            if before and version and before >= version:
                self._wrong(
                    path, f"{before} is not older than {version}", "deploys go to later versions only"
                )
            found += [before] if before else []
        return tuple(dict.fromkeys(found))

    def _seconds(self, text: str, path: Path, least: float = 0.001) -> float:
        found = durations.seconds(text)
        if found is None:
            self._wrong(path, f"{quoted(text)} is not a duration", "write it like 90s, 5m or 1h30m")
        elif found < least:
            self._wrong(path, f"{path[-1]} must be longer than that")
        return found or 0.0

    # --- components

    def _components(self, lines: Sequence[int]) -> Iterator[Component]:
        number = 0
        for section, components in self._sections:
            for place, written in enumerate(components):
                yield self._component(written, (section, place), lines[number])
                number += 1

    def _component(self, written: as_written.Component, path: Path, line: int) -> Component:
        self._check_release(written, path)
        if written.namespace:
            self._check_namespace(written.namespace, (*path, "namespace"))
        for key, asked in (("atomic", written.atomic), ("waitForJobs", written.wait_for_jobs)):
            if asked and not written.wait:
                self._wrong((*path, "wait"), f"{key} cannot go without waiting", f"leave wait out, or {key}")
        chart = named_files.chart(self._folder, written.chart, written.version)
        if isinstance(chart, Wrong):
            self._wrong((*path, "chart"), *chart)
            chart = named_files.FoundChart(written.chart, is_local=False)
        laid = [self._values(written, path), *self._laid_on(written.name)]
        return Component(
            name=written.name,
            release=written.release or written.name,
            namespace=written.namespace or self._written.default_namespace,
            chart=chart.at,
            is_local=chart.is_local,
            chart_version=written.version,
            needs=self._needs(written, path),
            values=tuple(file for values in laid for file in values.files),
            set=tuple(text for values in laid for text in values.set),
            set_string=tuple(text for values in laid for text in values.set_string),
            timeout=self._seconds(written.timeout, (*path, "timeout")),
            wait=written.wait,
            wait_for_jobs=written.wait_for_jobs,
            atomic=written.atomic,
            cleanup_on_fail=written.cleanup_on_fail,
            history_max=written.history_max,
            skip_crds=written.skip_crds,
            is_prerequisite=path[0] == "prerequisites",
            line=line,
        )

    # --- values and other files

    def _values(self, written: as_written.Overlay | as_written.Component, path: Path) -> Values:
        for key, texts in (("set", written.set), ("setString", written.set_string)):
            for place, text in enumerate(texts):
                if (
                    not text.partition("=")[0].strip() or "=" not in text
                ):  # it may be a secret: it is not told
                    self._wrong(
                        (*path, key, place), f"an entry of {key} is not KEY=VALUE", "write it like replicas=3"
                    )
        files = self._files(written.values, (*path, "values"), named_files.values_file)
        return Values(files, written.set, written.set_string)

    def _read_overlays(self, kind: str, overlays: Mapping[str, as_written.Profile]) -> None:
        """All of them, so that a mistake does not wait for the day on which its profile or environment is needed."""
        for name, profile in overlays.items():
            path = (kind, name)
            if not name or label_value(name):
                self._wrong(path, f"{quoted(name)} is not a valid {_ONE[kind]} name", OF_PROFILES)
            self._overlays[kind, name, ""] = self._values(profile, path)
            for component, overlay in profile.components.items():
                here = (*path, "components", component)
                if component not in self._names:
                    then = suggest(component, sorted(self._names))
                    self._wrong(here, f"unknown component {quoted(component)}", then)
                self._overlays[kind, name, component] = self._values(overlay, here)

    def _laid_on(self, component: str) -> Iterator[Values]:
        """What the profile and then the environment add to a component: first for all, then for this one."""
        for kind, name in (("profiles", self._profile), ("environments", self._environment)):
            for of in ("", component):
                yield self._overlays.get((kind, name, of), Values())

    def _check_jobs(self) -> None:
        for place, text in enumerate(self._written.jobs):
            if wrong := named_files.modules(self._folder, text):
                self._wrong(("jobs", place), *wrong)

    def _files(
        self, texts: Sequence[str], path: Path, find: Callable[[str, str], str | Wrong]
    ) -> tuple[str, ...]:
        found = []
        for place, text in enumerate(texts):
            at = find(self._folder, text)
            if isinstance(at, Wrong):
                self._wrong((*path, place), *at)
            else:
                found.append(at)
        return tuple(found)
