"""A chart as it lies on disk: what it says of itself, its default values and its templates."""

from typing import Any

from msgspec import Struct

from watchbill.charts.engine import Engine, EngineFailed
from watchbill.charts.problems import explain
from watchbill.charts.protocol import Dependency, Load, Source, Template


class Chart(Struct, frozen=True):
    source: Source
    name: str
    version: str
    app_version: str
    dependencies: tuple[Dependency, ...]
    values: dict[str, Any]
    has_schema: bool  # its own, or one of a subchart
    templates: tuple[Template, ...]

    @property
    def path(self) -> str:
        return self.source.path

    def file(self, template: str) -> str:
        """A template's path as the chart's author knows it, without the chart's own name in front."""
        return template.removeprefix(f"{self.name}/")


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
    )
