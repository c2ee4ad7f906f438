"""The explorer: known counterexamples with their shortest traces, and that its short cuts change nothing."""

import os
import re
import subprocess
import sys
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.support import txtar
from tests.support.labs import lab_of
from watchbill.charts.engine import Engine
from watchbill.lifecycle.explore import Explored, explore, words
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move, parse
from watchbill.lifecycle.play import Played, play
from watchbill.lifecycle.properties import Property, Violation
from watchbill.lifecycle.sketch import sketch
from watchbill.lifecycle.world import World

ROOT = Path(__file__).resolve().parent.parent.parent
TRACES = sorted((Path(__file__).parent / "traces").glob("*.txtar"))
TOOLS = ("helm@4.3.1", "helm@3.19.0")
FAILING = (Property.WORKS, Property.RETRIES, Property.RECOVERS)

HOOK = """
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {helm.sh/hook: "pre-install,pre-upgrade"}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: c, image: c}]}
---
"""
# Long enough to be worth folding: nobody refers to them, and nobody refuses them.
INERT = "".join(
    f"""
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings-{number}}}
data: {{level: "VERSION"}}
---
apiVersion: v1
kind: Service
metadata: {{name: service-{number}}}
spec: {{selector: {{app: x}}, ports: [{{port: 80}}]}}
---
"""
    for number in range(3)
)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_a_known_counterexample_is_found_by_its_shortest_trace(path: Path, engine: Engine) -> None:
    files = {name: content.decode() for name, content in txtar.read(path).files.items()}
    case: dict[str, Any] = yaml.safe_load(files.pop("case.yaml"))
    versions = [files[name] for name in sorted(files) if name.endswith(".yaml")]
    for tool in TOOLS:
        explored = explore(lab_of(engine, tool, versions), neighbour=case.get("neighbour", ""))
        found = [
            violation
            for violation in explored.violations
            if violation.property.name == case["property"]
            and (str(violation.cause.key) if violation.cause.key else None) == case["object"]
            and case.get("about", "") in violation.cause.what
        ]
        assert told(found) == files[tool], tool


def told(found: Sequence[Violation]) -> str:
    if not found:
        return "holds\n"
    lines = [" ".join(found[0].cause.what.split()), *(f"  {words(move)}" for move in found[0].trace)]
    return "".join(f"{line}\n" for line in lines)


# Objects as a chart may have them: some decide something, some do not, and some only between two versions.
OBJECTS = {
    "plain Job": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: plain}\nspec: {backoffLimit: NUMBER, "
    "template: {spec: {restartPolicy: Never, serviceAccountName: account, containers: [{name: c, image: c}]}}}\n",
    "changing Job": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: changing}\nspec: {ttlSecondsAfterFinished: 60, "
    'template: {spec: {restartPolicy: Never, containers: [{name: c, image: "c:NUMBER"}]}}}\n',
    "hook Job": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: hook, annotations: {helm.sh/hook: "
    '"pre-install,pre-upgrade"}}\nspec: {template: {spec: {restartPolicy: Never, serviceAccountName: account, '
    'containers: [{name: c, image: "c:NUMBER"}]}}}\n',
    "late hook Job": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: late, annotations: {helm.sh/hook: "
    '"post-upgrade,pre-delete", helm.sh/hook-delete-policy: hook-succeeded}}\nspec: {template: {spec: {restartPolicy: '
    "Never, containers: [{name: c, image: c}]}}}\n",
    "account": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: account}\n",
    "hook account": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: account, annotations: {helm.sh/hook: "
    '"pre-install,pre-upgrade", helm.sh/hook-weight: "-1"}}\n',
    "settings": 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: "NUMBER"}\n',
    "fixed settings": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fixed}\nimmutable: true\n"
    'data: {level: "NUMBER"}\n',
    "kept settings": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept, annotations: "
    "{helm.sh/resource-policy: keep}}\n",
    "service": "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, "
    "ports: [{port: 800NUMBER}]}\n",
    "workload": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {selector: {matchLabels: "
    "{app: web}}, template: {metadata: {labels: {app: web}}, spec: {serviceAccountName: account, containers: "
    '[{name: c, image: "c:NUMBER"}]}}}\n',
    "moved workload": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: moved}\nspec: {selector: {matchLabels: "
    '{app: "wNUMBER"}}, template: {metadata: {labels: {app: "wNUMBER"}}, spec: {containers: [{name: c, image: c}]}}}\n',
    "role": "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: role}\n"
    'rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]\n',
    "custom": "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: thing}\nspec: {size: NUMBER}\n",
}
charts = st.lists(st.sampled_from(sorted(OBJECTS)), min_size=2, max_size=6, unique=True)


def text(names: Sequence[str], version: int) -> str:
    return "---\n".join(OBJECTS[name].replace("NUMBER", str(version)) for name in names)


# Two versions with a bit of everything that goes wrong, and two with nothing that does.
EVENTFUL = [
    text(["plain Job", "hook Job", "hook account", "late hook Job", "settings"], 1),
    text(["plain Job", "hook Job", "account", "changing Job", "fixed settings", "workload"], 2),
]
CALM = [
    text(["late hook Job", "account", "workload", "settings", "service", "role", "custom"], version)
    for version in (1, 2)
]


@given(first=charts, second=charts, same=st.booleans(), tool=st.sampled_from(TOOLS))
@example(first=["hook Job", "hook account"], second=["hook Job", "account"], same=False, tool=TOOLS[1])
@example(first=["account", "plain Job", "settings"], second=[], same=True, tool=TOOLS[0])
@example(first=["settings", "role"], second=["settings", "late hook Job"], same=False, tool=TOOLS[1])
@settings(
    max_examples=10,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_folding_and_merging_change_nothing(
    engine: Engine, first: list[str], second: list[str], same: bool, tool: str
) -> None:
    lab = lab_of(engine, tool, [text(first, 1), text(first if same else second, 2)])
    short = explore(lab, 2)
    assert shapes(short) == shapes(explore(lab, 2, folding=False))
    assert shapes(short) == shapes(explore(lab, 2, folding=False, merging=False))


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("versions", [EVENTFUL, CALM], ids=["eventful", "calm"])
def test_worlds_with_the_same_sketch_have_the_same_future(
    engine: Engine, versions: list[str], tool: str
) -> None:
    lab = lab_of(engine, tool, versions)
    moves = [
        replace(parse(move, "helm"), version=version)
        for move, version in [
            ("upgrade", 0),
            ("upgrade", 1),
            ("rollback", 0),
            ("uninstall", 0),
            ("install", 0),
            ("fail *", 0),
            ("succeed *", 0),
            ("kill 3 upgrade", 1),
        ]
    ]
    worlds = {exact(World()): World()}
    for _ in range(4):
        reached = [play(world, move, lab).world for world in worlds.values() for move in moves]
        worlds |= {exact(world): world for world in reached}
    alike: dict[Hashable, list[World]] = {}
    for world in worlds.values():
        alike.setdefault(sketch(world, numbers=False, whole=False), []).append(world)
    assert len(alike) < len(worlds)
    for first, *others in alike.values():
        for other in others:
            for move in moves:
                assert future(first, move, lab) == future(other, move, lab)


def exact(world: World) -> Hashable:
    return sketch(world, numbers=True, whole=True), world.fates


def future(world: World, move: Move, lab: Lab) -> tuple[str, Hashable]:
    played = play(world, move, lab)
    return played.error, sketch(played.world, numbers=False, whole=False)


def shapes(explored: Explored) -> list[tuple[object, ...]]:
    """Where there are more writes there are more places to be killed at; all else is the same."""
    return [
        (found.property, found.cause, *(re.sub(r"^kill \d+", "kill", words(move)) for move in found.trace))
        for found in explored.violations
    ]


@pytest.mark.parametrize("tool", TOOLS)
def test_objects_that_decide_nothing_are_folded(engine: Engine, tool: str) -> None:
    versions = [HOOK + INERT.replace("VERSION", version) for version in ("1", "2")]
    explored = explore(lab_of(engine, tool, versions))
    assert len(explored.folded) == 6
    alone = explore(lab_of(engine, tool, [HOOK, HOOK]))
    assert explored.worlds <= alone.worlds * 2  # the versions differ now; the objects cost nothing
    assert explored.worlds < explore(lab_of(engine, tool, versions), folding=False).worlds


@pytest.mark.parametrize("tool", TOOLS)
def test_every_trace_shows_what_it_is_said_to_show(engine: Engine, tool: str) -> None:
    lab = lab_of(engine, tool, [f"{version}---\n{INERT}" for version in EVENTFUL])
    violations = explore(lab).violations
    assert len(violations) > 10
    for violation in violations:
        last = replay(lab, violation)
        if violation.property in FAILING:
            assert not last.ok
            assert violation.cause.what.rpartition(": ")[2] in last.error
        if violation.step:
            assert last.steps[violation.step - 1].key == violation.cause.key
        if violation.cause.what.endswith(": killed"):
            assert last.killed
            assert last.release is not None
            assert violation.cause.what.startswith(last.release.status)


def replay(lab: Lab, violation: Violation) -> Played:
    """The last operation of its trace."""
    world, last = World(), None
    for move in violation.trace:
        played = play(world, move, lab)
        world = played.world
        last = played if move.of_tool else last
    assert last is not None
    return last


def test_a_trace_may_wait(engine: Engine) -> None:
    job = (
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\nspec: {ttlSecondsAfterFinished: 60, template: {spec: "
        "{restartPolicy: Never, serviceAccountName: account, containers: [{name: c, image: c}]}}}\n"
    )
    lab = lab_of(engine, "helm@4.3.1", [f"{job}---\n{OBJECTS['account']}", job])
    [found] = [known for known in explore(lab).violations if known.property is Property.STARTS]
    # Its ServiceAccount goes with the upgrade that brings the expired Job back.
    assert [words(move) for move in found.trace] == ["install v1", "wait 60s", "upgrade v2"]


def test_it_stops_at_the_number_of_worlds_it_may_keep(engine: Engine) -> None:
    lab = lab_of(engine, "helm@4.3.1", [HOOK, HOOK])
    everything = explore(lab)
    some = explore(lab, most=30)
    assert not everything.cut
    assert some.cut
    assert 30 <= some.worlds < everything.worlds
    # It did the same for as long as it went on.
    assert some.violations == everything.violations[: len(some.violations)]
    assert 0 < len(some.violations) < len(everything.violations)


def test_it_finds_the_same_whatever_hashes_are() -> None:
    script = (
        "import sys\n"
        "from tests.support.labs import lab_of\n"
        "from watchbill.charts.engine import Engine\n"
        "from watchbill.lifecycle.explore import explore, words\n"
        "with Engine() as engine:\n"
        "    found = explore(lab_of(engine, 'helm@4.3.1', sys.argv[1:]), 2)\n"
        "for known in found.violations:\n"
        "    print(known.property, known.cause, known.step, *map(words, known.trace))\n"
        "print(found.worlds, found.played)\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, *EVENTFUL],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) > 10


def test_kubectl_is_explored_too(engine: Engine) -> None:
    lab = lab_of(engine, "kubectl@1.37.1", [text(["changing Job"], 1), text(["changing Job"], 2)])
    found = explore(lab).violations
    [immutable] = [known for known in found if known.property is Property.WORKS]
    assert [words(move) for move in immutable.trace] == ["apply v1", "apply v2"]
    assert "field is immutable" in immutable.cause.what
