"""The line of a field: where it really comes from, never a guess.

The engine follows each byte of the output back through includes to the template text that made it. Where
that cannot be told, a literal key that stands once in the template will do, else the document's first line.
"""

from collections.abc import Sequence

from msgspec import Struct

from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine, EngineFailed
from watchbill.charts.problems import explain
from watchbill.charts.protocol import Context, Field, Locate, Position
from watchbill.charts.render import Resource

Path = tuple[str | int, ...]


class Place(Struct, frozen=True):
    """A position in the resource's own template and, for text from an include, in the defines it came through."""

    file: str
    line: int
    column: int = 0
    through: tuple[Position, ...] = ()  # defines, the innermost last
    exact: bool = True  # False: the document's first line stands in for the field's

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def locate(
    engine: Engine, chart: Chart, context: Context, fields: Sequence[tuple[Resource, Path]]
) -> list[Place | None]:
    """One place a field, in one request; None where nothing at all is known."""
    question = Locate(source=chart.source, context=context, fields=_asked(fields))
    try:
        [answer] = engine.ask(question)
    except EngineFailed as failed:
        raise explain(failed.error, chart.path, chart) from None
    places: list[Place | None] = []
    for found in answer.places:
        steps = [Position(chart.file(step.file), step.line, step.column) for step in found.steps or ()]
        if not steps:
            places.append(None)
            continue
        first, *defines = steps
        places.append(Place(first.file, first.line, first.column, tuple(defines), found.exact))
    return places


def locate_in_text(
    engine: Engine, file: str, text: str, fields: Sequence[tuple[Resource, Path]]
) -> list[Place | None]:
    """The same in manifests that are rendered already."""
    [answer] = engine.ask(Locate(text=text, fields=_asked(fields)))
    return [
        Place(file, step.line, step.column, exact=found.exact) if found.steps else None
        for found in answer.places
        for step in (found.steps or (Position(file, 0),))[:1]
    ]


def _asked(fields: Sequence[tuple[Resource, Path]]) -> tuple[Field, ...]:
    return tuple(
        Field(path=(*resource.within, *path), index=resource.origin.index, template=resource.origin.template)
        for resource, path in fields
    )
