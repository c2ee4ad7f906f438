"""The schema of consumers: the library's fragment merged with what a chart says itself."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from dev import charts_packages, charts_schema
from dev.charts_schema import FRAGMENT, merged
from tests.charts_lib.helm import FIXTURES, HELMS, template

README = "charts/watchbill-lib/README.md"
JQ = shutil.which("jq")


@pytest.fixture(scope="module")
def fragment(root: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((root / FRAGMENT).read_text())
    return read


@pytest.fixture(scope="module")
def part(root: Path) -> dict[str, Any]:
    """The one that the README shows."""
    [text] = re.findall(r"^```json\n(.*?)^```$", (root / README).read_text(), re.MULTILINE | re.DOTALL)
    read: dict[str, Any] = json.loads(text)
    return read


def test_schemas_of_consumers_are_current(root: Path) -> None:
    assert charts_schema.complaints(root) == [], "python -m dev.charts schema"


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({"a": {"b": 1}}, {"a": {"b": {"c": 2}}}, {"a": {"b": {"c": 2}}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": {"b": 1}}, {"a": None}, {"a": None}),
        ({}, {"a": 1}, {"a": 1}),
    ],
)
def test_merging(one: dict[str, Any], other: dict[str, Any], both: dict[str, Any]) -> None:
    before = json.dumps([one, other])
    assert merged(one, other) == both
    assert json.dumps([one, other]) == before
    if JQ:
        texts = json.dumps(one) + json.dumps(other)
        done = subprocess.run(
            [JQ, "-s", ".[0] * .[1]"], input=texts, capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout) == both


@pytest.mark.skipif(JQ is None, reason="jq is not installed; the merge itself is tested without it")
def test_the_recipe_of_the_readme_makes_the_same_schema(
    root: Path, tmp_path: Path, fragment: dict[str, Any], part: dict[str, Any]
) -> None:
    [recipe] = re.findall(r"^tar .*$", (root / README).read_text(), re.MULTILINE)
    charts_packages.helm(
        "package", str(root / "charts/watchbill-lib"), "--destination", str(tmp_path / "charts")
    )
    (tmp_path / "schema.json").write_text(json.dumps(part))
    subprocess.run(["bash", "-e", "-o", "pipefail", "-c", recipe], cwd=tmp_path, check=True)
    assert json.loads((tmp_path / "values.schema.json").read_text()) == merged(fragment, part)


def test_the_fragment_is_of_the_draft_that_every_helm_knows(fragment: dict[str, Any]) -> None:
    assert fragment["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_the_fragment_knows_every_value_that_the_library_shows(root: Path, fragment: dict[str, Any]) -> None:
    shown = yaml.safe_load((root / "charts/watchbill-lib/values.yaml").read_text())
    assert list(_unknown(shown, fragment, fragment)) == []


def _unknown(
    values: dict[str, Any], schema: dict[str, Any], whole: dict[str, Any], path: str = ""
) -> list[str]:
    while "$ref" in schema:
        target = whole
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        schema = target
    known = schema.get("properties", {})
    closed = schema.get("additionalProperties", False) is False
    missing = [f"{path}.{key}" for key in values if key not in known and closed]
    deeper = [
        found
        for key, value in values.items()
        if key in known and isinstance(value, dict)
        for found in _unknown(value, known[key], whole, f"{path}.{key}")
    ]
    return missing + deeper


@pytest.fixture(scope="module")
def chart(
    root: Path, tmp_path_factory: pytest.TempPathFactory, fragment: dict[str, Any], part: dict[str, Any]
) -> Path:
    """A consumer with the README's part of a schema."""
    folder = shutil.copytree(FIXTURES / "consumer", tmp_path_factory.mktemp("schema") / "shop")
    shutil.copytree(root / "charts/watchbill-lib", folder / "charts/watchbill-lib")
    (folder / "values.schema.json").write_text(json.dumps(merged(fragment, part)))
    return folder


@pytest.mark.parametrize("helm", [*HELMS, "3.17.3"])
def test_what_the_library_shows_is_allowed(root: Path, chart: Path, helm: str) -> None:
    values = yaml.safe_load((root / "charts/watchbill-lib/values.yaml").read_text())
    done = template(helm, chart, values)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize(
    ("config", "refused"),
    [
        ({"migration": {"schedule": "@daily"}}, ""),
        ({"seed": {"schedule": "@daily", "args": ["--all"]}}, ""),
        ({"seed": {"comand": ["sh"]}}, r"'?/config/seed'?: additional properties 'comand' not allowed"),
        (
            {"migration": {"comand": ["sh"]}},
            r"'?/config/migration'?: additional properties 'comand' not allowed",
        ),
    ],
)
def test_a_chart_s_own_part_counts(chart: Path, helm: str, config: dict[str, Any], refused: str) -> None:
    done = template(helm, chart, {"config": config})
    assert (done.returncode != 0) == bool(refused), done.stderr
    assert re.search(refused, done.stderr), done.stderr


def test_helm_before_it_spoke_of_additional_properties_refuses_as_well(chart: Path) -> None:
    done = template("3.17.3", chart, {"config": {"migration": {"comand": ["sh"]}}})
    assert done.returncode != 0
    assert "config.migration: Additional property comand is not allowed" in done.stderr
