"""Claim: 60 and 200 components with 4 workers take at most 1.15 times what `xargs -P4 helm upgrade --install` takes for them
in the same run, at most 0.03 CPU seconds of our own a component, and the memory for 200 is that for 60.

Measured on a compiled wheel and the control level of the cluster (`python -m dev.cluster up --level control`): one install, then
upgrades, of which the medians count, in turns with xargs: each is first every other time. Each line says where the time goes.
On a busy machine run it with `chrt -r 1`, and give the API server and etcd the same (`chrt -a -r -p 1 PID`): both sides
need them.
"""

import datetime as dt
import json
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.installed import installed
from dev import binaries
from dev.cluster.layout import Layout

WORKERS = 4
UPGRADES = {60: 4, 200: 2}  # by number of components
MOST_TIME, MOST_CPU, MOST_GROWTH = 1.15, 0.03, 1.25

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


class Run(NamedTuple):
    """One command: seconds, our own CPU seconds and our own largest resident size in MiB."""

    seconds: float
    cpu: float = 0.0
    memory: int = 0
    phases: str = ""


def main() -> None:
    kubeconfig = Layout.of("control").kubeconfig
    if not kubeconfig.exists():
        print("deploy: left out, the cluster is not up (python -m dev.cluster up --level control)")
        return
    helm = str(binaries.helm("4.3.1"))
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "HELM": helm}
    memory: dict[int, int] = {}
    with installed(extra="deploy") as binary_folder:
        for components in UPGRADES:
            with tempfile.TemporaryDirectory() as folder:
                memory[components] = compare(components, binary_folder, Path(folder), helm, environment)
    least, most = memory[min(memory)], memory[max(memory)]
    print(
        f"  memory: {most} MiB for {max(memory)} components, {least} MiB for {min(memory)} "
        f"(goal: at most x{MOST_GROWTH}) {holds(most <= least * MOST_GROWTH)}"
    )


def compare(
    components: int, binary_folder: Path, folder: Path, helm: str, environment: dict[str, str]
) -> int:
    """Print the ratio for this number of components, and return the memory that watchbill took."""
    lay_out(folder, components)
    spaces = [f"bench-xargs-{components}", f"bench-watchbill-{components}"]
    ours = [str(binary_folder / "watchbill"), "deploy", f"{folder}/bill.yaml", "--events=jsonl"]
    pipeline = (
        f"seq -w 1 {components} | xargs -P{WORKERS} -I% {helm} upgrade --install part-% {folder}/charts/part-% "
        f"--namespace {spaces[0]} --create-namespace --values {folder}/values.yaml > /dev/null"
    )
    peer = ["sh", "-c", pipeline]
    print(f"deploy: {components} components, {WORKERS} at once")
    found: list[tuple[Run, Run]] = []
    try:
        for turn in range(UPGRADES[components] + 1):
            (folder / "values.yaml").write_text(f"turn: {turn}\n")
            first, second = (peer, ours) if turn % 2 == 0 else (ours, peer)
            one, other = timed(first, environment), timed(second, environment)
            pair = (one, other) if first is peer else (other, one)
            found.append(pair)
            what = f"upgrade {turn}" if turn else "install"
            print(
                f"  {what}: xargs {pair[0].seconds:.1f} s, watchbill {pair[1].seconds:.1f} s ({pair[1].phases})"
            )
    finally:
        delete = [
            str(binaries.kubectl()),
            "delete",
            "namespace",
            *spaces,
            "--wait=false",
            "--ignore-not-found",
        ]
        subprocess.run(delete, env=environment, check=True, stdout=subprocess.DEVNULL)
    theirs, own = ([pair[at] for pair in found[1:]] for at in (0, 1))
    ratio = median(run.seconds for run in own) / median(run.seconds for run in theirs)
    cpu = median(run.cpu for run in own) / components
    print(f"  time: x{ratio:.2f} of xargs (goal: at most x{MOST_TIME}) {holds(ratio <= MOST_TIME)}")
    print(
        f"  own processor time: {cpu:.3f} s a component (goal: at most {MOST_CPU}) {holds(cpu <= MOST_CPU)}"
    )
    return max(run.memory for run in own)


def holds(it: bool) -> str:
    return "holds" if it else "DOES NOT HOLD"


def lay_out(folder: Path, components: int) -> None:
    digits = len(str(components))
    names = [f"part-{number:0{digits}}" for number in range(1, components + 1)]
    for name in names:
        templates = folder / "charts" / name / "templates"
        templates.mkdir(parents=True)
        (templates.parent / "Chart.yaml").write_text(CHART.format(name=name))
        (templates / "all.yaml").write_text(TEMPLATE)
    (folder / "values.yaml").write_text("turn: 0\n")
    written = "\n".join(
        f"  - {{name: {name}, chart: charts/{name}, values: [values.yaml], wait: false}}" for name in names
    )
    (folder / "bill.yaml").write_text(
        f"product: bench\nversion: 1.0.0\ndefaultNamespace: bench-watchbill-{components}\nworkers: {WORKERS}\n"
        f"components:\n{written}\n"
    )


def timed(command: list[str], environment: dict[str, str]) -> Run:
    began = time.time()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    spent: dict[int, float] = {}
    sizes = [0]
    watching = threading.Thread(target=watch, args=(process, spent, sizes))
    watching.start()
    said, complaint = process.communicate()
    ended = time.time()
    watching.join()
    assert process.returncode == 0, complaint.decode()
    phases = describe_phases(said.decode().splitlines(), began, ended) if said else ""
    return Run(ended - began, sum(spent.values()), max(sizes) >> 10, phases)


def describe_phases(lines: list[str], began: float, ended: float) -> str:
    """Say how long it took until the first helm began, how long helm was at work, and how long it took after the last."""
    charts = [event for event in map(json.loads, lines) if event.get("step") == "chart"]
    times = [dt.datetime.fromisoformat(event["time"]).timestamp() for event in charts]
    first, last = min(times), max(times)
    busy = sum(event.get("seconds", 0) for event in charts) / WORKERS / (last - first)
    return (
        f"{first - began:.1f} s before the first helm, {last - first:.1f} s with helm in {busy:.0%} of the workers, "
        f"{ended - last:.1f} s after the last"
    )


def watch(process: "subprocess.Popen[bytes]", spent: dict[int, float], sizes: list[int]) -> None:
    """Record the processor time of each process of ours, and at each moment the memory of all of them in KiB. Helm is not
    ours. Memory that processes share counts once: a child that is about to become helm has all of its parent's."""
    ticks = os.sysconf("SC_CLK_TCK")
    while process.poll() is None:
        size = 0
        for pid in (process.pid, *children(process.pid)):
            try:
                stat = Path(f"/proc/{pid}/stat").read_text()
                name, fields = (
                    stat[stat.index("(") + 1 : stat.rindex(")")],
                    stat[stat.rindex(")") + 2 :].split(),
                )
                if name.startswith("helm"):
                    continue
                spent[pid] = (int(fields[11]) + int(fields[12])) / ticks
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue
            size += sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
        sizes.append(size)
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
