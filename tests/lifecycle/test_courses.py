"""Hooks whose course is known are not played again: nobody can tell the difference."""

import itertools

import pytest

from tests.support.labs import lab_of
from watchbill.charts.engine import Engine
from watchbill.lifecycle.helm import courses
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move, number, parse
from watchbill.lifecycle.play import Played, play
from watchbill.lifecycle.world import World

TOOLS = ("helm@4.3.1", "helm@3.19.0", "helm@4.1.0", "helm@3.16.4")
MOVES = (
    "install",
    "upgrade",
    "upgrade --force",
    "upgrade --atomic",
    "rollback",
    "uninstall",
    "test",
    "fail migrate",
    "hang *",
    "succeed *",
    "kill 4 upgrade",
    "delete ServiceAccount/hooks",
    "wait 2h",
)
HOOK = 'annotations: {helm.sh/hook: "EVENTS", helm.sh/hook-weight: "WEIGHT", helm.sh/hook-delete-policy: "POLICY"}'
JOB = f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: NAME, {HOOK}}}
spec:
  ttlSecondsAfterFinished: 60
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: hooks
      containers: [{{name: c, image: "c:VERSION", envFrom: [{{configMapRef: {{name: settings}}}}]}}]
---
"""
ACCOUNT = f"apiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: hooks, {HOOK}}}\n---\n"
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: VERSION}\n---\n"
# Gone with its account, though no hook.
TOKEN = (
    "apiVersion: v1\nkind: Secret\nmetadata: {name: token, annotations: {kubernetes.io/service-account.name: hooks}}\n"
    "type: kubernetes.io/service-account-token\n---\n"
)
SPACE = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: elsewhere, {HOOK}}}\n---\n"
NAMELESS = JOB.replace("name: NAME,", "generateName: made-up-,")
HELD = ACCOUNT.replace("{name: hooks,", "{name: held, finalizers: [example.com/hold],")
CUSTOM = f"apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: thing, {HOOK}}}\n---\n"


def of(document: str, events: str, weight: int = 0, policy: str = "before-hook-creation") -> str:
    return document.replace("EVENTS", events).replace("WEIGHT", str(weight)).replace("POLICY", policy)


BOTH = "pre-install,pre-upgrade"
CHARTS = {
    "what the hook needs is a hook": of(ACCOUNT, BOTH, -1)
    + of(JOB, BOTH).replace("NAME", "migrate")
    + of(JOB, "post-upgrade,pre-delete,test", 1, "hook-succeeded,hook-failed").replace("NAME", "check")
    + SETTINGS,
    "left where it was": of(JOB, f"{BOTH},post-rollback", 0, "hook-succeeded").replace("NAME", "migrate")
    + SETTINGS
    + of(ACCOUNT, "pre-upgrade", 3),
    "a token goes with its account": of(ACCOUNT, BOTH)
    + TOKEN
    + of(JOB, "post-install").replace("NAME", "migrate"),
    "all that reaches further": of(SPACE, BOTH, -5)
    + of(NAMELESS, BOTH)
    + of(HELD, BOTH, 2)
    + of(CUSTOM, "post-install", 3)
    + SETTINGS,
}


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_what_is_done_again_is_what_would_be_played(
    engine: Engine, chart: str, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = lab_of(engine, tool, [chart.replace("VERSION", str(version)) for version in (1, 2)])
    parsed = [parse(move, "helm") for move in MOVES]
    lives = [number(moves, 2) for moves in itertools.product(parsed[:1], parsed, parsed, parsed[:6])]
    followed = [life(lab, moves) for moves in lives]
    monkeypatch.setattr(courses, "situation", lambda *_, **__: None)
    for moves, before in zip(lives, followed, strict=True):
        assert told(life(lab, moves)) == told(before), [move.text for move in moves]


def life(lab: Lab, moves: list[Move]) -> list[Played]:
    world, plays = World(), list[Played]()
    for move in moves:
        plays.append(play(world, move, lab))
        world = plays[-1].world
    return plays


def told(plays: list[Played]) -> list[object]:
    """With the order of objects, which decides the order in which others are told of them."""
    return [
        (
            played.error,
            [(step, list(step.world.objects), step.world.releases) for step in played.steps],
            list(played.world.objects.items()),
            played.world.releases,
        )
        for played in plays
    ]


def test_they_are_remembered_at_all(engine: Engine) -> None:
    """Or the test above would compare nothing."""
    chart = CHARTS["what the hook needs is a hook"]
    lab = lab_of(engine, "helm@4.3.1", [chart])
    [installed] = life(lab, [parse("install", "helm")])
    [release] = installed.world.history("r")
    assert courses._concerned(release.rendered.hooks, lab.cluster)
    assert (
        courses._concerned(
            lab_of(engine, "helm@4.3.1", [CHARTS["all that reaches further"]])
            .versions.render(0, lab.named(""), upgrade=False, revision=1, world=World())
            .hooks,
            lab.cluster,
        )
        is None
    )
