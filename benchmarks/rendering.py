"""Claim: the engine renders a chart in five contexts in less time than one `helm template` takes."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from benchmarks.measure import command, interleaved, peak_memory, table
from dev import binaries
from watchbill.charts.chart import load
from watchbill.charts.engine import Engine
from watchbill.charts.process import BINARY
from watchbill.charts.protocol import Context, Render, Request, Source
from watchbill.charts.render import render

ROOT = Path(__file__).resolve().parent.parent
# What a check asks for: one release, its install and its upgrades.
CONTEXTS = [Context(release="r", upgrade=number > 0, revision=number + 1) for number in range(5)]

JOBS = """{{- range until 420 }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $.Release.Name }}-{{ . }}
  annotations:
    helm.sh/hook: pre-upgrade
    helm.sh/hook-weight: "{{ . }}"
spec:
  backoffLimit: 2
  template:
    metadata:
      labels:
        {{- toYaml $.Values.labels | nindent 8 }}
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: {{ $.Values.image }}
          env:
            {{- range $key, $value := $.Values.env }}
            - name: {{ $key }}
              value: {{ $value | quote }}
            {{- end }}
---
{{- end }}
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        compare("a small chart", str(ROOT / "examples/charts/orders"))
        compare("a chart of 420 Jobs", str(write_large(Path(folder))))


def compare(title: str, chart: str) -> None:
    helm = str(binaries.helm("4.3.1"))
    print(f"{title}, process start included, against helm template:")
    table(
        interleaved(
            {
                "helm template, once": command(helm, "template", chart),
                "engine, one context": engine_renders(chart, CONTEXTS[:1]),
                "engine, five contexts": engine_renders(chart, CONTEXTS),
                "engine, five contexts with lines": engine_renders(chart, [with_lines(c) for c in CONTEXTS]),
            }
        ),
        against="helm template, once",
    )
    request = msgspec.json.encode(Request(id=1, render=Render(Source(chart), tuple(CONTEXTS)))) + b"\n"
    ours, theirs = peak_memory(BINARY, request=request), peak_memory(helm, "template", chart)
    print(f"  {'peak memory':<42} engine {ours} MiB, helm {theirs} MiB   x{ours / theirs:.2f}")


def with_lines(context: Context) -> Context:
    return msgspec.structs.replace(context, lines=True)


def engine_renders(chart: str, contexts: list[Context]) -> Callable[[], object]:
    def run() -> None:
        with Engine() as engine:
            results = render(engine, load(engine, chart), contexts)
            assert len(results) == len(contexts)

    return run


def write_large(folder: Path) -> Path:
    (folder / "templates").mkdir()
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: large\nversion: 1.0.0\n")
    (folder / "values.yaml").write_text(
        "image: app:1\nlabels: {app: large, tier: batch}\nenv:\n"
        + "".join(f"  KEY_{number}: value-{number}\n" for number in range(40))
    )
    (folder / "templates" / "jobs.yaml").write_text(JOBS)
    return folder


if __name__ == "__main__":
    main()
