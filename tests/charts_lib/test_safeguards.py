"""`watchbill check` is silent about what is built on the library, and speaks as soon as one of its safeguards is off."""

import shutil
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.support.checks import found_in_folder
from watchbill.charts.engine import Engine

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARY = ROOT / "charts/watchbill-lib"
CONSUMER = ROOT / "examples/charts/membership"
SAFEGUARDS = yaml.safe_load((Path(__file__).parent / "safeguards.yaml").read_text())
LEVELS = ("note", "warning", "error")


def said(engine: Engine, chart: Path, profile: str) -> dict[str, str]:
    """Each rule with the worst that it says."""
    worst: dict[str, str] = {}
    for one in found_in_folder(engine, chart, CONSUMER / f"ci/{profile}-values.yaml"):
        worst[one.rule] = max(one.level, worst.get(one.rule, "note"), key=LEVELS.index)
    return worst


def without(safeguard: dict[str, Any], at: Path) -> Path:
    """The consumer with the library's templates beside its own, this one safeguard off, and one profile."""
    shutil.copytree(CONSUMER, at, ignore=shutil.ignore_patterns("*.tgz", "ci", "image"))
    shutil.copytree(LIBRARY, at / "charts/watchbill-lib")
    for edit in safeguard["edits"]:
        path = at / "charts/watchbill-lib/templates" / edit["in"]
        text = path.read_text()
        assert edit["text"] in text, (
            f"{safeguard['name']}: {edit['in']} does not say {edit['text']!r} any more"
        )
        path.write_text(text.replace(edit["text"], edit["by"]))
    return at


@pytest.fixture(scope="module")
def with_all(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, str]]:
    """What is said of a profile while all safeguards are on."""
    chart = without({"edits": []}, tmp_path_factory.mktemp("on") / "membership")
    return cache(partial(said, engine, chart))


@pytest.mark.parametrize("safeguard", SAFEGUARDS, ids=lambda one: one["name"])
def test_a_safeguard_that_is_off_is_told(
    safeguard: dict[str, Any],
    engine: Engine,
    with_all: Callable[[str], dict[str, str]],
    tmp_path: Path,
) -> None:
    off = said(engine, without(safeguard, tmp_path / "membership"), safeguard["profile"])

    before = with_all(safeguard["profile"])
    assert {rule: level for rule, level in off.items() if before.get(rule) != level} == safeguard["says"]


def test_the_table_shows_each_of_them() -> None:
    rows = [
        f"| {one['safeguard']} | {one['name']} | {one['profile']} | {_said(one['says'])} |"
        for one in SAFEGUARDS
    ]
    page = (ROOT / "docs/library-safeguards.md").read_text()

    assert [line for line in page.splitlines() if line.startswith("| ")][1:] == rows


def _said(says: dict[str, str]) -> str:
    return ", ".join(f"{rule} ({level})" for rule, level in says.items())


def test_what_is_noted_of_any_profile_is_what_the_readme_says_no_tool_can_give(
    with_all: Callable[[str], dict[str, str]],
) -> None:
    noted: dict[str, str] = {}
    for profile in sorted((CONSUMER / "ci").glob("*-values.yaml")):
        noted |= with_all(profile.name.removesuffix("-values.yaml"))

    section = (LIBRARY / "README.md").read_text().split("## What no tool can give")[1].split("\n## ")[0]
    rows = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    assert noted == {row[2]: "note" for row in rows}
    for row in rows:
        assert (ROOT / "tests/tapes" / f"{row[3].strip(' |')}.txtar").is_file()
