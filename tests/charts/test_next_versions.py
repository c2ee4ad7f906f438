"""Made-up next versions: inputs change, Helm's code renders, and what shows nowhere is left out."""

from pathlib import Path

import pytest

from tests.support import txtar
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.next_versions import NextVersion, next_versions
from watchbill.charts.protocol import Context, Values

CHART = Path(__file__).parent / "next_versions.txtar"


@pytest.fixture(scope="module")
def versions(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> dict[str, NextVersion]:
    chart = load(engine, str(txtar.unpack(CHART, tmp_path_factory.mktemp("chart"))))
    found = next_versions(engine, chart, Context(values=Values(set=("extra.level=info",))))
    return {f"{version.change.kind} {version.change.where}".strip(): version for version in found}


def job(version: NextVersion) -> dict[str, object]:
    [resource] = [r for r in version.rendering.resources if r.kind == "Job"]
    return resource.object


def test_every_kind_of_change_is_found_and_nothing_else(versions: dict[str, NextVersion]) -> None:
    assert set(versions) == {
        "chart version",
        "app version",
        "image image.tag",
        "image sidecar",
        "image templates/job.yaml:24",
        "value extra.level",
        "value image.repository",
        "value job.args[1]",
        "value job.timeout",
        "value store.url",
    }


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("chart version", "1.2.3", "1.2.4"),
        ("app version", "v7", "v8"),
        ("image image.tag", "2.0.1", "2.0.2"),
        ("image sidecar", "registry.example.com/proxy:3", "registry.example.com/proxy:4"),
        ("image templates/job.yaml:24", "busybox:1.36.1", "busybox:1.36.2"),
        ("value job.timeout", "600", "601"),
        ("value job.args[1]", "--level=3", "--level=4"),
        ("value extra.level", "info", "info-next"),
    ],
)
def test_a_change_says_what_became_what(
    versions: dict[str, NextVersion], name: str, old: str, new: str
) -> None:
    change = versions[name].change
    assert (change.old, change.new) == (old, new)


def test_the_rendering_is_helm_s_own_not_an_edited_object(versions: dict[str, NextVersion]) -> None:
    """The Job's name carries a hash of its values, so a changed value gives another name."""
    names = {name: str(job(version)["metadata"]) for name, version in versions.items()}
    assert names["value job.timeout"] != names["chart version"]


def test_a_literal_is_raised_in_the_template(versions: dict[str, NextVersion]) -> None:
    assert "busybox:1.36.2" in str(job(versions["image templates/job.yaml:24"]))


def test_next_versions_are_the_same_every_time(engine: Engine, tmp_path: Path) -> None:
    chart = load(engine, str(txtar.unpack(CHART, tmp_path)))
    one, other = (next_versions(engine, chart, Context()) for _ in range(2))
    assert one == other


def test_a_chart_with_thousands_of_values_is_cut_to_the_likeliest(engine: Engine, tmp_path: Path) -> None:
    noise = "\n".join(f"  k{n}: noise{n}" for n in range(3000))
    files = {
        "Chart.yaml": "apiVersion: v2\nname: big\nversion: 1.0.0\n",
        "values.yaml": f"a:\n{noise}\nz:\n  wanted: reaches-the-pod\n",
        "templates/job.yaml": (
            "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {restartPolicy: Never,"
            " containers: [{name: c, image: busybox, args: [{{ .Values.z.wanted }}]}]}}}\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = next_versions(engine, load(engine, str(tmp_path)), Context())
    assert [version.change.where for version in found if version.change.kind == "value"] == ["z.wanted"]
