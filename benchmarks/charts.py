"""Charts of the size that users have: what a check costs in CPU seconds of all processes, as a multiple of one `helm
template` for each profile of values. Claim: the median of real charts is at most 5, the worst at most 20.

The charts are made here, with one measure growing at a time, so that growth is a curve. Real charts are measured too
where they were fetched: WATCHBILL_CHARTS names a folder that holds them unpacked, with their dependencies.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.installed import installed
from dev import binaries

HELPERS = """\
{{- define "made.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
{{- define "made.image" -}}
{{ .repository }}:{{ .tag }}
{{- end }}
"""
WORKLOAD = """\
{{- $part := index .Values "part%(number)d" }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}-%(number)d
  labels: {{- include "made.labels" . | nindent 4 }}
spec:
  selector: {matchLabels: {part: "%(number)d", release: {{ .Release.Name }}}}
  template:
    metadata:
      labels: {part: "%(number)d", release: {{ .Release.Name }}}
      annotations: {checksum: {{ toYaml $part | sha256sum }}}
    spec:
      containers:
        - name: app
          image: {{ include "made.image" $part.image }}
          env:
            {{- range $name, $value := $part.settings }}
            - {name: {{ $name | upper }}, value: {{ $value | quote }}}
            {{- end }}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}-{{ .Chart.Name }}-%(number)d}
spec: {selector: {part: "%(number)d"}, ports: [{port: {{ $part.port }}}]}
"""
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}-%(name)s
  labels: {{- include "made.labels" . | nindent 4 }}
  annotations: %(annotations)s
spec:
  activeDeadlineSeconds: 200
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: {{ include "made.image" .Values.part0.image }}
          args: [%(name)s, {{ .Values.part0.settings.key0 | quote }}]
"""
HOOK = '{helm.sh/hook: "%s", helm.sh/hook-delete-policy: before-hook-creation}'
JOBS = {"migrate": HOOK % "pre-install,pre-upgrade", "seed": HOOK % "post-install", "plain": "{}"}
MOST_MEDIAN, MOST = 5.0, 20.0


class Size(NamedTuple):
    templates: int = 20
    subcharts: int = 2
    values: int = 10  # for each template
    profiles: int = 1


SIZES = (
    Size(),
    *(Size(templates=count) for count in (5, 80, 160)),
    *(Size(subcharts=count) for count in (0, 5, 10)),
    *(Size(values=count) for count in (1, 40, 100)),
    *(Size(profiles=count) for count in (3, 6)),
)


class Cost(NamedTuple):
    """CPU seconds."""

    helm: float
    check: float

    @property
    def ratio(self) -> float:
        return self.check / self.helm


def main() -> None:
    helm = str(binaries.helm("4.3.1"))
    with installed() as folder, tempfile.TemporaryDirectory() as made:
        watchbill = str(folder / "watchbill")
        print("made charts: CPU seconds of a check against helm template, once for each profile:")
        for number, size in enumerate(SIZES):
            chart = Path(made) / f"chart-{number}"
            write(chart, size)
            shape = ", ".join(f"{count} {what}" for what, count in size._asdict().items())
            _row(shape, measure(watchbill, helm, chart))
        if charts := sorted(_real()):
            print("real charts:")
            costs = {chart.name: measure(watchbill, helm, chart) for chart in charts}
            for name, cost in costs.items():
                _row(name, cost)
            ratios = [cost.ratio for cost in costs.values()]
            holds = median(ratios) <= MOST_MEDIAN and max(ratios) <= MOST
            print(
                f"  median x{median(ratios):.1f}, worst x{max(ratios):.1f}; at most x{MOST_MEDIAN:g} and x{MOST:g}: "
                + ("holds" if holds else "does not hold")
            )


def write(chart: Path, size: Size) -> None:
    """Make a chart with three Jobs and as many Deployments as templates, here and in each subchart."""
    _write_one(chart, "made", size.templates, size.values)
    for number in range(size.subcharts):
        _write_one(chart / f"charts/sub{number}", f"sub{number}", size.templates // 2, size.values)
    for number in range(size.profiles - 1):
        profile = chart / f"ci/profile{number}-values.yaml"
        profile.parent.mkdir(exist_ok=True)
        profile.write_text(f"part0: {{port: {9000 + number}, settings: {{key0: profile-{number}}}}}\n")


def _write_one(chart: Path, name: str, templates: int, values: int) -> None:
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text(f"apiVersion: v2\nname: {name}\nversion: 1.0.0\nappVersion: 1.0.0\n")
    (chart / "templates/_helpers.tpl").write_text(HELPERS)
    parts = []
    for number in range(max(templates, 1)):
        (chart / f"templates/part{number}.yaml").write_text(WORKLOAD % {"number": number})
        settings = ", ".join(f"key{place}: value-{number}-{place}" for place in range(values))
        parts.append(
            f"part{number}: {{port: {8000 + number}, image: {{repository: registry/app{number}, tag: 1.{number}.0}}, "
            f"settings: {{{settings}}}}}\n"
        )
    (chart / "values.yaml").write_text("".join(parts))
    for job, annotations in JOBS.items():
        (chart / f"templates/{job}.yaml").write_text(JOB % {"name": job, "annotations": annotations})


def measure(watchbill: str, helm: str, chart: Path) -> Cost:
    profiles = [*sorted((chart / "ci").glob("*-values.yaml"))] if (chart / "ci").is_dir() else []
    arguments = [[], *(["-f", str(profile)] for profile in profiles)]
    rendered = sum(
        min(_cpu(helm, "template", "r", str(chart), *more) for _ in range(3)) for more in arguments
    )
    return Cost(rendered, min(_cpu(watchbill, "check", str(chart)) for _ in range(2)))


def _cpu(*command: str) -> float:
    """Return the CPU seconds of a command and of all that it starts: `time` waits for none but its child, which waits for
    its own."""
    timed = [sys.executable, "-c", TIMED, *command]
    done = subprocess.run(timed, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return float(done.stdout)


TIMED = """
import ctypes, os, resource, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # who loses its parent becomes ours, and counts when it ends
subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    while True:
        os.wait()
except ChildProcessError:
    pass
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
"""


def _row(name: str, cost: Cost) -> None:
    print(f"  {name:<55} helm {cost.helm:5.2f} check {cost.check:6.2f}   x{cost.ratio:.1f}", flush=True)


def _real() -> Iterator[Path]:
    folder = os.environ.get("WATCHBILL_CHARTS", "")
    yield from (path.parent for path in Path(folder).glob("*/Chart.yaml")) if folder else ()


if __name__ == "__main__":
    main()
