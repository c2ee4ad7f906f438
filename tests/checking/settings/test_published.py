"""What is published of `.watchbill.yaml`, its schema and its page, is true."""

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Watchbill
from tests.report.golden import compare
from tests.support import txtar
from tests.support.schemas import accepts
from tests.support.trees import write
from watchbill.charts.engine import Engine
from watchbill.checking.settings import rule_names, written
from watchbill.checking.settings.reading import NAME, read

SCHEMA = Path("src/watchbill/checking/settings/schema.json")
# Mistakes of shape, which an editor can know of.
OF_SHAPE = {
    "contract-unknown",
    "contract-without-a-word",
    "flags-that-are-no-list",
    "ignore-of-everything",
    "ignore-without-reason",
    "level-that-is-yes",
    "manifest",
    "release-without-chart",
    "several-mistakes",
    "unknown-fail-on",
    "unknown-key",
    "unknown-key-inside",
    "unknown-level",
    "version-that-is-a-number",
}


def test_the_published_schema_is_that_of_the_types(root: Path) -> None:
    compare(root / SCHEMA, json.dumps(written.schema(), indent=2) + "\n")


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs/configuration.md").read_text()


@pytest.fixture
def example(page: str) -> str:
    """The whole file that the page begins with."""
    found = re.search(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_the_example_of_the_page_can_be_read(
    engine: Engine, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        tmp_path,
        {NAME: example, "charts/membership/Chart.yaml": "name: membership\n", "values/prod.yaml": ""},
    )
    monkeypatch.chdir(tmp_path)
    config = read(engine, NAME, rule_names.ALL)
    assert config.releases_of("charts/membership")


def test_the_page_speaks_of_every_key(example: str) -> None:
    schema = written.schema()
    for name, of in schema["$defs"].items():
        for key in of["properties"]:
            assert re.search(rf"^[ -]*{key}:", example, re.MULTILINE), f"{key} of {name}"


def test_the_schema_accepts_the_example(
    root: Path, example: str, watchbill: Watchbill, tmp_path: Path
) -> None:
    assert accepts(root / SCHEMA, example.encode(), watchbill, tmp_path)


@pytest.mark.parametrize("case", sorted(OF_SHAPE))
def test_the_schema_refuses_what_has_another_shape(
    root: Path, case: str, watchbill: Watchbill, tmp_path: Path
) -> None:
    settings = txtar.read(Path(__file__).parent / "mistakes" / f"{case}.txtar").files[NAME]
    assert not accepts(root / SCHEMA, settings, watchbill, tmp_path)
