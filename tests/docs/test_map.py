"""docs/map.md is true: it names every folder and module that exists, and none that does not."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tracked() -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    return {path for path in listed.stdout.splitlines() if (ROOT / path).exists()}


def on_the_map() -> set[str]:
    return set(re.findall(r"^\| `([^`]+)`", (ROOT / "docs/map.md").read_text(), re.MULTILINE))


def test_everything_on_the_map_exists() -> None:
    assert {place for place in on_the_map() if not (ROOT / place).exists()} == set()


def test_every_module_and_folder_is_on_the_map() -> None:
    paths = tracked()
    folders = {path.partition("/")[0] + "/" for path in paths if "/" in path}
    modules = {
        path
        for path in paths
        if re.fullmatch(r"(src/watchbill/(?:\w+/)*\w+\.py|dev/(?:tapes/)?\w+\.py|engine/\w+\.go)", path)
        and not path.endswith(("__init__.py", "_test.go"))
        # docs/rules.md lists the rules, and test_rules.py holds it to that.
        and not re.search(r"/rules/wb\d{3}_", path)
    }
    assert (folders | modules) - on_the_map() - {".ci/"} == set()


def test_the_map_fits_one_screen_a_part() -> None:
    parts = (ROOT / "docs/map.md").read_text().split("\n## ")
    assert max(part.count("\n") for part in parts) <= 50
