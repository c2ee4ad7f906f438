"""The version before the one that is checked: by `--from`, or what git held when the work began (`--since`)."""

import os
from bisect import bisect_left
from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from watchbill.charts.engine import Engine
from watchbill.checking.inputs import metadata
from watchbill.checking.inputs.dependencies import lend
from watchbill.checking.inputs.discovery import ARCHIVES, charts_at
from watchbill.checking.inputs.fetching import Package, without_login
from watchbill.checking.inputs.gitsource import Repository, Snapshot
from watchbill.checking.inputs.metadata import CHART_FILE
from watchbill.checking.inputs.sources import AtRef, Local, Sources, read
from watchbill.checking.inputs.subject import Found
from watchbill.errors import UserError


class Version(Struct, frozen=True):
    path: str  # on this disk
    shown: str  # as the user calls it


class Before(Protocol):
    def version(self, chart: Found) -> Version | None:
        """None: the chart is new."""


class FromDirectory:
    """Charts of a directory, each before the chart of the same place or name."""

    def __init__(self, engine: Engine, path: str) -> None:
        self._engine = engine
        self._path = path
        found = charts_at(path)
        self._charts = [chart for chart in found if isinstance(chart, str)]
        if not self._charts:
            raise next(error for error in found if isinstance(error, UserError))

    def version(self, chart: Found) -> Version | None:
        same_place = os.path.normpath(os.path.join(self._path, chart.within))
        if not chart.is_named and same_place in map(os.path.normpath, self._charts):
            return Version(same_place, same_place)
        name = metadata.read(self._engine, chart.path).name
        same_name = [old for old in self._charts if metadata.read(self._engine, old).name == name]
        if len(same_name) == 1:
            return Version(same_name[0], same_name[0])
        if not chart.is_named and not same_name:
            return None
        there = ", ".join(same_name or self._charts)
        many = "more than one chart" if same_name else "no chart"
        raise UserError(
            f"{self._path} holds {many} named {name or chart.path!r}",
            where=f"found: {there}",
            then="name one of them with --from",
        )


class FromPath:
    """One chart, fetched or not."""

    def __init__(self, path: str, shown: str) -> None:
        self._version = Version(path, shown)

    def version(self, chart: Found) -> Version:  # noqa: ARG002
        return self._version


class FromRef:
    """The same chart at a git ref, or another path there."""

    def __init__(self, engine: Engine, sources: Sources, wanted: AtRef) -> None:
        self._engine = engine
        self._sources = sources
        self._wanted = wanted

    def version(self, chart: Found) -> Version | None:
        repository = Repository(chart.path)
        snapshot = self._sources.snapshot(repository, repository.commit(self._wanted.ref))
        place = repository.place(chart.path)
        if self._wanted.path:
            place = repository.path_in(self._wanted.path)
            if not chart.is_named:
                place = os.path.normpath(os.path.join(place, chart.within))
        version = chart_at(self._engine, snapshot, place, self._wanted.ref, chart.path)
        if version is None and chart.is_named:
            raise UserError(
                f"{place or '.'}: no chart there in {self._wanted.ref}",
                then=f"name where it was: --from git:{self._wanted.ref}:PATH",
            )
        return version


class Since:
    """The chart at the merge base of a ref and HEAD, if it changed since."""

    def __init__(self, engine: Engine, sources: Sources, ref: str) -> None:
        self._engine = engine
        self._sources = sources
        self._ref = ref
        self._opened: dict[str, tuple[Repository, Snapshot, list[str]]] = {}

    def version(self, chart: Found) -> Version | None:
        repository, snapshot, changed = self.open(chart.root)
        place = repository.place(chart.path)
        found = chart_at(self._engine, snapshot, place, snapshot.commit[:12], chart.path)
        if found is not None or place.endswith(ARCHIVES):
            return found
        gone = [
            os.path.dirname(file)
            for file in changed
            if os.path.basename(file) == CHART_FILE
            and snapshot.holds(file)
            and not os.path.exists(os.path.join(repository.top, file))
        ]
        return self._moved(chart, snapshot, gone)

    def _moved(self, chart: Found, snapshot: Snapshot, gone: Sequence[str]) -> Version | None:
        """The chart of the same name that is not any more where it was, if there is one."""
        name = metadata.read(self._engine, chart.path).name if gone else ""
        same = [old for old in gone if metadata.read(self._engine, snapshot.bring(old)).name == name]
        if len(same) != 1:
            return None
        return chart_at(self._engine, snapshot, same[0], snapshot.commit[:12], chart.path)

    def has_changed(self, chart: Found) -> bool:
        """It, a `file://` dependency of it, or what links in them lead to."""
        repository, _, changed = self.open(chart.root)
        parts = (
            metadata.local_closure(self._engine, os.path.abspath(chart.path))
            if os.path.isdir(chart.path)
            else (chart.path,)
        )
        places = [repository.place(part) for part in (*parts, *(to for part in parts for to in _links(part)))]
        return any(_is_any_in(place, changed) for place in places)

    def open(self, root: str) -> tuple[Repository, Snapshot, list[str]]:
        """The repository around this path, as it was, and what changed in it."""
        if root not in self._opened:
            repository = Repository(root)
            base = repository.merge_base(self._ref)
            changed = repository.changed_since(base)
            self._opened[root] = repository, self._sources.snapshot(repository, base), changed
        return self._opened[root]


def before(engine: Engine, sources: Sources, from_: str, charts: Sequence[Found]) -> Before:
    """What `--from` names, for all these charts."""
    reference = read(from_)
    if isinstance(reference, AtRef):
        return FromRef(engine, sources, reference)
    if isinstance(reference, Local) and not _is_one_chart(reference.path):
        return FromDirectory(engine, reference.path)
    if len(charts) > 1:
        raise UserError(
            f"--from {without_login(from_)} is one chart, and {len(charts)} are to be checked",
            then="name one chart to check, or an older directory of charts, git:REF, or --since REF",
        )
    if isinstance(reference, Package):
        return FromPath(sources.pulled(reference), str(reference))
    return FromPath(reference.path, reference.path)


def chart_at(engine: Engine, snapshot: Snapshot, place: str, ref: str, now: str) -> Version | None:
    """A chart out of git, with what of the repository it needs, and of what lies beside it now."""
    packed = place.endswith(ARCHIVES)
    if not snapshot.holds(place if packed else os.path.join(place, CHART_FILE)):
        return None
    path = snapshot.bring(place)
    if not packed:
        _bring_local_dependencies(engine, snapshot, path)
        if os.path.isdir(now):
            lend(engine, path, now)
    return Version(path, f"git:{ref}:{place or '.'}")


def _bring_local_dependencies(engine: Engine, snapshot: Snapshot, chart: str) -> None:
    waiting, seen = [chart], set[str]()
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        for dependency in metadata.read(engine, at).dependencies:
            if local := dependency.directory(at):
                snapshot.bring(os.path.relpath(local, snapshot.root))
                waiting.append(local)


def _is_one_chart(path: str) -> bool:
    """Or what is at least no directory of them."""
    return not os.path.isdir(path) or metadata.is_chart(path)


def _links(directory: str) -> list[str]:
    """Where links in a chart lead to."""
    found = []
    for at, folders, files in os.walk(directory):
        folders[:] = [name for name in folders if name != ".git"]
        for name in (*folders, *files):
            path = os.path.join(at, name)
            if os.path.islink(path):
                found.append(os.path.realpath(path))
    return found


def _is_any_in(place: str, changed: list[str]) -> bool:
    """Whether one of the sorted paths is this one, or below it."""
    if not place:
        return bool(changed)
    first = bisect_left(changed, place)
    below = bisect_left(changed, f"{place}/")
    return changed[first : first + 1] == [place] or any(
        path.startswith(f"{place}/") for path in changed[below : below + 1]
    )
