"""What `lookup` is to find."""

from pathlib import Path

import pytest

from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.checking.inputs.objects import read_objects
from watchbill.errors import UserError
from watchbill.lifecycle.lab import ReleaseName
from watchbill.lifecycle.world import World
from watchbill.rehearsal.versions import FromChart

SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\n"
CONFIG = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}'


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (SECRET, ["a"]),
        (CONFIG, ["c"]),
        (f"{SECRET}---\n# and\n---\n{CONFIG}\n", ["a", "c"]),
        (f'{{"apiVersion": "v1", "kind": "List", "items": [{CONFIG}, {CONFIG}]}}', ["c", "c"]),
        (SECRET.replace("{name", "{annotations: {helm.sh/hook: nonsense}, name"), ["a"]),
        (SECRET.replace("{name", "{annotations: {helm.sh/hook: pre-install}, name"), ["a"]),
    ],
)
def test_whatever_kubectl_prints(engine: Engine, text: str, names: list[str]) -> None:
    assert [thing["metadata"]["name"] for thing in read_objects(engine, "x.yaml", text)] == names


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "x.yaml: no objects found"),
        ("# none\n", "x.yaml: no objects found"),
        (f"{SECRET}---\na: b", "x.yaml: an object without a kind\n  x.yaml:5"),
        ("- a\n- b\n", "cannot unmarshal array"),
        ("text", "cannot unmarshal string"),
        ("a: b: c", "mapping values are not allowed"),
        (f"{SECRET}---\napiVersion: v1\nkind: Secret\n", "x.yaml: Secret without a name\n  x.yaml:5"),
        ("kind: Secret\nmetadata: {name: x}\n", "x.yaml: Secret without an apiVersion\n  x.yaml:1"),
        ("a: &x [*x]", "x.yaml"),
    ],
)
def test_what_is_no_object(engine: Engine, text: str, words: str) -> None:
    with pytest.raises(UserError) as raised:
        read_objects(engine, "x.yaml", text)
    assert words in str(raised.value)
    assert "--objects takes what `kubectl get -o yaml` prints" in str(raised.value)


def test_it_is_there_whatever_is_played(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: finds\nversion: 1.0.0\n")
    (tmp_path / "templates" / "found.yaml").write_text(
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ (lookup "v1" "Secret" "b" "a").kind | default "none" }}}\n'
    )
    given = Context(cluster=read_objects(engine, "x.yaml", SECRET))
    for context, name in ((Context(), "none"), (given, "Secret")):
        version = FromChart(engine, load(engine, str(tmp_path)), context)
        for revision in (1, 2, 7):
            [found] = version.render(
                ReleaseName("r", "ns"), upgrade=revision > 1, revision=revision, world=World()
            ).manifests
            assert found.key.name == name
