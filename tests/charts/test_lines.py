"""The line of a field: 36 and more cases worked out by hand, one walker."""

import json
from pathlib import Path

import pytest

from tests.support import txtar
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.locate import locate
from watchbill.charts.protocol import Context
from watchbill.charts.render import Document, Rendering, Resource, render_one

CASES = sorted((Path(__file__).parent / "lines").glob("*.txtar"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_a_field_stands_where_the_case_says(engine: Engine, case: Path, tmp_path: Path) -> None:
    chart = load(engine, str(txtar.unpack(case, tmp_path)))
    rendering = render_one(engine, chart, Context(lines=True))
    wanted = json.loads((tmp_path / "expect.json").read_text())
    fields = [
        (
            as_resource(document_of(rendering, f"{chart.name}/{entry['template']}", entry["document"])),
            tuple(entry["path"]),
        )
        for entry in wanted
    ]
    found = locate(engine, chart, Context(), fields)
    said = [
        {
            **entry,
            "steps": [[place.file, place.line], *([step.file, step.line] for step in place.through)],
            "exact": place.exact,
        }
        if place
        else None
        for entry, place in zip(wanted, found, strict=True)
    ]
    assert said == wanted


def test_there_are_thirty_cases_and_more() -> None:
    assert sum(len(json.loads(txtar.read(case).files["expect.json"])) for case in CASES) >= 30


def document_of(rendering: Rendering, template: str, index: int) -> Document:
    [document] = [d for d in rendering.documents if (d.template, d.index) == (template, index)]
    return document


def as_resource(document: Document) -> Resource:
    """A handle for the whole document, whatever is in it."""
    return Resource("", "", "", {}, document)
