"""What is published of bills, their schema and their page, is true."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Watchbill
from tests.report.golden import compare
from tests.support import txtar
from tests.support.schemas import accepts
from tests.support.trees import chart, write
from watchbill.charts.engine import Engine
from watchbill.deploy import written
from watchbill.deploy.reading import read
from watchbill.errors import UserError

SCHEMA = Path("docs/schemas/bill.json")
# Mistakes of shape, which an editor can know of.
OF_SHAPE = {
    "a-manifest",
    "nothing-said",
    "set-that-is-a-mapping",
    "switches",
    "unknown-key",
    "unknown-key-inside",
    "unknown-key-like-nothing",
    "upgrades-from-a-mapping",
    "values-that-are-no-list",
    "version-that-is-a-number",
    "without-required-keys",
    "workers",
    "workers-in-words",
}


def test_the_published_schema_is_that_of_the_types(root: Path) -> None:
    compare(root / SCHEMA, json.dumps(written.schema(), indent=2) + "\n")


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs/bill.md").read_text()


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


@pytest.fixture
def example(page: str) -> str:
    """The whole file that the page begins with."""
    return blocks(page, "yaml")[0]


def test_the_example_of_the_page_can_be_read(engine: Engine, example: str, here: Path) -> None:
    write(here, {"bill.yaml": example, "crds/one.yaml": "", "jobs/grow.py": ""})
    write(here, {f"values/{name}.yaml": "" for name in ("logging", "small", "logging-small", "production")})
    for name in ("logging", "web"):
        chart(here / "charts" / name)
    assert read(engine, "bill.yaml").names == ("certificates", "logging", "web")
    assert read(engine, "bill.yaml", "small").components[0].set == ("replicas=1", "retention=1d")
    production = read(engine, "bill.yaml", environment="production")
    assert (production.context, production.components[0].set) == ("production-eu", ("retention=90d",))


def test_the_page_speaks_of_every_key(page: str, example: str) -> None:
    for name, of in written.schema()["$defs"].items():
        for key in of["properties"]:
            assert re.search(rf"^[ -]*{key}:", example, re.MULTILINE), f"{key} of {name} in the example"
            assert re.search(rf"^\|.*`{key}`.*\|", page, re.MULTILINE), f"{key} of {name} in a table"


def defaults(of: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Those that say something, as people write them."""
    for key, said in of["properties"].items():
        default = said.get("default")
        if isinstance(default, bool | int) or (isinstance(default, str) and default):
            yield key, str(default).lower()


@pytest.mark.parametrize(("section", "of"), [(0, "Bill"), (1, "Component")])
def test_the_page_tells_what_counts_where_nothing_is_said(page: str, section: int, of: str) -> None:
    table = page.split("## Components")[section]
    known = dict(defaults(written.schema()["$defs"][of]))
    assert known
    for key, default in known.items():
        [row] = re.findall(rf"^\|.*`{key}`.*\|$", table, re.MULTILINE)
        assert f"(`{default}`)" in row or f"({default})" in row, row


def test_the_mistakes_of_the_page_are_told(engine: Engine, page: str, here: Path) -> None:
    for name in ("database", "queue", "web"):
        chart(here / "charts" / name)
    pairs = re.findall(r"^```yaml\n([^`]*)^```\n\n```text\n([^`]*)^```", page, re.MULTILINE)
    assert len(pairs) == len(blocks(page, "text")) == 2
    for bill, error in pairs:
        write(here, {"bill.yaml": bill})
        with pytest.raises(UserError) as caught:
            read(engine, "bill.yaml")
        assert f"{caught.value}\n" == error


def test_the_schema_accepts_the_example(
    root: Path, example: str, watchbill: Watchbill, tmp_path: Path
) -> None:
    assert accepts(root / SCHEMA, example.encode(), watchbill, tmp_path)


@pytest.mark.parametrize("case", sorted(OF_SHAPE))
def test_the_schema_refuses_what_has_another_shape(
    root: Path, case: str, watchbill: Watchbill, tmp_path: Path
) -> None:
    bill = txtar.read(Path(__file__).parent / "mistakes" / f"{case}.txtar").files["bill.yaml"]
    assert not accepts(root / SCHEMA, bill, watchbill, tmp_path)
