"""Releases in one stream of manifests, told apart; every line keeps its number."""

import subprocess
from pathlib import Path

import pytest

from dev import binaries
from tests.support.trees import chart, write
from watchbill.charts.engine import Engine
from watchbill.charts.render import parse
from watchbill.checking.inputs.streams import releases
from watchbill.errors import UserError


def thing(name: str, *, kind: str = "ConfigMap", source: str = "", **labels: str) -> str:
    """One document; `instance` is short for the label that counts."""
    lines = [f"# Source: {source}"] if source else []
    lines += ["apiVersion: v1", f"kind: {kind}", "metadata:", f"  name: {name}"]
    if labels:
        named = {
            "app.kubernetes.io/instance" if key == "instance" else key: value for key, value in labels.items()
        }
        lines += ["  labels:", *(f"    {key}: {value}" for key, value in named.items())]
    return "\n".join(lines) + "\n"


def stream(*documents: str) -> str:
    return "".join(f"---\n{document}" for document in documents)


def told_apart(engine: Engine, text: str) -> dict[str, list[str]]:
    """Names of objects by release; also checks that nothing is lost and no line moved."""
    everything = {(d.text.strip(), d.line) for d in parse(engine, "x.yaml", text).documents}
    found = releases(engine, "x.yaml", text)
    read = {release.label: parse(engine, "x.yaml", release.text).documents for release in found}
    parts = [(d.text.strip(), d.line) for documents in read.values() for d in documents]
    assert sorted(parts, key=str) == sorted(everything, key=str)
    return {
        label: [d.object["metadata"]["name"] for d in sorted(documents, key=lambda d: d.index) if d.object]
        for label, documents in read.items()
    }


def test_one_release_is_untouched(engine: Engine) -> None:
    text = "# a comment\n" + stream(
        thing("one", instance="shop"), thing("two"), thing("three", instance="shop")
    )
    assert [(r.label, r.text is text) for r in releases(engine, "x.yaml", text)] == [("shop", True)]
    nameless = stream(thing("one"), thing("two"))
    assert [(r.label, r.text is nameless) for r in releases(engine, "x.yaml", nameless)] == [("", True)]


def test_by_instance_label(engine: Engine) -> None:
    text = stream(*(thing(f"{name}-{number}", instance=name) for number in (1, 2) for name in ("b", "a")))
    assert told_apart(engine, text) == {"b": ["b-1", "b-2"], "a": ["a-1", "a-2"]}


def test_what_has_no_label_goes_with_its_neighbours(engine: Engine) -> None:
    text = stream(
        thing("crd"),
        thing("a", instance="a"),
        thing("role"),
        thing("b", instance="b"),
        thing("space"),
        "# the end\n",
    )
    assert told_apart(engine, text) == {"a": ["crd", "a", "role"], "b": ["b", "space"]}


def test_the_label_of_helm_2(engine: Engine) -> None:
    text = stream(
        thing("old", release="a", heritage="Tiller"),
        thing("older", release="a", chart="x-1.0.0"),
        thing("new", instance="b"),
        thing("monitor", release="prometheus"),  # which Prometheus is to see it, not whose it is
    )
    assert told_apart(engine, text) == {"a": ["old", "older"], "b": ["new", "monitor"]}


def test_charts_without_labels_by_their_source(engine: Engine) -> None:
    text = stream(
        thing("a1", source="a/templates/x.yaml"),
        thing("a2", source="a/charts/sub/templates/x.yaml"),
        thing("b1", source="b/templates/x.yaml"),
    )
    assert told_apart(engine, text) == {"a": ["a1", "a2"], "b": ["b1"]}


def test_a_document_goes_with_its_own_chart_not_with_the_one_before(engine: Engine) -> None:
    text = stream(
        thing("a1", source="a/templates/x.yaml", instance="one"),
        thing("b-space", source="b/templates/space.yaml"),
        thing("b1", source="b/templates/x.yaml", instance="two"),
        thing("c1", source="c/templates/x.yaml"),
        thing("comment-free"),
    )
    assert told_apart(engine, text) == {
        "one": ["a1"],
        "two": ["b-space", "b1"],
        "c": ["c1", "comment-free"],
    }


def test_a_chart_that_is_there_twice(engine: Engine) -> None:
    """Where it begins anew is told by a template that came up before."""
    once = [
        [
            thing(f"{name}-space", source="app/templates/space.yaml"),
            thing(f"{name}-space2", source="app/templates/space.yaml"),
            thing(f"{name}-app", source="app/templates/app.yaml", instance=name),
            thing(f"{name}-hook", source="app/templates/hook.yaml"),
        ]
        for name in ("blue", "green")
    ]
    assert told_apart(engine, stream(*once[0], *once[1])) == {
        "blue": ["blue-space", "blue-space2", "blue-app", "blue-hook"],
        "green": ["green-space", "green-space2", "green-app", "green-hook"],
    }


def test_components_that_a_chart_calls_instances_are_one_release(engine: Engine) -> None:
    text = stream(
        thing("web", source="shop/templates/web.yaml", instance="shop-web"),
        thing("db", source="shop/charts/db/templates/db.yaml", instance="shop-db"),
        thing("db2", source="shop/charts/db/templates/db2.yaml", instance="shop-db"),
    )
    [release] = releases(engine, "x.yaml", text)
    assert release.text is text
    assert release.label == "shop-db"


def test_a_list_goes_with_what_is_in_it(engine: Engine) -> None:
    items = '{"apiVersion": "v1", "kind": "List", "metadata": {"name": "l"}, "items": [{"metadata": {"name": "x"}}, {"metadata": {"labels": {"app.kubernetes.io/instance": "b"}}}]}\n'
    assert told_apart(engine, stream(thing("a", instance="a"), items)) == {"a": ["a"], "b": ["l"]}


@pytest.mark.parametrize(
    "text",
    [
        "\n\n  \n" + stream(thing("a", instance="a"), thing("b", instance="b")),
        thing("a", instance="a") + "--- # with a comment\n" + thing("b", instance="b"),
        thing("a", instance="a") + "---   \n---\n\n---\t\n" + thing("b", instance="b") + "---",
        stream(thing("a", instance="a"), thing("b", instance="b")).replace("\n", "\r\n"),
        "---\n" + thing("a", instance="a") + "--- " + thing("b", instance="b"),
        stream(
            thing("a", instance="a") + "data:\n  text: |\n    ümlaut ---\n     ---\n",
            thing("b", instance="b"),
        ),
        "\u2003\u00a0\n" + stream(thing("a", instance="a"), thing("b", instance="b")),
    ],
)
def test_however_documents_are_parted(engine: Engine, text: str) -> None:
    assert told_apart(engine, text) == {"a": ["a"], "b": ["b"]}


@pytest.mark.parametrize("text", ["", "\n", "---\n---\n", "# only a comment\n"])
def test_no_manifests_at_all(engine: Engine, text: str) -> None:
    with pytest.raises(UserError, match=r"x\.yaml: no manifests found"):
        releases(engine, "x.yaml", text)


def test_what_helm_prints_for_two_releases(engine: Engine, tmp_path: Path) -> None:
    """As helmfile does, one after the other."""
    hook = (
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-migrate\n"
        "  annotations: {helm.sh/hook: pre-install}\n"
    )
    labelled = (
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n"
        "  labels: {app.kubernetes.io/instance: {{ .Release.Name }}}\n"
    )
    account = "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: {{ .Release.Name }}-user\n"
    write(
        chart(tmp_path / "app"),
        {"templates/hook.yaml": hook, "templates/service.yaml": labelled, "templates/account.yaml": account},
    )
    printed = "".join(
        subprocess.run(
            [binaries.helm("4.3.1"), "template", name, tmp_path / "app"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for name in ("blue", "green")
    )
    assert told_apart(engine, printed) == {
        name: [f"{name}-user", "app-1.0.0", name, f"{name}-migrate"] for name in ("blue", "green")
    }
