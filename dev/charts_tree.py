"""The charts of this repository that are built on each other, and which on which.

Charts of ours lie in `charts/`, those that show how to use them in `examples/charts/`. A dependency counts when its
repository is a folder here (`file://../...`): what comes from elsewhere has a version that is not ours to raise.
"""

from collections.abc import Iterable, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]
from msgspec import Struct

ROOT = Path(__file__).resolve().parent.parent
_OURS = "charts"
_PLACES = (_OURS, "examples/charts")
_HERE = "file://"


class ChartsError(Exception):
    """Something about the charts must be put right by a person; the text says what and where."""


class Dependency(Struct, frozen=True):
    """A dependency on a chart of this repository."""

    name: str
    version: str
    folder: Path
    place: int  # among all dependencies of its chart


class Chart(Struct, frozen=True):
    folder: Path
    path: str  # from the repository's root
    name: str
    version: str
    dependencies: tuple[Dependency, ...]


def read(folder: Path, root: Path) -> Chart:
    file = folder / "Chart.yaml"
    said = yaml.safe_load(file.read_text())
    if not isinstance(said, dict) or not {"name", "version"} <= said.keys():
        raise ChartsError(f"{file.relative_to(root)} has no name or no version")
    listed = enumerate(said.get("dependencies") or ())
    return Chart(
        folder,
        folder.relative_to(root).as_posix(),
        str(said["name"]),
        str(said["version"]),
        tuple(_dependency(one, place, folder) for place, one in listed if _is_here(one)),
    )


def _is_here(dependency: dict[str, Any]) -> bool:
    return str(dependency.get("repository", "")).startswith(_HERE)


def _dependency(said: dict[str, Any], place: int, folder: Path) -> Dependency:
    target = (folder / str(said["repository"]).removeprefix(_HERE)).resolve()
    if not (target / "Chart.yaml").exists():
        raise ChartsError(f"{folder.name}/Chart.yaml: {said['name']} is not at {said['repository']}")
    return Dependency(str(said["name"]), str(said.get("version", "")), target, place)


def related(root: Path) -> list[Chart]:
    """Our charts and all that are built on charts of this repository; each after those it is built on."""
    root = root.resolve()
    folders = [file.parent for place in _PLACES for file in sorted((root / place).glob("*/Chart.yaml"))]
    known = {folder: read(folder, root) for folder in folders}
    for chart in known.values():
        for dependency in chart.dependencies:
            if dependency.folder not in known:
                raise ChartsError(f"{chart.path} depends on {dependency.folder}, outside of {_places()}")
    counted = {chart.folder for chart in known.values() if chart.path.startswith(f"{_OURS}/")}
    for chart in known.values():
        if chart.dependencies:
            counted |= {chart.folder, *(dependency.folder for dependency in chart.dependencies)}
    return [known[folder] for folder in _in_order(known, folders) if folder in counted]


def _in_order(known: dict[Path, Chart], folders: Sequence[Path]) -> list[Path]:
    graph = {folder: [one.folder for one in known[folder].dependencies] for folder in folders}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        names = " -> ".join(known[folder].name for folder in error.args[1])
        raise ChartsError(f"charts depend on each other in a circle: {names}") from error


def _places() -> str:
    return " and ".join(f"{place}/" for place in _PLACES)


def built_on(charts: Sequence[Chart], name: str) -> list[Chart]:
    """Those that depend on a chart, directly or not. Expects each chart after those it is built on."""
    reached = {chart.folder for chart in charts if chart.name == name}
    found = []
    for chart in charts:
        if any(dependency.folder in reached for dependency in chart.dependencies):
            reached.add(chart.folder)
            found.append(chart)
    return found


def named(file: Path, root: Path) -> str:
    """A file as people call it: from the root of the repository."""
    return file.relative_to(root.resolve()).as_posix()


def written(files: Iterable[tuple[Path, str]], root: Path) -> list[str]:
    """Writes texts of files that are made of others; gives their paths."""
    made = list(files)
    for file, text in made:
        file.write_text(text)
    return [named(file, root) for file, _ in made]
