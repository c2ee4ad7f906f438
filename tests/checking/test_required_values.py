"""Values that a chart requires: all of them are named at once, and `--fill` checks with placeholders."""

import json
from pathlib import Path

import pytest

from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context, Values
from watchbill.checking.required_values import find_required
from watchbill.cli import run

JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {helm.sh/hook: pre-upgrade}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "i:1"}]}}}
"""


def chart(folder: Path, **files: str) -> str:
    """`__` in a file's name stands for `/`."""
    metadata = "apiVersion: v2\nname: shop\nversion: 1.0.0\n"
    for name, text in {"Chart.yaml": metadata, "templates__job.yaml": JOB, **files}.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def config_map(*lines: str) -> str:
    return "\n".join(("apiVersion: v1", "kind: ConfigMap", "metadata: {name: c}", "data:", *lines)) + "\n"


SUBCHART = {
    "charts__db__Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n",
    "charts__db__templates__c.yaml": config_map('  a: {{ required "set it" .Values.auth.password | quote }}'),
}
SCHEMA = {
    "type": "object",
    "required": ["replicas"],
    "properties": {
        "replicas": {"type": "integer"},
        "auth": {"type": "object", "required": ["user", "token"], "properties": {"user": {"type": "string"}}},
    },
}


@pytest.mark.parametrize(
    ("files", "placeholders"),
    [
        pytest.param({}, {}, id="nothing is required"),
        pytest.param(
            {
                "templates__c.yaml": config_map(
                    '  a: {{ required "a!" .Values.a }}',
                    '  b: {{ .Values.b.c | required "b!" }}',
                    '  d: {{ required "the port" .Values.port | int | quote }}',
                )
            },
            {"a": "placeholder", "b.c": "placeholder", "port": 1},
            id="several with required",
        ),
        pytest.param(
            {
                "values.yaml": "host: ''\nother: 1\n",
                "templates__c.yaml": '{{ if not .Values.host }}\n{{ fail "no host!" }}\n{{ end }}\n',
            },
            {"host": "example.org"},
            id="a condition above fail",
        ),
        pytest.param(
            {
                "values.yaml": "auth: {key: ''}\n",
                "templates___helpers.tpl": '{{ define "v" }}{{ $a := .Values.auth }}{{ if not $a.key }}'
                '{{ fail "please set auth.key" }}{{ end }}{{ end }}',
                "templates__c.yaml": '{{ include "v" . }}',
            },
            {"auth.key": "placeholder"},
            id="only the message names it",
        ),
        pytest.param(SUBCHART, {"db.auth.password": "placeholder"}, id="of a subchart"),
        pytest.param(
            {"values.yaml": "auth: {}\n", "values.schema.json": json.dumps(SCHEMA)},
            {"replicas": 1, "auth.user": "placeholder", "auth.token": "placeholder"},
            id="of a schema",
        ),
        pytest.param(
            {"templates__c.yaml": config_map("  a: {{ .Values.db.service.name }}")},
            {"db.service.name": "placeholder"},
            id="a path through nothing",
        ),
    ],
)
def test_what_is_required(
    engine: Engine, tmp_path: Path, files: dict[str, str], placeholders: dict[str, object]
) -> None:
    found = find_required(engine, load(engine, chart(tmp_path, **files)), Context())
    assert {".".join(path): value for path, value in found.placeholders.items()} == placeholders
    assert found.error is None


def test_what_no_value_mends(engine: Engine, tmp_path: Path) -> None:
    path = chart(tmp_path, **{"templates__d.yaml": '{{ fail "never" }}'})
    found = find_required(engine, load(engine, path), Context())
    assert found.placeholders == {}
    assert found.error is not None


def test_values_of_the_user_are_kept(engine: Engine, tmp_path: Path) -> None:
    lines = config_map('  a: {{ required "a!" .Values.a }}', '  b: {{ required "b!" .Values.b }}')
    loaded = load(engine, chart(tmp_path, **{"templates__c.yaml": lines}))
    found = find_required(engine, loaded, Context(values=Values(set=("a=mine",))))
    assert list(found.placeholders) == [("b",)]


@pytest.fixture
def needy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    lines = config_map('  a: {{ required "a!" .Values.a }}', '  b: {{ required "b!" .Values.b }}')
    chart(tmp_path / "shop", **{"templates__c.yaml": lines})
    return "shop"


def test_all_of_them_are_named_at_once(needy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", needy]) == 2
    assert capsys.readouterr().out == (
        "not checked  shop: a!\n"
        "  shop/templates/c.yaml:5:8\n"
        "  set with -f or --set: a, b\n"
        "  or check with placeholders: --fill\n"
    )


def test_placeholders_are_told_as_assumed(needy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", needy, "--fill", "--set", "a=1", "-o", "json"]) < 2
    [checked] = json.loads(capsys.readouterr().out)["charts"]
    assert 'placeholders for required values: {"b":"placeholder"}' in checked["assumed"]


def test_what_is_left_after_the_values_that_help(needy: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(needy, "templates/z.yaml").write_text('{{ if .Values.b }}{{ fail "never works" }}{{ end }}')
    assert run(["check", needy]) == 2
    assert "more is needed after that: " in (printed := capsys.readouterr().out)
    assert "never works" in printed
