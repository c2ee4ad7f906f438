"""Contracts of Jobs: what keeps them and what breaks them, move by move."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.support.labs import lab_of
from watchbill.charts.engine import Engine
from watchbill.lifecycle.contracts import ABREAST, AGAIN, EVICTED, IN_TWOS, NOT_RUN, WITHOUT_NEED
from watchbill.lifecycle.lab import Contract, Lab
from watchbill.lifecycle.moves import number, parse
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.scenarios import retrace, stage_for

TOOLS = ("helm@4.3.1", "helm@3.19.0")
DECLARED = (Property.KEEPS_ITS_WORD, Property.ALONE_AS_SAID)
INSTALLS, BOTH = "post-install", "post-install,post-upgrade"


def job(hook: str = "", image: str = "c", name: str = "work", spec: str = "", **declared: str) -> str:
    marks = {f"watchbill.dev/{word}": value for word, value in declared.items()}
    marks |= {"helm.sh/hook": hook} if hook else {}
    annotations = ", ".join(f'{key}: "{value}"' for key, value in marks.items())
    return (
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, annotations: {{{annotations}}}}}\n"
        f"spec:\n  backoffLimit: 0\n{spec}"
        f"  template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: {image}}}]}}}}\n"
    )


def broken(lab: Lab, moves: Sequence[str]) -> list[str]:
    """What is broken by the last of these moves."""
    parsed = number([parse(text, "helm") for text in moves], len(lab.versions))
    _, violations = retrace(stage_for(lab), parsed)
    return [
        one.cause.what for one in violations if one.property in DECLARED and len(one.trace) == len(parsed)
    ]


SAME, CHANGED = "c", "d"
# declared, hook, images of the versions, moves, what the last of them breaks
RUNS = {
    "a seed of the install alone": ("once", INSTALLS, [SAME], ["install", "upgrade"], []),
    "a seed of upgrades too": ("once", BOTH, [SAME], ["install", "upgrade"], [f"once: {AGAIN}"]),
    "a seed that failed may try again": (
        "once",
        BOTH,
        [SAME],
        ["fail work", "install", "succeed work", "upgrade"],
        [],
    ),
    "an uninstall ends the life of a release": (
        "once",
        INSTALLS,
        [SAME],
        ["install", "uninstall", "install"],
        [],
    ),
    "nothing is new in a no-op upgrade": (
        "each-version",
        BOTH,
        [SAME],
        ["install", "upgrade"],
        [f"each-version: {WITHOUT_NEED}"],
    ),
    "a new version runs it": ("each-version", BOTH, [SAME, CHANGED], ["install", "upgrade"], []),
    "a plain Job that is the same is left alone": (
        "each-version",
        "",
        [SAME, SAME],
        ["install", "upgrade"],
        [f"each-version: {NOT_RUN}"],
    ),
    "a retry after the Job has done its work": (
        "each-version",
        "pre-install,pre-upgrade",
        [SAME, CHANGED],
        ["install", "fail work", "upgrade", "succeed work", "upgrade"],
        [],
    ),
    "every upgrade runs a hook of upgrades": (
        "each-upgrade",
        BOTH,
        [SAME],
        ["install", "upgrade", "upgrade"],
        [],
    ),
    "no upgrade runs a plain Job": (
        "each-upgrade",
        "",
        [SAME],
        ["install", "upgrade"],
        [f"each-upgrade: {NOT_RUN}"],
    ),
    "a hook runs whether it changed or not": (
        "on-change",
        BOTH,
        [SAME, SAME],
        ["install", "upgrade"],
        [f"on-change: {WITHOUT_NEED}"],
    ),
    "a hook that changed runs": ("on-change", BOTH, [SAME, CHANGED], ["install", "upgrade"], []),
    "a hook of the install alone misses its change": (
        "on-change",
        INSTALLS,
        [SAME, CHANGED],
        ["install", "upgrade"],
        [f"on-change: {NOT_RUN}"],
    ),
    "a plain Job that is the same need not run": ("on-change", "", [SAME, SAME], ["install", "upgrade"], []),
    "nobody knows to which version a rollback went": (
        "each-version",
        BOTH,
        [SAME, CHANGED],
        ["install", "upgrade", "rollback", "upgrade"],
        [],
    ),
    "a word that is none binds nobody": ("sometimes", BOTH, [SAME], ["install", "upgrade"], []),
}


@pytest.mark.parametrize("case", RUNS)
@pytest.mark.parametrize("tool", TOOLS)
def test_when_a_job_runs(case: str, tool: str, engine: Engine) -> None:
    runs, hook, images, moves, expected = RUNS[case]
    lab = lab_of(engine, tool, [job(hook, image, runs=runs) for image in images])
    assert broken(lab, moves) == expected


@pytest.mark.parametrize("tool", TOOLS)
def test_a_ttl_makes_a_job_run_again(tool: str, engine: Engine) -> None:
    lab = lab_of(engine, tool, [job(runs="once", spec="  ttlSecondsAfterFinished: 60\n")])
    assert broken(lab, ["install", "upgrade"]) == []
    assert broken(lab, ["install", "wait 60s", "upgrade"]) == [f"once: {AGAIN}"]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_job_of_the_same_template_is_the_same_job_under_another_name(tool: str, engine: Engine) -> None:
    source = "# Source: shop/templates/job.yaml\n"
    versions = [
        source + job(image=image, name=f"work-{image}", runs="each-version") for image in (SAME, CHANGED)
    ]
    lab = lab_of(engine, tool, versions)
    assert broken(lab, ["install", "upgrade"]) == []
    assert broken(lab, ["install", "upgrade", "upgrade"]) == []
    once = lab_of(engine, tool, [text.replace("each-version", "once") for text in versions])
    assert broken(once, ["install", "upgrade"]) == [f"once: {AGAIN}"]


OVERLAPS = {
    "a Job that is deleted while it runs": ("  podReplacementPolicy: Failed\n", [IN_TWOS]),
    "a deadline ends it before": ("  podReplacementPolicy: Failed\n  activeDeadlineSeconds: 60\n", []),
    "an evicted pod is replaced at once": (
        "  backoffLimit: 3\n  activeDeadlineSeconds: 60\n",
        [EVICTED],
    ),
    "several pods at once": ("  parallelism: 2\n  activeDeadlineSeconds: 60\n", [ABREAST]),
}


@pytest.mark.parametrize("case", OVERLAPS)
@pytest.mark.parametrize("tool", TOOLS)
def test_whether_pods_of_a_job_overlap(case: str, tool: str, engine: Engine) -> None:
    spec, expected = OVERLAPS[case]
    text = job("pre-install,pre-upgrade", overlap="never").replace("  backoffLimit: 0\n", spec)
    moves = ["install", "hang work", "upgrade", "upgrade"]
    assert broken(lab_of(engine, tool, [text]), moves) == expected
    assert broken(lab_of(engine, tool, [text.replace("never", "locked")]), moves) == []


def test_what_is_said_by_name_has_the_last_word(engine: Engine) -> None:
    lab = lab_of(engine, "helm@4.3.1", [job(BOTH, runs="each-upgrade")])
    assert broken(lab, ["install", "upgrade"]) == []
    bound = replace(lab, contracts=(Contract("wo*", "once"), Contract("other", overlap="never")))
    assert broken(bound, ["install", "upgrade"]) == [f"once: {AGAIN}"]


def test_kubectl_is_held_to_contracts_too(engine: Engine) -> None:
    lab = lab_of(engine, "kubectl@1.37.1", [job(runs="each-upgrade")])
    moves = number([parse("apply", "kubectl")] * 2, 1)
    _, violations = retrace(stage_for(lab), moves)
    assert [one.cause.what for one in violations if one.property in DECLARED] == [f"each-upgrade: {NOT_RUN}"]
