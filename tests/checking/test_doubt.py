"""A Job whose name may be another one next time is doubted where only manifests are at hand."""

from pathlib import Path

import pytest

from tests.support.checks import found, found_in_chart
from watchbill.charts.engine import Engine


def job(name: str, image: str) -> str:
    pod = f"restartPolicy: Never, containers: [{{name: main, image: '{image}'}}]"
    return f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: '{name}'}}\nspec: {{template: {{spec: {{{pod}}}}}}}\n"


def told(engine: Engine, name: str) -> list[tuple[str, str, str]]:
    said = found(engine, job(name, "app:2"), job(name, "app:1"))
    return [
        (one.level, one.confidence, one.because.partition("; unless ")[2])
        for one in said
        if one.rule == "WB101"
    ]


@pytest.mark.parametrize(
    "name", ["migrate", "migrate-2", "migrate1", "migrate-v1", "migrate-2026", "m-20261115"]
)
def test_a_name_that_stays_is_not_doubted(name: str, engine: Engine) -> None:
    assert told(engine, name) == [("error", "high", "")]


@pytest.mark.parametrize(
    ("name", "whence"),
    [
        ("migrate-1", "the release's revision"),
        ("migrate-2026-11-15-21-00", "the clock"),
        ("migrate-20261115-210155", "the clock"),
        ("migrate-20261115210155", "the clock"),
    ],
)
def test_a_name_by_revision_or_clock_is(name: str, whence: str, engine: Engine) -> None:
    assert told(engine, name) == [("warning", "medium", f"its name goes by {whence}")]


def test_a_chart_leaves_no_doubt(engine: Engine, tmp_path: Path) -> None:
    said = found_in_chart(
        engine, {"templates/job.yaml": job("migrate-1", "app:{{ .Chart.Version }}")}, tmp_path
    )
    assert [(one.level, one.confidence) for one in said if one.rule == "WB101"] == [("error", "high")]
