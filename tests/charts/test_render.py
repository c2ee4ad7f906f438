"""What a context decides, and what comes back of it."""

from pathlib import Path
from typing import Any

import pytest

from watchbill.charts.chart import Chart, load
from watchbill.charts.engine import Engine
from watchbill.charts.problems import explain
from watchbill.charts.protocol import (
    Context,
    EngineError,
    Locate,
    Lookup,
    Source,
    Values,
    ValuesFile,
    Volatile,
)
from watchbill.charts.render import Failure, Rendering, render, render_each, render_one
from watchbill.errors import UserError

FACTS = """
kind: ConfigMap
metadata: {name: facts}
data:
  release: {{ .Release.Name }}/{{ .Release.Namespace }}/{{ .Release.IsInstall }}/{{ .Release.IsUpgrade }}/{{ .Release.Revision }}
  chart: {{ .Chart.Version }}/{{ .Chart.AppVersion }}
  kube: {{ .Capabilities.KubeVersion.Version }}/{{ .Capabilities.HelmVersion.Version }}/{{ .Capabilities.APIVersions.Has "example.com/v1" }}
  values: {{ .Values.a }}/{{ .Values.b }}/{{ .Values.c }}/{{ .Values.d }}
"""


def write(folder: Path, **files: str) -> Path:
    for name, text in {
        "Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\nappVersion: '1'\n",
        **files,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def facts(engine: Engine, tmp_path: Path) -> Chart:
    values = "a: chart\nb: chart\nc: chart\nd: chart\n"
    return load(engine, str(write(tmp_path / "c", **{"values.yaml": values, "templates/facts.yaml": FACTS})))


def data(rendering: Rendering) -> dict[str, Any]:
    found: dict[str, Any] = rendering.resources[0].object["data"]
    return found


def test_a_context_decides_everything_the_templates_see(engine: Engine, facts: Chart) -> None:
    context = Context(
        release="r",
        namespace="prod",
        upgrade=True,
        revision=7,
        kube_version="1.29.3",
        api_versions=("example.com/v1",),
        helm_version="v3.19.0",
        chart_version="2.0.0",
        app_version="9",
    )
    assert data(render_one(engine, facts, context)) == {
        "release": "r/prod/false/true/7",
        "chart": "2.0.0/9",
        "kube": "v1.29.3/v3.19.0/true",
        "values": "chart/chart/chart/chart",
    }


def test_what_was_only_prepared_is_no_answer_to_others(engine: Engine, facts: Chart, tmp_path: Path) -> None:
    under_way = render_each(engine, facts, [Context(release="one"), Context(release="two")])
    engine.prepare(Locate((), facts.source, Context(release="one")))
    engine.prepare(Locate((), Source(path=str(tmp_path / "nowhere")), Context()))
    assert [data(one)["release"][:3] for _, one in under_way if isinstance(one, Rendering)] == ["one", "two"]
    assert data(render_one(engine, facts, Context(release="three")))["release"].startswith("three/")


def test_values_win_in_helm_s_order(engine: Engine, facts: Chart, tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("a: one\nb: one\nc: one\n")
    values = Values(
        files=(ValuesFile(str(tmp_path / "one.yaml")), ValuesFile("-", text="b: two\nc: two\nd: two\n")),
        set=("c=set", "d=set"),
        set_literal=("d=lit,eral",),
    )
    assert data(render_one(engine, facts, Context(values=values)))["values"] == "one/two/set/lit,eral"
    top = Values(set=("a=set",), overlay={"a": "overlay"})
    assert data(render_one(engine, facts, Context(values=top)))["values"] == "overlay/chart/chart/chart"


def test_a_context_that_fails_does_not_spoil_the_others(engine: Engine, tmp_path: Path) -> None:
    text = 'kind: ConfigMap\nmetadata: {name: {{ required "a name is needed" .Values.name }}}\n'
    chart = load(engine, str(write(tmp_path, **{"templates/a.yaml": text})))
    good = Context(values=Values(set=("name=x",)))
    first, second, third = render(engine, chart, [good, Context(), good])
    assert isinstance(first, Rendering)
    assert isinstance(second, Failure)
    assert (second.error.kind, second.error.file, second.error.line) == ("required", "c/templates/a.yaml", 2)
    assert "a name is needed" in second.error.message
    assert third == first


def test_clock_and_randomness_are_fixed_and_their_users_named(engine: Engine, tmp_path: Path) -> None:
    files = {
        "templates/_h.tpl": '{{ define "pw" }}{{ randAlphaNum 12 }}{{ end }}',
        "templates/a.yaml": 'kind: Secret\nmetadata: {name: a}\nstringData: {pw: {{ include "pw" . }}}\n',
        "templates/b.yaml": 'kind: ConfigMap\nmetadata: {name: b}\ndata: {at: "{{ now | unixEpoch }}"}\n',
        "templates/c.yaml": "kind: ConfigMap\nmetadata: {name: c}\n",
    }
    chart = load(engine, str(write(tmp_path, **files)))
    one, same = (render_one(engine, chart, Context()) for _ in range(2))
    other = render_one(engine, chart, Context(seed=1))
    assert one == same
    assert set(one.volatile) == {
        Volatile("c/templates/a.yaml", "randAlphaNum"),
        Volatile("c/templates/b.yaml", "now"),
    }
    changed = {r.name for r, s in zip(one.resources, other.resources, strict=True) if r.object != s.object}
    assert changed == {"a", "b"}


def test_lookup_sees_the_given_objects_and_every_question_is_reported(engine: Engine, tmp_path: Path) -> None:
    text = """
kind: ConfigMap
metadata: {name: a}
data:
  found: {{ ((lookup "v1" "Secret" .Release.Namespace "db").data).password | default "none" | quote }}
  listed: {{ len (lookup "v1" "Secret" .Release.Namespace "").items | quote }}
"""
    chart = load(engine, str(write(tmp_path, **{"templates/a.yaml": text})))
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "db", "namespace": "default"},
        "data": {"password": "aHVudGVy"},
    }
    there = render_one(engine, chart, Context(cluster=(secret,)))
    assert data(there) == {"found": "aHVudGVy", "listed": "1"}
    assert there.lookups[0] == Lookup("c/templates/a.yaml", "v1", "Secret", "default", "db", found=True)
    gone = render_one(engine, chart, Context(cluster=(secret,), namespace="elsewhere"))
    assert data(gone) == {"found": "none", "listed": "0"}


def test_items_of_a_list_are_resources_and_cluster_scoped_ones_have_no_namespace(
    engine: Engine, tmp_path: Path
) -> None:
    text = """
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
  - {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: b}}
"""
    chart = load(engine, str(write(tmp_path, **{"templates/a.yaml": text})))
    found = render_one(engine, chart, Context(namespace="ns")).resources
    assert [(str(r), r.namespace, r.within) for r in found] == [
        ("ConfigMap/a", "ns", ("items", 0)),
        ("ClusterRole/b", "", ("items", 1)),
    ]


def test_a_missing_dependency_is_named_with_the_command_that_brings_it(
    engine: Engine, tmp_path: Path
) -> None:
    head = "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n  - {name: core, version: 1.x, repository: 'oci://example.com/x'}\n"
    path = write(tmp_path, **{"Chart.yaml": head})
    with pytest.raises(UserError) as caught:
        render_one(engine, load(engine, str(path)), Context())
    assert str(caught.value).splitlines() == [
        f'{path}: the dependency "core" is not in charts/',
        f"  {path}/Chart.yaml:5",
        f"  run: helm dependency build {path}",
    ]


def test_a_dependency_beside_the_chart_that_has_another_version_is_said_to_be_one(
    engine: Engine, tmp_path: Path
) -> None:
    write(tmp_path / "core", **{"Chart.yaml": "apiVersion: v2\nname: core\nversion: 1.4.2\n"})
    head = "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n  - {name: core, version: 2.x, repository: 'file://../core'}\n"
    path = write(tmp_path / "c", **{"Chart.yaml": head})
    with pytest.raises(UserError, match=r'version "2\.x" is wanted, the chart there has version 1\.4\.2'):
        render_one(engine, load(engine, str(path)), Context())


@pytest.mark.parametrize(
    ("kind", "words", "said"),
    [
        (
            "required",
            "execution error at (c/templates/a.yaml:1:3): core.host is required",
            "core: core.host is required",
        ),
        ("fail", "execution error at (c/templates/a.yaml:1:3): no core", "core: no core"),
        ("symlink", "the symbolic link core makes a loop", "core: the symbolic link core makes a loop"),
        ("chart", "core is not a chart", "core is not a chart"),
    ],
)
def test_a_chart_is_named_also_where_its_name_is_a_word_of_the_error(
    kind: str, words: str, said: str
) -> None:
    assert str(explain(EngineError(kind=kind, message=words), "core")).splitlines()[0] == said


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("points out of the chart", "copy the file into the chart, or allow it with --follow-symlinks"),
        ("makes a loop", "remove the link, or copy into the chart what it should point to"),
        ("points to nothing", "remove the link, or copy into the chart what it should point to"),
    ],
)
def test_the_advice_for_a_link_helps(said: str, then: str) -> None:
    error = EngineError(kind="symlink", message=f"the symbolic link core, to elsewhere, {said}")
    assert explain(error, "core").then == then


def test_file_dependencies_are_loaded_in_memory(engine: Engine, tmp_path: Path) -> None:
    sub = "apiVersion: v2\nname: sub\nversion: 1.4.2\n"
    write(
        tmp_path / "sub",
        **{"Chart.yaml": sub, "templates/a.yaml": "kind: ConfigMap\nmetadata: {name: from-sub}\n"},
    )
    head = "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n  - {name: sub, version: ^1.4.0, repository: 'file://../sub'}\n"
    chart = load(engine, str(write(tmp_path / "c", **{"Chart.yaml": head})))
    [found] = render_one(engine, chart, Context()).resources
    assert (found.name, found.origin.subchart) == ("from-sub", "sub")
    assert not (tmp_path / "c" / "charts").exists()
