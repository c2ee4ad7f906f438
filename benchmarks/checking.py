"""Claims: a check of a small chart takes less than three times one `helm template` of it; a hundred charts are checked
in less time than `xargs -P2 -n1 helm lint` takes for them; a worker and its engine stay below 150 MB.

Measured on a compiled wheel, Helm 4 and Helm 3, default depth.
"""

import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from benchmarks.installed import ROOT, installed
from benchmarks.measure import Times, interleaved, table
from dev import binaries

# One or two Jobs each, of different shapes: plain ones and hooks, with a schedule, a TTL, a dependency, and a chart with
# which nothing is wrong; a chart as `helm create` makes it comes on top.
SMALL = (
    "examples/charts/orders",
    "examples/charts/billing",
    "examples/stories/conditional-hook",
    "examples/stories/plain-job",
    "examples/stories/ttl-job",
    "examples/stories/bundled-database",
    "examples/tutorial/7-fine",
)
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "created.fullname" . }}-migrate
  labels: {{- include "created.labels" . | nindent 4 }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
          args: [migrate]
"""
CHARTS = 100
MOST, MOST_MANY, MOST_MEMORY = 3.0, 1.0, 150


def main() -> None:
    helm = str(binaries.helm("4.3.1"))
    with installed() as folder, tempfile.TemporaryDirectory() as made:
        watchbill = str(folder / "watchbill")
        for chart in (*SMALL, _created(helm, made)):
            print(f"one chart, {Path(chart).name}, against one helm template:")
            subjects = {
                "helm template": partial(_quiet, helm, "template", chart),
                "watchbill check": partial(_quiet, watchbill, "check", chart),
            }
            _judge(interleaved(subjects), against="helm template", most=MOST)
        _many(watchbill, helm)


def _created(helm: str, folder: str) -> str:
    """As `helm create` makes it, with a migration."""
    chart = f"{folder}/created"
    subprocess.run([helm, "create", chart], check=True, stdout=subprocess.DEVNULL)
    Path(chart, "templates/migrate.yaml").write_text(JOB)
    return chart


def _many(watchbill: str, helm: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(CHARTS):
            source = ROOT / SMALL[number % len(SMALL)]
            shutil.copytree(source, Path(folder) / f"chart-{number:03}")
        lint = f"ls -d {folder}/* | xargs -P2 -n1 {helm} lint"
        print(f"{CHARTS} charts, against xargs -P2 -n1 helm lint:")
        subjects = {
            "xargs -P2 -n1 helm lint": partial(_quiet, "sh", "-c", lint),
            "watchbill check": partial(_quiet, watchbill, "check", folder),
        }
        _judge(interleaved(subjects, rounds=3), against="xargs -P2 -n1 helm lint", most=MOST_MANY)
        largest = _peak(watchbill, folder)
        parts = " + ".join(f"{kind} {size >> 20} MB" for kind, size in sorted(largest.items(), reverse=True))
        holds = sum(largest.values()) < MOST_MEMORY << 20
        print(
            f"memory of those: {parts}; below {MOST_MEMORY} MB a worker with its engine: {_word(holds=holds)}"
        )


def _judge(times: Mapping[str, Times], against: str, most: float) -> None:
    table(times, against)
    # The median is what people wait for. The best of a shorter program is the luckier one.
    ratio = times["watchbill check"].middle / times[against].middle
    print(f"  below x{most:g}: {_word(holds=ratio < most)}")


def _word(*, holds: bool) -> str:
    return "holds" if holds else "does not hold"


def _quiet(*arguments: str) -> None:
    """What is found makes `check` end with 1."""
    done = subprocess.run(
        arguments, check=False, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert done.returncode in (0, 1), arguments


def _peak(watchbill: str, folder: str) -> dict[str, int]:
    """The largest worker and the largest engine, as the kernel counts them while they run."""
    process = subprocess.Popen(
        [watchbill, "check", folder],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    largest: dict[str, int] = {}
    while process.poll() is None:
        for kind, size in _sizes(process.pid):
            largest[kind] = max(largest.get(kind, 0), size)
        time.sleep(0.02)
    return largest


def _sizes(leader: int) -> list[tuple[str, int]]:
    """Of the workers and of their engines."""
    page, found = resource.getpagesize(), []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
            command = stat[stat.index("(") + 1 : stat.rindex(")")]
            session = int(stat[stat.rindex(")") + 2 :].split()[3])
            resident = int((folder / "statm").read_text().split()[1]) * page
        except (OSError, ValueError):
            continue
        if session == leader:
            found.append(("engine" if command.startswith("watchbill-engi") else "worker", resident))
    return found


if __name__ == "__main__":
    main()
