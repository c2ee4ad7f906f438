"""docs/tutorial.md: what it shows is what is there, and all that changes between steps."""

import re
from collections.abc import Iterator
from difflib import unified_diff
from itertools import pairwise
from pathlib import Path

from tests.conftest import Watchbill

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/tutorial.md").read_text()
STEPS = sorted((ROOT / "examples/tutorial").glob("[0-9]-*"))
SETTINGS = ROOT / "examples/tutorial/settings"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def files(step: Path) -> set[Path]:
    return {file.relative_to(step) for file in step.rglob("*") if file.is_file()}


def changes() -> Iterator[str]:
    for before, after in pairwise(STEPS):
        assert files(before) == files(after)
        for file in sorted(files(after)):
            old, new = before / file, after / file
            names = (str(old.relative_to(ROOT)), str(new.relative_to(ROOT)))
            texts = (old.read_text().splitlines(True), new.read_text().splitlines(True))
            yield "".join(unified_diff(*texts, *names, n=1))


def test_every_change_is_shown() -> None:
    released = r"-version: 1\.\d\.0\n\+version: 1\.\d\.0\n"
    told = {change for change in changes() if change and not re.search(released, change)}
    assert set(blocks("diff")) == told


def test_each_step_is_the_next_version() -> None:
    charts = [(step / "Chart.yaml").read_text() for step in STEPS]
    assert [re.findall(r"^version: (.*)$", chart, re.MULTILINE) for chart in charts] == [
        [f"1.{number}.0"] for number in range(len(STEPS))
    ]


def test_the_settings_are_those_on_the_page() -> None:
    assert blocks("yaml") == [(SETTINGS / ".watchbill.yaml").read_text()]


def test_the_baseline_is_that_of_the_first_step(watchbill: Watchbill, tmp_path: Path) -> None:
    written = tmp_path / "baseline.json"
    watchbill("check", str(STEPS[0].relative_to(ROOT)), "--write-baseline", str(written))
    assert written.read_text() == (SETTINGS / "baseline.json").read_text()
