"""Jobs played one at a time show what they show together."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from tests.support.labs import lab_of
from watchbill.charts.engine import Engine
from watchbill.lifecycle import separating
from watchbill.lifecycle.client import Step
from watchbill.lifecycle.explore import Explored, explore
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.play import play
from watchbill.lifecycle.world import World

TOOLS = ("helm@4.3.1", "helm@3.19.0", "kubectl@1.37.1")
ACCOUNT = """
apiVersion: v1
kind: ServiceAccount
metadata: {{name: shared, annotations: {annotations}}}
---
"""
EVENTS = (
    "",
    "",
    "pre-install",
    "pre-install,pre-upgrade",
    "post-install,post-upgrade",
    "pre-delete",
    "pre-rollback",
)
POLICIES = (
    "",
    "before-hook-creation",
    "hook-succeeded",
    "hook-failed",
    "before-hook-creation,hook-succeeded",
)


class Kind(Struct, frozen=True):
    """What a Job is like."""

    events: str
    policy: str
    weight: int
    spec: str
    named_by_version: bool
    changes: bool


kinds = st.builds(
    Kind,
    events=st.sampled_from(EVENTS),
    policy=st.sampled_from(POLICIES),
    weight=st.integers(-1, 1),
    spec=st.sampled_from(
        ["", "ttlSecondsAfterFinished: 60,", "activeDeadlineSeconds: 30,", "suspend: true,"]
    ),
    named_by_version=st.booleans(),
    changes=st.booleans(),
)


def job(number: int, kind: Kind, version: int) -> str:
    name = f"job-{number}-{version}" if kind.named_by_version else f"job-{number}"
    annotations: dict[str, str] = {}
    if kind.events:
        annotations = {"helm.sh/hook": kind.events, "helm.sh/hook-weight": str(kind.weight)}
    if kind.events and kind.policy:
        annotations["helm.sh/hook-delete-policy"] = kind.policy
    image = f"c:{version}" if kind.changes else "c:1"
    return f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: {name}, annotations: {annotations!r}}}
spec: {{{kind.spec} template: {{spec: {{restartPolicy: Never, serviceAccountName: shared,
  containers: [{{name: c, image: "{image}"}}]}}}}}}
---
"""


def versions(jobs: Sequence[Kind], hooked: bool) -> list[str]:
    annotations = {"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-weight": "-5"} if hooked else {}
    account = ACCOUNT.format(annotations=repr(annotations))
    return [
        account + "".join(job(number, kind, version) for number, kind in enumerate(jobs))
        for version in (1, 2)
    ]


def found(explored: Explored) -> set[Any]:
    return {(one.property, one.cause) for one in explored.violations}


@given(jobs=st.lists(kinds, min_size=4, max_size=9), hooked=st.booleans(), tool=st.sampled_from(TOOLS))
@settings(
    max_examples=150,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_separating_changes_nothing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, jobs: list[Kind], hooked: bool, tool: str
) -> None:
    monkeypatch.setattr(separating, "MANY", 1)
    lab = lab_of(engine, tool, versions(jobs, hooked))
    together = explore(lab, 2, separating=False)
    apart = explore(lab, 2)
    assert found(apart) == found(together)
    for violation in apart.violations:
        if violation.step:
            assert step_of(lab, violation.trace, violation.step) == violation.cause.key


def step_of(lab: Lab, trace: Sequence[Any], step: int) -> Any:
    """What the last operation of a trace does in a step."""
    world, steps = World(), tuple[Step, ...]()
    for move in trace:
        played = play(world, move, lab)
        world, steps = played.world, played.steps if move.of_tool else steps
    return steps[step - 1].key


@pytest.mark.parametrize("tool", TOOLS)
def test_many_jobs_are_played_one_at_a_time(engine: Engine, tool: str) -> None:
    """What is played grows with the number of Jobs, and each time there is one of them."""
    kind = Kind("pre-install,pre-upgrade", "before-hook-creation", 0, "", False, True)
    lab = lab_of(engine, tool, versions([kind] * 12, hooked=True))
    jobs = separating.jobs_apart(lab)
    assert jobs is not None
    assert len(separating.separate(lab, jobs, set())) == 12
    few = lab_of(engine, tool, versions([kind] * 4, hooked=True))
    assert separating.jobs_apart(few) is None


def test_jobs_that_templates_may_mix_up_stay_together(engine: Engine) -> None:
    kind = Kind("", "", 0, "", False, False)
    first, second = versions([kind] * 12, hooked=False)
    one_less = second.rpartition("\napiVersion: batch/v1")[0]
    assert separating.jobs_apart(lab_of(engine, TOOLS[0], [first, one_less])) is None
