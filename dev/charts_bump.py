"""The cascade: a chart that changed is raised, and so is every chart that is built on it, by the same step.

What changed is told by `charts/digests.txt`: a line for each chart with its version and a digest of its files when that
version was recorded. So neither git's history nor a network is needed, and a chart that differs from its line either
has a new version or was forgotten. The digest is of every file but Chart.lock and the packages of our own charts: those
are made by helm and compared with what they are made of.
"""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]
from msgspec import Struct

from dev import charts_packages, charts_tree
from dev.charts_tree import Chart, ChartsError
from dev.charts_versions import Step, raised, step

RECORD = "charts/digests.txt"
_HEADER = """\
# Each chart's version, and a digest of its files when that version was recorded. Written by `make charts-bump`.
"""


class Recorded(Struct, frozen=True):
    version: str
    digest: str


class Raised(Struct, frozen=True):
    """What was done with a chart."""

    path: str
    before: str
    after: str
    renewed: bool  # its packaged dependencies


def complaints(root: Path = charts_tree.ROOT) -> list[str]:
    """What was forgotten; nothing if `make charts-bump` has nothing to do."""
    charts = charts_tree.related(root)
    return [*_gone(charts, recorded(root)), *_forgotten(charts, recorded(root))]


def _gone(charts: Sequence[Chart], record: dict[str, Recorded]) -> Iterator[str]:
    paths = {chart.path for chart in charts}
    yield from (f"{RECORD} has {path}, which is no chart" for path in record if path not in paths)


def _forgotten(charts: Sequence[Chart], record: dict[str, Recorded]) -> Iterator[str]:
    versions = {chart.folder: chart.version for chart in charts}
    for chart in charts:
        known = record.get(chart.path)
        if known is None:
            yield f"{chart.path} is not in {RECORD}"
        elif known.version != chart.version:
            yield f"{chart.path} is {chart.version}, {RECORD} has {known.version}"
        elif known.digest != digest(chart):
            yield f"{chart.path} changed since it was raised to {chart.version}"
        for dependency in chart.dependencies:
            if dependency.version != (version := versions[dependency.folder]):
                yield f"{chart.path} asks for {dependency.name} {dependency.version}, which is {version} here"
        yield from charts_packages.stale(chart)


def raise_charts(given: Step, root: Path = charts_tree.ROOT) -> list[Raised]:
    """Raises what changed by the given step, unless a person raised it, and what is built on that by its step."""
    record = recorded(root)
    steps: dict[Path, Step] = {}
    versions: dict[Path, str] = {}
    done: list[Raised] = []
    new_record: dict[str, Recorded] = {}
    for chart in charts_tree.related(root):
        before = record.get(chart.path, Recorded(chart.version, ""))
        version = _version(chart, before, given, [steps[one.folder] for one in chart.dependencies])
        steps[chart.folder] = step(before.version, version)
        versions[chart.folder] = version
        _write_versions(chart, version, versions)
        written = charts_tree.read(chart.folder, root.resolve())
        renewed = charts_packages.renew(written)
        new_record[chart.path] = Recorded(version, digest(written))
        done.append(Raised(chart.path, before.version, version, renewed))
    _write_record(root, new_record)
    return done


def _version(chart: Chart, before: Recorded, given: Step, of_dependencies: Sequence[Step]) -> str:
    """At least what its dependencies ask for; a person may have raised it further, which is kept."""
    try:
        by_hand = step(before.version, chart.version)
    except ChartsError as error:
        raise ChartsError(f"{chart.path}: {error}") from error
    wanted = max(of_dependencies, default=Step.NONE)
    if by_hand is Step.NONE and before.digest not in ("", digest(chart)):
        wanted = max(wanted, given)
    return chart.version if by_hand >= wanted else raised(before.version, wanted)


def digest(chart: Chart) -> str:
    """Of all files, by name and content."""
    made = {chart.folder / "Chart.lock", *charts_packages.packaged(chart)}
    total = hashlib.sha256()
    for file in sorted(chart.folder.rglob("*")):
        if file.is_file() and file not in made:
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            total.update(f"{content} {file.relative_to(chart.folder).as_posix()}\n".encode())
    return total.hexdigest()


def recorded(root: Path) -> dict[str, Recorded]:
    file = root / RECORD
    lines = file.read_text().splitlines() if file.exists() else []
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    if any(len(row) != 3 for row in rows):
        raise ChartsError(f"{RECORD}: a line is a chart's path, its version and a digest")
    return {path: Recorded(version, value) for path, version, value in rows}


def _write_record(root: Path, record: dict[str, Recorded]) -> None:
    lines = [f"{path} {one.version} {one.digest}\n" for path, one in sorted(record.items())]
    (root / RECORD).write_text(_HEADER + "".join(lines))


def _write_versions(chart: Chart, version: str, versions: dict[Path, str]) -> None:
    """The chart's own and those it asks for, where they stand in Chart.yaml; nothing else of it changes."""
    file = chart.folder / "Chart.yaml"
    text = file.read_text()
    top = yaml.compose(text)
    places = [(_value(top, "version"), version)]
    for one in chart.dependencies:
        said = _value(top, "dependencies").value[one.place]
        places.append((_value(said, "version"), versions[one.folder]))
    for node, wanted in sorted(places, key=lambda pair: -pair[0].start_mark.index):
        if str(node.value) != wanted:
            text = text[: node.start_mark.index] + wanted + text[node.end_mark.index :]
    file.write_text(text)


def _value(mapping: Any, key: str) -> Any:
    for name, value in mapping.value:
        if name.value == key:
            return value
    raise ChartsError(f"a dependency on a chart of this repository has no {key}")
