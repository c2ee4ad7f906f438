"""A chart as it lies on disk: what it says of itself, its default values and its templates."""

import os
from typing import Any

from msgspec import Struct

from watchbill.charts.engine import Engine, EngineFailed
from watchbill.charts.problems import explain
from watchbill.charts.protocol import Dependency, Load, Source, Subchart, Template


class Chart(Struct, frozen=True):
    source: Source
    name: str
    version: str
    app_version: str
    dependencies: tuple[Dependency, ...]
    values: dict[str, Any]
    has_schema: bool  # its own, or one of a subchart
    templates: tuple[Template, ...]
    subcharts: tuple[Subchart, ...] = ()  # all below it but libraries
    kube_version: str = ""  # the versions of Kubernetes that it allows; empty: all

    @property
    def path(self) -> str:
        return self.source.path

    def file(self, template: str) -> str:
        """A template's path as the chart's author knows it, without the chart's own name in front: a file on disk,
        unless it is in an archive."""
        inside = template.removeprefix(f"{self.name}/")
        return self._in_dependency(inside) if inside.startswith("charts/") else inside

    def _in_dependency(self, inside: str) -> str:
        """Helm knows a dependency by its alias, which is no directory, and one of `file://` as if it were in charts/."""
        _, name, rest = inside.split("/", 2)
        charts = os.path.join(self.path, "charts")
        dependency = next((one for one in self.dependencies if name in (one.alias, one.name)), None)
        if dependency is None or os.path.isdir(os.path.join(charts, name)):
            return inside
        if os.path.isdir(os.path.join(charts, dependency.name)):
            return f"charts/{dependency.name}/{rest}"
        local = dependency.repository.removeprefix("file://")
        if local in (dependency.repository, "") or os.path.isabs(local) or _packaged(charts, dependency.name):
            return inside
        return os.path.normpath(os.path.join(local, rest))


def _packaged(charts: str, name: str) -> bool:
    """Whether an archive of it is there, which counts before what lies elsewhere."""
    files = os.listdir(charts) if os.path.isdir(charts) else []
    return any(file.startswith(f"{name}-") and file.endswith(".tgz") for file in files)


def load(engine: Engine, path: str, *, follow_symlinks: bool = False) -> Chart:
    source = Source(path=path, follow_symlinks=follow_symlinks)
    try:
        [answer] = engine.ask(Load(source=source, templates=True))
    except EngineFailed as failed:
        raise explain(failed.error, path) from None
    said = answer.chart
    assert said is not None, "the engine answers a load with a chart"
    return Chart(
        source=source,
        name=said.name,
        version=said.version,
        app_version=said.app_version,
        dependencies=said.dependencies,
        values=said.values or {},
        has_schema=said.has_schema,
        templates=said.templates,
        subcharts=said.subcharts,
        kube_version=said.kube_version,
    )
