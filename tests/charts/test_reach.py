"""Values that are not tried because they cannot reach a Job: fewer renders, and never another result."""

from pathlib import Path

import pytest

from tests.support import txtar
from watchbill.charts import next_versions as made_up
from watchbill.charts.chart import Chart, load
from watchbill.charts.engine import Engine
from watchbill.charts.leaves import leaves_of
from watchbill.charts.next_versions import next_versions
from watchbill.charts.protocol import Context
from watchbill.charts.reach import reaching
from watchbill.charts.render import Rendering, render_one
from watchbill.checking.hook_inputs import read_by_hooks

CHECKOUT = Path(__file__).parents[2]
CASES = sorted((Path(__file__).parent / "next_versions").glob("*.txtar"))
EXAMPLES = sorted(file.parent for file in (CHECKOUT / "examples").glob("*/*/Chart.yaml"))


@pytest.mark.parametrize("where", [*CASES, *EXAMPLES], ids=lambda where: where.stem)
def test_it_is_as_if_all_were_tried(
    engine: Engine, where: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = load(engine, str(where if where.is_dir() else txtar.unpack(where, tmp_path)))
    found = next_versions(engine, chart, Context(), watch=read_by_hooks)
    monkeypatch.setattr(made_up, "reaching", lambda leaves, *_: leaves)
    assert found == next_versions(engine, chart, Context(), watch=read_by_hooks)


JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "app:1", args: [%s]}]}}}
"""
VALUES = {"job": {"args": "a"}, "web": {"port": 80}, "sub": {"level": 1, "depth": 2}}


def reached(engine: Engine, folder: Path, args: str, **more: str) -> list[str]:
    files = {
        "Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
        "templates/job.yaml": JOB % args,
        "templates/web.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: w}\nspec: {ports: [{port: {{ .Values.web.port }}}]}\n",
        **more,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    chart, base = base_of(engine, folder)
    leaves = list(leaves_of(VALUES))
    return [leaf.name for leaf in reaching(leaves, chart, base, ())]


def base_of(engine: Engine, folder: Path) -> tuple[Chart, Rendering]:
    (folder / "values.yaml").write_text(str(VALUES))
    chart = load(engine, str(folder))
    return chart, render_one(engine, chart, Context(want_values=True))


EVERYTHING = [leaf.name for leaf in leaves_of(VALUES)]


@pytest.mark.parametrize(
    ("args", "names"),
    [
        ("{{ .Values.job.args }}", ["job.args"]),
        ("{{ $.Values.job | toJson | quote }}", ["job.args"]),
        ("{{ with .Values.web }}{{ .port | quote }}{{ end }}", ["web.port"]),
        ('{{ index .Values "job" "args" }}', EVERYTHING),
        ("{{ .Values | toJson | sha256sum }}", EVERYTHING),
        ("{{ $all := .Values }}{{ $all.job.args }}", EVERYTHING),
        ('{{ (get $ "Values").job.args }}', EVERYTHING),
        ("{{ .Files.Get `Chart.yaml` | sha256sum }}", EVERYTHING),
        ("{{/* not .Values.job.args nor all .Values */}} a", []),
    ],
)
def test_who_names_a_value_may_use_it(engine: Engine, tmp_path: Path, args: str, names: list[str]) -> None:
    assert reached(engine, tmp_path, args) == names


def test_a_subchart_names_its_values_without_its_own_name(engine: Engine, tmp_path: Path) -> None:
    sub = {
        "charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
        "charts/sub/templates/job.yaml": JOB % "{{ .Values.level | quote }}",
    }
    assert reached(engine, tmp_path, "a", **sub) == ["sub.level"]
