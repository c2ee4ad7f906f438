"""Claim: 50 components with 4 workers take at most 1.15 times what `xargs -P4 helm upgrade --install` takes for them, and
at most 0.1 CPU seconds of our own a component.

Measured on a compiled wheel and the control level of the cluster (`python -m dev.cluster up --level control`), installs and
upgrades, the median of three, in turns.
"""

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.installed import installed
from dev import binaries
from dev.cluster.layout import Layout

COMPONENTS, WORKERS, ROUNDS = 50, 4, 3
MOST_TIME, MOST_CPU = 1.15, 0.1

CHART = """apiVersion: v2
name: {name}
version: 1.0.0
"""
TEMPLATE = """apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-settings}
data: {turn: {{ .Values.turn | quote }}}
---
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {ports: [{port: 80}], selector: {app: {{ .Release.Name }}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  replicas: 0
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}, annotations: {turn: {{ .Values.turn | quote }}}}
    spec: {containers: [{name: app, image: example.org/app}]}
"""


def main() -> None:
    kubeconfig = Layout.of("control").kubeconfig
    if not kubeconfig.exists():
        print("deploy: left out, the cluster is not up (python -m dev.cluster up --level control)")
        return
    helm = str(binaries.helm("4.3.1"))
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "HELM": helm}
    with installed(extra="deploy") as binary_folder, tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        watchbill = str(binary_folder / "watchbill")
        peer = (
            f"seq -w 1 {COMPONENTS} | xargs -P{WORKERS} -I% {helm} upgrade --install part-% {folder}/charts/part-% "
            f"--namespace bench-xargs --create-namespace --values {folder}/values.yaml"
        )
        times: dict[str, list[float]] = {"xargs": [], "watchbill": []}
        own: list[float] = []
        print(f"deploy: {COMPONENTS} components, {WORKERS} at once; first an install, then {ROUNDS} upgrades")
        for turn in range(ROUNDS + 1):
            (Path(folder) / "values.yaml").write_text(f"turn: {turn}\n")
            taken = {
                "xargs": timed(["sh", "-c", peer], environment, lambda _: None),
                "watchbill": timed([watchbill, "deploy", f"{folder}/bill.yaml"], environment, own.append),
            }
            print(f"  {'install' if not turn else f'upgrade {turn}'}: {taken}")
            if turn:
                for name, seconds in taken.items():
                    times[name].append(seconds)
        kubectl = [
            str(binaries.kubectl()),
            "delete",
            "namespace",
            "bench-xargs",
            "bench-watchbill",
            "--wait=false",
        ]
        subprocess.run(kubectl, env=environment, check=True, stdout=subprocess.DEVNULL)
    ratio = median(times["watchbill"]) / median(times["xargs"])
    cpu = median(own[1:]) / COMPONENTS
    print(f"  time: x{ratio:.2f} of xargs (goal: at most x{MOST_TIME}) {holds(ratio <= MOST_TIME)}")
    print(
        f"  own processor time: {cpu:.3f} s a component (goal: at most {MOST_CPU}) {holds(cpu <= MOST_CPU)}"
    )


def holds(it: bool) -> str:
    return "holds" if it else "DOES NOT HOLD"


def lay_out(folder: Path) -> None:
    names = [f"part-{number:02}" for number in range(1, COMPONENTS + 1)]
    for name in names:
        templates = folder / "charts" / name / "templates"
        templates.mkdir(parents=True)
        (templates.parent / "Chart.yaml").write_text(CHART.format(name=name))
        (templates / "all.yaml").write_text(TEMPLATE)
    (folder / "values.yaml").write_text("turn: 0\n")
    components = "\n".join(
        f"  - {{name: {name}, chart: charts/{name}, values: [values.yaml], wait: false}}" for name in names
    )
    (folder / "bill.yaml").write_text(
        f"product: bench\nversion: 1.0.0\ndefaultNamespace: bench-watchbill\nworkers: {WORKERS}\ncomponents:\n{components}\n"
    )


def timed(command: list[str], environment: dict[str, str], own: Callable[[float], object]) -> float:
    began = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    spent: dict[int, float] = {}
    watching = threading.Thread(target=watch, args=(process, spent))
    watching.start()
    _, complaint = process.communicate()
    taken = time.perf_counter() - began
    watching.join()
    assert process.returncode == 0, complaint.decode()
    own(sum(spent.values()))
    return round(taken, 2)


def watch(process: "subprocess.Popen[bytes]", spent: dict[int, float]) -> None:
    """Processor time of the process and of those it started that are ours: helm is not."""
    ticks = os.sysconf("SC_CLK_TCK")
    while process.poll() is None:
        for pid in (process.pid, *children(process.pid)):
            try:
                stat = Path(f"/proc/{pid}/stat").read_text()
            except OSError:
                continue
            name, fields = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")") + 2 :].split()
            if not name.startswith("helm"):
                spent[pid] = (int(fields[11]) + int(fields[12])) / ticks
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:
            continue
    return found


if __name__ == "__main__":
    main()
