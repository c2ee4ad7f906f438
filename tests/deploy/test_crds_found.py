"""Which CustomResourceDefinitions a bill brings: those it names, and those of its charts."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from dev import binaries
from tests.support.trees import chart, depends, write
from watchbill.charts.engine import Engine
from watchbill.deploy.bill import Bill
from watchbill.deploy.crds import Definitions
from watchbill.deploy.crds_found import collect
from watchbill.deploy.reading import read
from watchbill.errors import UserError

HEAD = "product: shop\nversion: 1.0.0\ndefaultNamespace: shop\n"
COMPONENTS = "components:\n  - {name: web, chart: charts/web}\n  - {name: api, chart: charts/api}\n"


def definition(plural: str, *, more: str = "") -> str:
    return f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.example.org}}
spec:
  group: example.org
  names: {{kind: {plural.title()}, plural: {plural}}}
  scope: Namespaced{more}
  versions: []
"""


@pytest.fixture
def shop(here: Path) -> Path:
    for name in ("web", "api"):
        chart(here / "charts" / name)
    return write(here, {"bill.yaml": HEAD + COMPONENTS})


def found(engine: Engine, text: str = "", **options: Any) -> Definitions:
    if text:
        Path("bill.yaml").write_text(text)
    bill = read(engine, "bill.yaml")
    return collect(engine, bill, locals_of(bill), **options)


def locals_of(bill: Bill) -> dict[str, str]:
    return {one.name: one.chart for one in bill.everything if one.is_local}


def told(definitions: Definitions) -> list[tuple[str, str]]:
    return [(one.name, one.origin) for one in definitions]


def refused(engine: Engine, text: str = "") -> str:
    with pytest.raises(UserError) as caught:
        found(engine, text)
    return str(caught.value)


@pytest.mark.usefixtures("shop")
def test_none(engine: Engine) -> None:
    assert not found(engine)


def test_those_of_the_bill_come_from_files_and_folders(engine: Engine, shop: Path) -> None:
    listed = "apiVersion: v1\nkind: List\nitems:\n- " + definition("listed").replace("\n", "\n  ")
    write(
        shop,
        {
            "crds/b.yaml": definition("b"),
            "crds/a/deep.yml": f"# first\n---\n{definition('a')}---\n{definition('c')}",
            "crds/readme.md": "not read",
            "one.json": '{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", '
            '"metadata": {"name": "json.example.org"}}',
            "list.yaml": listed,
        },
    )
    assert told(found(engine, HEAD + "crds: [list.yaml, crds, one.json]\n" + COMPONENTS)) == [
        ("listed.example.org", "list.yaml"),
        ("a.example.org", "crds/a/deep.yml"),
        ("c.example.org", "crds/a/deep.yml"),
        ("b.example.org", "crds/b.yaml"),
        ("json.example.org", "one.json"),
    ]


def test_files_are_told_as_the_user_would_name_them(
    engine: Engine, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(shop, {"bill.yaml": HEAD + "crds: [crds]\n" + COMPONENTS, "crds/a.yaml": definition("a")})
    monkeypatch.chdir(shop / "charts")
    bill = read(engine, "../bill.yaml")
    assert told(collect(engine, bill, {})) == [("a.example.org", "../crds/a.yaml")]


def test_those_of_charts_whatever_their_templates_want(engine: Engine, shop: Path) -> None:
    write(
        shop / "charts/web",
        {
            "crds/a.yaml": definition("a"),
            "crds/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: left-to-helm}\n",
            "templates/fails.yaml": '{{ fail "this needs a cluster" }}{{ .Values.nothing.there }}',
            "templates/_broken.tpl": "{{ define",
            "templates/crd.yaml": definition("template"),
        },
    )
    assert told(found(engine)) == [("a.example.org", "web/crds/a.yaml of component web")]


def test_those_of_dependencies_if_values_switch_them_on(engine: Engine, shop: Path) -> None:
    web = shop / "charts/web"
    chart(web, more=depends("inner", "") + "  condition: inner.enabled\n")
    chart(web / "charts/inner")
    write(web, {"values.yaml": "inner: {enabled: false}\n", "charts/inner/crds/a.yaml": definition("a")})
    assert not found(engine)
    on = COMPONENTS.replace("chart: charts/web", "chart: charts/web, set: [inner.enabled=true]")
    assert told(found(engine, HEAD + on)) == [
        ("a.example.org", "web/charts/inner/crds/a.yaml of component web")
    ]
    write(shop, {"on.yaml": "inner: {enabled: true}\n"})
    in_file = COMPONENTS.replace(
        "chart: charts/web", "chart: charts/web, values: [on.yaml, https://example.org/x]"
    )
    assert len(found(engine, HEAD + in_file)) == 1


def test_those_of_archives(engine: Engine, shop: Path) -> None:
    write(shop / "charts/web", {"crds/a.yaml": definition("a")})
    subprocess.run([binaries.helm("4.3.1"), "package", "charts/web"], check=True, capture_output=True)
    packed = HEAD + "components: [{name: web, chart: web-1.0.0.tgz}]\n"
    assert told(found(engine, packed)) == [("a.example.org", "web/crds/a.yaml of component web")]


def test_a_component_may_leave_them_out(engine: Engine, shop: Path) -> None:
    write(shop / "charts/web", {"crds/a.yaml": definition("a")})
    assert not found(
        engine, HEAD + COMPONENTS.replace("chart: charts/web", "chart: charts/web, skipCrds: true")
    )


def test_components_that_are_not_deployed_bring_none(engine: Engine, shop: Path) -> None:
    write(shop / "charts", {"web/crds/a.yaml": definition("a"), "api/crds/b.yaml": definition("b")})
    bill = read(engine, "bill.yaml")
    assert [one.name for one in collect(engine, bill, {"api": str(shop / "charts/api")})] == ["b.example.org"]


def test_a_chart_that_asks_for_a_cluster_gets_its_version(engine: Engine, shop: Path) -> None:
    chart(shop / "charts/web", more="kubeVersion: 1.30.x\n")
    write(shop / "charts/web", {"crds/a.yaml": definition("a")})
    assert len(found(engine, kube_version="v1.30.4")) == 1
    with pytest.raises(UserError, match=r"1\.30\.x"):
        found(engine, kube_version="v1.31.0")


def test_the_same_in_two_charts_is_one(engine: Engine, shop: Path) -> None:
    same = definition("a").replace("metadata: {name: a.example.org}", "metadata:\n    name: 'a.example.org'")
    write(shop / "charts", {"web/crds/a.yaml": definition("a"), "api/crds/other.yaml": f"# mine\n{same}"})
    assert told(found(engine)) == [("a.example.org", "web/crds/a.yaml of component web")]


def test_two_that_differ_are_nobodys_to_choose_from(engine: Engine, shop: Path) -> None:
    other = definition("a", more="\n  preserveUnknownFields: false")
    write(shop / "charts", {"web/crds/a.yaml": definition("a"), "api/crds/a.yaml": other})
    assert refused(engine) == (
        "there are two different CustomResourceDefinitions a.example.org\n"
        "  web/crds/a.yaml of component web\n"
        "  api/crds/a.yaml of component api\n"
        "  say skipCrds: true for component api, if it should be the other one"
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
            "crds.yaml: a ConfigMap is not a CustomResourceDefinition",
        ),
        ("just: values\n", "crds.yaml: not a Kubernetes object"),
        ("- a\n- b\n", "YAML parse error on crds.yaml: "),
        ("a: [\n", "YAML parse error on crds.yaml: "),
        (
            definition("a").replace("v1\n", "v1beta1\n", 1),
            "crds.yaml: a.example.org is of apiextensions.k8s.io/v1beta1,",
        ),
        (
            definition("a").replace("name: a.example.org", ""),
            "crds.yaml: a CustomResourceDefinition has no name",
        ),
    ],
)
def test_what_is_no_definition(engine: Engine, shop: Path, content: str, words: str) -> None:
    write(shop, {"crds.yaml": content})
    said = refused(engine, HEAD + "crds: [crds.yaml]\n" + COMPONENTS)
    assert said.startswith(words)
    assert "template" not in said


def test_a_folder_of_nothing(engine: Engine, shop: Path) -> None:
    write(shop, {"crds/readme.md": ""})
    assert refused(engine, HEAD + "crds: [crds]\n" + COMPONENTS) == "crds: no YAML found\n  bill.yaml: crds"


def test_a_file_that_is_not_utf_8(engine: Engine, shop: Path) -> None:
    (shop / "crds.yaml").write_bytes(b"\xff\xfe")
    assert refused(engine, HEAD + "crds: [crds.yaml]\n" + COMPONENTS).startswith("crds.yaml is not UTF-8")


def test_a_chart_that_cannot_be_loaded_is_told_before_anything_starts(engine: Engine, shop: Path) -> None:
    chart(shop / "charts/web", more=depends("inner", "https://example.org/charts"))
    write(shop / "charts/web", {"crds/a.yaml": definition("a")})
    assert 'the dependency "inner" is not in charts/' in refused(engine)
