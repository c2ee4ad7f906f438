"""The hook of .pre-commit-hooks.yaml, called as pre-commit calls it: the entry, then names of files that match."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.conftest import Watchbill

JOB = """apiVersion: batch/v1
kind: Job
metadata: {name: migrate}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "app:{{ .Values.tag }}"}]
"""


@pytest.fixture
def hook(root: Path) -> dict[str, Any]:
    [found] = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text())
    return dict(found)


def repository(folder: Path) -> dict[str, Path]:
    """One chart with a Job that breaks on upgrades, one without, and files that belong to neither."""
    files = {
        "charts/shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
        "charts/shop/values.yaml": 'tag: "1"\n',
        "charts/shop/templates/migrate.yaml": JOB,
        "charts/shop/README.md": "# Shop\n",
        "charts/quiet/Chart.yaml": "apiVersion: v2\nname: quiet\nversion: 1.0.0\n",
        "charts/quiet/templates/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\n",
        "environments/prod/values.yaml": "tag: 2\n",
        "web/templates/index.html": "<html></html>\n",
        "main.go": "package main\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {name: folder / name for name in files}


def called(hook: dict[str, Any], files: list[Path], watchbill: Watchbill) -> Any:
    program, *arguments = shlex.split(hook["entry"])
    assert program == "watchbill"
    return watchbill(*arguments, *map(str, files))


def test_the_hook_is_one_that_pre_commit_takes(hook: dict[str, Any]) -> None:
    assert hook["id"] == "watchbill-check"
    assert hook["language"] == "python"
    assert hook["require_serial"]  # else the files of one chart may come to several processes
    assert {"id", "name", "entry", "language", "files"} <= set(hook)


@pytest.mark.parametrize(
    ("name", "matches"),
    [
        ("Chart.yaml", True),
        ("charts/shop/Chart.lock", True),
        ("charts/shop/values.yaml", True),
        ("charts/shop/values.schema.json", True),
        ("charts/shop/templates/_helpers.tpl", True),
        ("charts/shop/ci/ha-values.yaml", True),
        ("shop/crds/widget.yaml", True),
        ("README.md", False),
        ("main.go", False),
        ("docs/Chart.yaml.md", False),
        ("my-values.yaml", False),
    ],
)
def test_it_is_called_for_files_that_charts_are_made_of(
    hook: dict[str, Any], name: str, matches: bool
) -> None:
    assert bool(re.search(hook["files"], name)) == matches


def test_files_stand_for_their_charts_and_each_is_checked_once(
    hook: dict[str, Any], watchbill: Watchbill, tmp_path: Path
) -> None:
    files = repository(tmp_path)
    changed = [path for name, path in files.items() if re.search(hook["files"], name)]
    done = called(hook, changed, watchbill)
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("error WB101") == 1
    assert "in 1 of 2 charts" in done.stdout


def test_files_of_no_chart_are_none_of_its_business(
    hook: dict[str, Any], watchbill: Watchbill, tmp_path: Path
) -> None:
    files = repository(tmp_path)
    done = called(
        hook, [files["environments/prod/values.yaml"], files["web/templates/index.html"]], watchbill
    )
    assert done.returncode == 0, done.stdout
    assert done.stdout == "no charts\n"


def test_a_commit_of_good_charts_passes(hook: dict[str, Any], watchbill: Watchbill, tmp_path: Path) -> None:
    files = repository(tmp_path)
    assert called(hook, [files["charts/quiet/templates/map.yaml"]], watchbill).returncode == 0
