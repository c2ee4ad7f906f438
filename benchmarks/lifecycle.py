"""Claim: all lives of a release with five Jobs and twenty other objects, four moves deep, in under a second a tool; with
fifty Jobs and fifty others too, as deep as a check goes by default.

And: ten thousand lists of three moves a second, where what was played in an equal world is not played again.
"""

import gc
import itertools
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from benchmarks.measure import peak_memory
from watchbill.charts.engine import Engine
from watchbill.charts.protocol import Context
from watchbill.charts.render import parse as parse_manifests
from watchbill.lifecycle.explore import Explored, explore
from watchbill.lifecycle.lab import Lab, ReleaseName, Tool
from watchbill.lifecycle.moves import number, parse
from watchbill.lifecycle.play import play
from watchbill.lifecycle.sketch import sketch
from watchbill.lifecycle.stage import Stage
from watchbill.lifecycle.world import World
from watchbill.rehearsal.versions import Fixed, Versions, context_for

T = TypeVar("T")

TOOLS = ("helm@4.3.1", "helm@3.19.0")
# Every verb, its flags, every fate, clients that die, time, and hands.
ALPHABET = (
    "install",
    "install --atomic",
    "install --no-hooks",
    "upgrade",
    "upgrade --install",
    "upgrade --force",
    "upgrade --atomic",
    "upgrade --no-hooks",
    "rollback",
    "rollback 1",
    "uninstall",
    "uninstall --keep-history",
    "kill 2 install",
    "kill 4 upgrade",
    "kill 1 uninstall",
    "fail job-0",
    "hang job-1",
    "late *",
    "succeed *",
    "wait 2h",
    "delete Job/job-0",
    "edit ConfigMap/config-0 data.version=x",
)

JOB = """
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  annotations: {annotations}
spec:
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: {account}
      containers:
        - {{name: work, image: "registry/work:{version}", envFrom: [{{configMapRef: {{name: {config}}}}}]}}
---
"""
WORKLOAD = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers:
        - {{name: app, image: "registry/app:{version}", envFrom: [{{configMapRef: {{name: config-0}}}}]}}
---
"""
SERVICE = """
apiVersion: v1
kind: Service
metadata: {{name: {name}}}
spec: {{selector: {{app: {name}}}, ports: [{{port: 80}}]}}
---
"""
CONFIG = """
apiVersion: v1
kind: ConfigMap
metadata: {{name: {name}, annotations: {annotations}}}
data: {{version: "{version}"}}
---
"""
ACCOUNT = """
apiVersion: v1
kind: ServiceAccount
metadata: {{name: {name}, annotations: {annotations}}}
---
"""
ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {{name: {name}}}
rules: [{{apiGroups: [""], resources: [pods], verbs: [get]}}]
---
"""
OTHERS = (WORKLOAD, SERVICE, CONFIG, ACCOUNT, ROLE)
# One of each kind a product has, in turn: a migration before, a check after, a seed, a clean-up, a plain one.
EVENTS = ("pre-install,pre-upgrade", "post-install,post-upgrade", "post-install", "pre-delete", "")


def chart(jobs: int, others: int, version: int) -> str:
    """Jobs that behave, or the first failure would hide all the rest."""
    hook = '{{helm.sh/hook: "{events}", helm.sh/hook-weight: "{weight}", helm.sh/hook-delete-policy: "{policy}"}}'
    early = hook.format(events="pre-install,pre-upgrade,pre-delete", weight=-5, policy="before-hook-creation")
    text = [
        ACCOUNT.format(name="hooks", annotations=early),
        CONFIG.format(name="hooks", annotations=early, version=version),
    ]
    for position in range(jobs):
        events = EVENTS[position % len(EVENTS)]
        policy = "before-hook-creation,hook-succeeded" if position % 2 else "before-hook-creation"
        text.append(
            JOB.format(
                name=f"job-{position}" if events else f"job-{position}-{version}",
                annotations=hook.format(events=events, weight=position, policy=policy) if events else "{}",
                account="hooks",
                config="hooks",
                version=version,
            )
        )
    for position in range(others - len(text) + jobs):
        which, turn = OTHERS[position % len(OTHERS)], position // len(OTHERS)
        name = f"config-{turn}" if which is CONFIG else f"app-{turn}"
        text.append(which.format(name=name, annotations="{}", version=version))
    return "".join(text)


def lab(engine: Engine, tool: str, jobs: int, others: int) -> Lab:
    name, version = tool.split("@")
    which = Tool(name, version)
    context = context_for(Context(release="r", namespace="ns"), which)
    sources = [Fixed(parse_manifests(engine, f"v{n}.yaml", chart(jobs, others, n), context)) for n in (1, 2)]
    versions = Versions(sources, ReleaseName("r", "ns"))
    return Lab(which, versions, versions.cluster, "r", "ns")


def main() -> None:
    # First, while this process is small: a child counts what its parent had when it was born.
    for tool in TOOLS:
        peak = peak_memory(sys.executable, "-m", "benchmarks.lifecycle", tool)
        print(f"exploring five Jobs and 20 others, depth 4, {tool}: {peak} MiB at most, Python included")
    with Engine() as engine:
        for tool in TOOLS:
            print(
                f"all lives of a release within so many moves after its install, {tool}, processor seconds:"
            )
            deep(engine, tool)
            print(f"lists of three moves, {tool}, two Jobs and five other objects:")
            lists(lab(engine, tool, 2, 5))


def deep(engine: Engine, tool: str) -> None:
    """How the cost grows with depth, Jobs and objects; the first row is the claim."""
    subjects = [
        (5, 20, 4),
        *((5, 20, depth) for depth in (2, 3, 5)),
        *((jobs, 20, 4) for jobs in (1, 2, 10)),
        *((5, others, 4) for others in (5, 50, 100)),
        *((jobs, jobs, 2) for jobs in (10, 20, 50, 100)),
    ]
    for jobs, others, depth in subjects:
        row(engine, tool, jobs, others, depth)


def row(engine: Engine, tool: str, jobs: int, others: int, depth: int) -> None:
    def work(folding: bool = True) -> Explored:
        return explore(lab(engine, tool, jobs, others), depth, folding=folding)

    first, found = timed(work)
    again = min(timed(work)[0] for _ in range(2))
    unfolded, _ = timed(partial(work, folding=False))
    print(
        f"  {jobs:3} Jobs {others:4} others depth {depth}: {first:5.2f} s first {again:5.2f} s again "
        f"{unfolded:6.2f} s unfolded {found.worlds:6} worlds {found.played:6} operations"
        f"{'  CUT' if found.cut else ''}"
    )


def lists(one: Lab) -> None:
    parsed = [parse(text, one.tool.name) for text in ALPHABET]
    every = [number(moves, 2) for moves in itertools.product(parsed, repeat=3)]
    same = number([parse(text, one.tool.name) for text in ("install", "upgrade", "uninstall")], 2)

    def alone() -> None:
        for _ in range(1000):
            world = World()
            for move in same:
                world = play(world, move, one).world

    def together() -> None:
        # Exact: what stands for a world has the same history, to the last number.
        stage = Stage(one, lambda world: sketch(world, numbers=True, whole=True))
        start = stage.known(World())
        for moves in every:
            world = start
            for move in moves:
                world = stage.play(world, move).world

    alone()
    nothing_shared = 1000 / min(timed(alone)[0] for _ in range(3))
    shared = len(every) / min(timed(together)[0] for _ in range(3))
    print(f"  {nothing_shared:7.0f} a second, install, upgrade, uninstall again and again, nothing shared")
    print(
        f"  {shared:7.0f} a second, all {len(every)} lists over {len(ALPHABET)} moves, equal worlds played once"
    )


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Processor time, not the clock's: how busy the machine is changes nothing."""
    gc.collect()
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


if __name__ == "__main__":  # what is measured for its memory
    with Engine() as engine:
        explore(lab(engine, sys.argv[1], 5, 20), 4)
