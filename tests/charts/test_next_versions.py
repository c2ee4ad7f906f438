"""Made-up next versions: inputs change, Helm's code renders, and what shows nowhere is left out."""

import json
from pathlib import Path

import pytest

from tests.support import txtar
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.next_versions import NextVersion, next_versions
from watchbill.charts.protocol import Context
from watchbill.checking.hook_inputs import read_by_hooks

CASES = Path(__file__).parent / "next_versions"


@pytest.mark.parametrize("case", sorted(CASES.glob("*.txtar")), ids=lambda case: case.stem)
def test_every_change_is_found_and_nothing_else(engine: Engine, case: Path, tmp_path: Path) -> None:
    found = versions_of(engine, case, tmp_path)
    assert sorted(map(str, found)) == sorted(json.loads((tmp_path / "expect.json").read_text()))


def versions_of(engine: Engine, case: Path, folder: Path) -> dict[str, NextVersion]:
    chart = load(engine, str(txtar.unpack(case, folder)))
    found = next_versions(engine, chart, Context(), watch=read_by_hooks)
    return {str(version.change): version for version in found}


def job(version: NextVersion) -> str:
    [resource] = [r for r in version.rendering.resources if r.kind == "Job"]
    return str(resource.object)


def test_the_rendering_is_helm_s_own_not_an_edited_object(engine: Engine, tmp_path: Path) -> None:
    """The Job's name carries a hash of its values, so a changed value gives another name."""
    versions = versions_of(engine, CASES / "every-input.txtar", tmp_path)
    before, after = (
        version.rendering.resources[0].name
        for version in (versions["chart version: 1.2.3 -> 1.2.4"], versions["value job.timeout: 600 -> 601"])
    )
    assert before != after


def test_a_literal_is_raised_in_the_template(engine: Engine, tmp_path: Path) -> None:
    versions = versions_of(engine, CASES / "every-input.txtar", tmp_path)
    assert "busybox:1.36.2" in job(versions["image templates/job.yaml:24: 1.36.1 -> 1.36.2"])


def test_what_only_a_new_version_brings_comes_with_its_name(engine: Engine, tmp_path: Path) -> None:
    """Else a Job that has another name in each version of the chart would be said to be changed in place."""
    versions = versions_of(engine, CASES / "names-by-version.txtar", tmp_path)
    assert [version.rendering.resources[0].name for version in versions.values()] == ["migrate-1-2-4"] * 3


def test_next_versions_are_the_same_every_time(engine: Engine, tmp_path: Path) -> None:
    chart = load(engine, str(txtar.unpack(CASES / "every-input.txtar", tmp_path)))
    one, other = (next_versions(engine, chart, Context()) for _ in range(2))
    assert one == other


def test_a_chart_with_thousands_of_values_is_cut_to_the_likeliest(engine: Engine, tmp_path: Path) -> None:
    noise = "\n".join(f"  k{n}: noise{n}\n  k{n}Name: noise{n}" for n in range(3000))
    files = {
        "Chart.yaml": "apiVersion: v2\nname: big\nversion: 1.0.0\n",
        "values.yaml": f"a:\n{noise}\nz:\n  wanted: reaches-the-pod\n  hidden: in-another-form\n",
        "templates/job.yaml": (
            "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {restartPolicy: Never,"
            " containers: [{name: c, image: busybox,"
            " args: [{{ .Values.z.wanted }}, {{ .Values.z.hidden | b64enc }}]}]}}}\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = next_versions(engine, load(engine, str(tmp_path)), Context())
    assert {v.change.where for v in found if v.change.kind == "value"} == {"z.wanted", "z.hidden"}
