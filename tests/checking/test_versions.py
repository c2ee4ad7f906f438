"""A version is rendered once for each situation its templates can tell apart, and as if each had been asked for alone."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.support.trees import chart, write
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.lifecycle.lab import ReleaseName
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.world import Live, Rendered, World
from watchbill.rehearsal.versions import FromChart

RELEASE = ReleaseName("r", "ns")
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "s", "namespace": "ns"},
    "data": {"a": "eA=="},
}
OTHER = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other", "namespace": "ns"}}


def world(*objects: dict[str, Any]) -> World:
    live = {Key("", str(one["kind"]), "ns", one["metadata"]["name"]): Live(Body.of(one)) for one in objects}
    return World(objects=live)


WORLDS = (World(), world(OTHER), world(SECRET), world(SECRET, OTHER))
# An operation, its revision, and what is there.
ASKED = [(False, 1, 0), (True, 2, 0), (True, 2, 1), (True, 3, 1), (True, 3, 2), (True, 4, 3), (True, 7, 0)]
TEMPLATES = {
    "nobody asks": "name: fixed",
    "the operation": "name: {{ .Release.IsUpgrade }}-x",
    "the revision": 'name: "v{{ .Release.Revision }}"',
    "chance": "name: {{ randAlpha 5 | lower }}",
    "what is there": 'name: {{ lookup "v1" "Secret" "ns" "s" | len }}-x',
    "what is there, or chance": 'name: {{ if lookup "v1" "Secret" "ns" "s" }}there{{ else }}{{ randAlpha 5 | lower }}{{ end }}',
    "all of it": 'name: {{ .Release.IsUpgrade }}-{{ lookup "v1" "Secret" "ns" "s" | len }}-{{ randAlpha 5 | lower }}',
    "namespaces": 'name: {{ if lookup "v1" "Namespace" "" "kube-system" }}found{{ else }}missing{{ end }}',
}


@pytest.mark.parametrize("asks", TEMPLATES)
def test_what_was_asked_before_makes_no_difference(engine: Engine, tmp_path: Path, asks: str) -> None:
    folder = chart(tmp_path / "c")
    write(folder, {"templates/a.yaml": f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  {TEMPLATES[asks]}\n"})
    loaded = load(engine, str(folder))

    def fresh() -> FromChart:
        return FromChart(engine, loaded, Context(release="r", namespace="ns"))

    def ask(version: FromChart, place: int) -> Rendered:
        upgrade, revision, there = ASKED[place]
        return version.render(RELEASE, upgrade=upgrade, revision=revision, world=WORLDS[there])

    alone = [ask(fresh(), place) for place in range(len(ASKED))]
    for order in list(permutations(range(len(ASKED)), 4))[::7]:
        version = fresh()
        assert [ask(version, place) for place in order] == [alone[place] for place in order]
