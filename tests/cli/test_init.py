"""`watchbill init`: what it finds, what it writes, and that `check` takes it."""

import json
import re
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tests.cli.test_check import GOOD, chart
from tests.conftest import Watchbill
from tests.support.trees import write


def test_the_file_is_valid_with_and_without_its_comments(watchbill: Watchbill, tmp_path: Path) -> None:
    web = chart(
        tmp_path / "charts/web", {"templates/job.yaml": GOOD, "values-prod.yaml": "tag: '2'\n"}, "web"
    )
    chart(tmp_path / "charts/a: b", {"values-x y.yaml": ""}, "odd")
    chart(tmp_path / "charts/lib", {}, "lib", "type: library\n")
    chart(tmp_path / "charts/web/charts/inner", {}, "inner")
    done = watchbill("init", str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert "for 2 charts" in done.stdout
    file = tmp_path / ".watchbill.yaml"
    text = file.read_text()
    assert watchbill("check", str(web)).returncode == 0
    loose = re.sub(r"(?m)^# ([\w ].*[\]}:])$", r"\1", text.replace("#   - {", "  - {"))
    assert yaml.safe_load(loose)["releases"][1] == {
        "chart": "charts/web",
        "namespace": "prod",
        "values": ["charts/web/values-prod.yaml"],
    }
    file.write_text(loose)
    checked = watchbill("check", str(web), "-o", "json")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert [one["problem"] for one in json.loads(checked.stdout)["charts"]] == [None]


def test_the_first_line_names_a_schema_that_is_there(
    watchbill: Watchbill, tmp_path: Path, root: Path
) -> None:
    watchbill("init", str(tmp_path))
    first, *_ = (tmp_path / ".watchbill.yaml").read_text().splitlines()
    schema = tmp_path / first.removeprefix("# yaml-language-server: $schema=")
    assert json.loads(schema.read_text()) == json.loads(
        (root / "src/watchbill/checking/settings/schema.json").read_text()
    )
    schema.unlink()
    done = watchbill("init", "--schema", str(tmp_path))
    assert (done.returncode, schema.exists()) == (0, True)


def test_nothing_is_overwritten(watchbill: Watchbill, tmp_path: Path) -> None:
    (tmp_path / ".watchbill.yaml").write_text("failOn: note\n")
    done = watchbill("init", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "already exists" in done.stderr
    assert (tmp_path / ".watchbill.yaml").read_text() == "failOn: note\n"
    assert [file.name for file in tmp_path.iterdir()] == [".watchbill.yaml"]


SETUP_HELM = """\
jobs:
  test:
    steps:
      - uses: azure/setup-helm@v4
        with:
          version: v3.19.0
"""


@pytest.mark.parametrize(
    ("file", "text", "tools"),
    [
        (".gitlab-ci.yml", "variables:\n  HELM_VERSION: v3.19.0\n", ["helm@3.19"]),
        (".gitlab-ci.yml", "image: alpine/helm:3.14.2\n", ["helm@3.16"]),  # the nearest that is modelled
        (".gitlab-ci.yml", "HELM_VERSION: v3.19.0\nOTHER: alpine/helm:4.1.0\n", None),
        (".gitlab-ci.yml", "HELM_VERSION: v2.1.0\n", None),
        (".github/workflows/charts.yaml", SETUP_HELM, ["helm@3.19"]),
        ("Makefile", "HELM_VERSION ?= 4.1.0\n", ["helm@4.1"]),
        (".tool-versions", "python 3.11.2\nhelm 3.18.0\n", ["helm@3.18"]),
    ],
)
def test_ci_files_that_name_one_helm_set_the_tool(
    watchbill: Watchbill, tmp_path: Path, file: str, text: str, tools: list[str] | None
) -> None:
    write(tmp_path, {file: text})
    watchbill("init", str(tmp_path))
    settings = tmp_path / ".watchbill.yaml"
    assert yaml.safe_load(settings.read_text()).get("tools") == tools
    web = chart(tmp_path / "web", {"templates/job.yaml": GOOD}, "web")
    assert watchbill("check", str(web)).returncode == 0


def test_a_folder_that_is_not_there(watchbill: Watchbill, tmp_path: Path) -> None:
    done = watchbill("init", str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert "no such folder" in done.stderr
