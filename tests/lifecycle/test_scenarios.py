"""Named scenarios: every chart's life, told with the tool's own moves; faults excuse what they cause."""

import pytest

from tests.lifecycle.test_properties import job, thing, web
from tests.support.labs import lab_of
from watchbill.charts.engine import Engine
from watchbill.lifecycle.flags import HELM4
from watchbill.lifecycle.lab import Tool
from watchbill.lifecycle.scenarios import Scenario, Walked, scenarios, stage_for, walk

TOOLS = ("helm@4.3.1", "helm@3.19.0", "kubectl@1.37.1")
HOOK = "pre-install,pre-upgrade"
# A killed client leaves its release locked, and a hook that hangs is deleted by the next operation: no chart helps.
BAD_FOR_ALL = {"kill", "hang"}


def chart(**settings: object) -> list[str]:
    """Two versions of one Job; the second has another image."""
    one = job(**settings)  # type: ignore[arg-type]
    return [one, one.replace("image: c", "image: d")]


def named(tool: str, name: str) -> Scenario:
    return next(known for known in scenarios(_tool(tool)) if known.name == name)


def _tool(text: str) -> Tool:
    return Tool(*text.split("@"))


def walked(engine: Engine, tool: str, versions: list[str], name: str) -> Walked:
    return walk(stage_for(lab_of(engine, tool, versions)), named(tool, name))


def told(found: Walked) -> list[str]:
    """Each violation by its property, object and the move that shows it."""
    return [f"{v.property.name} {v.cause.key} {v.trace[-1].text}" for v in found.violations]


@pytest.mark.parametrize("tool", TOOLS)
def test_tools_take_every_flag_of_their_scenarios(engine: Engine, tool: str) -> None:
    stage = stage_for(lab_of(engine, tool, chart()))
    for scenario in scenarios(_tool(tool)):
        errors = [played.error for played in walk(stage, scenario).plays]
        assert not [error for error in errors if "unknown flag" in error or "invalid argument" in error]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_name_means_one_scenario(tool: str) -> None:
    names = [scenario.name for scenario in scenarios(_tool(tool))]
    assert len(names) == len(set(names))


def test_scenarios_of_the_users_own_are_played_by_the_tools_that_can() -> None:
    own = (
        Scenario("for all helms", "helm", ()),
        Scenario("for helm 4", "helm", (), versions=HELM4),
        Scenario("for kubectl", "kubectl", ()),
    )
    played = {tool: [one.name for one in scenarios(_tool(tool), own) if one in own] for tool in TOOLS}
    assert played == {
        "helm@4.3.1": ["for all helms", "for helm 4"],
        "helm@3.19.0": ["for all helms"],
        "kubectl@1.37.1": ["for kubectl"],
    }


GOOD = {
    "a hook": chart(hook=HOOK, podReplacementPolicy="Failed", ttlSecondsAfterFinished=60),
    "no Job": [thing("ConfigMap"), thing("ConfigMap", more="a: b")],
}


@pytest.mark.parametrize("tool", TOOLS[:2])
@pytest.mark.parametrize("versions", GOOD.values(), ids=GOOD)
def test_a_good_chart_gets_through_without_flags(engine: Engine, tool: str, versions: list[str]) -> None:
    stage = stage_for(lab_of(engine, tool, versions))
    for scenario in scenarios(_tool(tool)):
        if not scenario.flags and not scenario.faults & BAD_FOR_ALL:
            assert not told(walk(stage, scenario)), scenario.name


# chart, scenario, what is said of it by each tool
SAYS = {
    "an image upgrade meets a plain Job": (
        chart(podReplacementPolicy="Failed"),
        "image upgrade",
        ["WORKS Job/ns/work upgrade"],
    ),
    "and a forced one as well": (
        chart(podReplacementPolicy="Failed"),
        "forced upgrade",
        {
            "helm@4.3.1": ["WORKS None upgrade --force-replace"],
            "helm@3.19.0": ["WORKS Job/ns/work upgrade --force"],
        },
    ),
    "what fails because of it later is its consequence": (
        chart(podReplacementPolicy="Failed"),
        "retry of a failed upgrade",
        ["WORKS Job/ns/work upgrade"],
    ),
    "a hook that fails is an excuse; its lost logs are not": (
        chart(hook=HOOK, policy="before-hook-creation,hook-failed", podReplacementPolicy="Failed"),
        "retry of a failed upgrade",
        ["LOGS Job/ns/work upgrade"],
    ),
    "a hook that cannot be retried": (
        chart(hook=HOOK, policy="hook-succeeded", podReplacementPolicy="Failed"),
        "retry of a failed upgrade",
        {
            "helm@4.3.1": ["RETRIES Job/ns/work upgrade", "RUNS Job/ns/work upgrade"],
            "helm@3.19.0": ["RETRIES Job/ns/work upgrade"],
        },
    ),
    "one that only installs run is not caught up": (
        chart(hook="pre-install", podReplacementPolicy="Failed"),
        "retry of a failed install",
        ["CATCHES_UP Job/ns/work upgrade --install"],
    ),
    "a hook that still runs is deleted under its own feet": (
        chart(hook=HOOK, podReplacementPolicy="Failed"),
        "retry while the hook still runs",
        ["ALONE Job/ns/work upgrade"],
    ),
    "a killed client leaves its release locked": (
        [web("hostname: a"), web("hostname: b")],
        "retry of a killed upgrade",
        ["RETRIES None upgrade"],
    ),
}


def test_a_job_that_hangs_is_no_excuse_for_a_tool_that_waits_for_none(engine: Engine) -> None:
    versions = chart(podReplacementPolicy="Failed")
    found = walked(engine, "kubectl@1.37.1", versions, "upgrade while the Job still runs")
    assert told(found) == ["RECOVERS Job/ns/work apply"]


@pytest.mark.parametrize("tool", TOOLS[:2])
@pytest.mark.parametrize(("versions", "name", "says"), SAYS.values(), ids=SAYS)
def test_what_a_scenario_says(
    engine: Engine, tool: str, versions: list[str], name: str, says: list[str] | dict[str, list[str]]
) -> None:
    expected = says[tool] if isinstance(says, dict) else says
    assert told(walked(engine, tool, versions, name)) == expected


def test_time_passes_until_the_last_job_has_expired(engine: Engine) -> None:
    versions = chart(ttlSecondsAfterFinished=60)
    found = walked(engine, "helm@4.3.1", versions, "no-op upgrade after the TTL")
    assert [played.move.text for played in found.plays] == ["install", "wait 60s", "upgrade"]
    assert [len(played.ran) for played in found.plays] == [1, 0, 1]


def test_nothing_is_played_where_nothing_expires(engine: Engine) -> None:
    assert walked(engine, "helm@4.3.1", chart(), "upgrade after the TTL").plays == ()


def test_a_fault_may_befall_one_job(engine: Engine) -> None:
    versions = [job("one", HOOK) + job("two", HOOK)] * 2
    stage = stage_for(lab_of(engine, "helm@4.3.1", versions))
    found = walk(stage, named("helm@4.3.1", "install with a hanging hook"), job="two")
    assert [key.name for key in found.plays[-1].ran] == ["one", "two"]


def test_versions_are_those_the_caller_names(engine: Engine) -> None:
    versions = [job(f"v{number}") for number in range(3)]
    stage = stage_for(lab_of(engine, "helm@4.3.1", versions))
    found = walk(stage, named("helm@4.3.1", "image upgrade"), this=1, following=2)
    assert [[key.name for key in played.ran] for played in found.plays] == [["v1"], ["v2"]]


def test_what_scenarios_begin_with_alike_is_played_once(engine: Engine) -> None:
    stage = stage_for(lab_of(engine, "helm@4.3.1", chart()))
    for name in ("first install", "no-op upgrade", "image upgrade", "version upgrade", "rollback"):
        walk(stage, named("helm@4.3.1", name))
    assert stage.played == 4  # install, upgrade, upgrade to the next, rollback


def test_what_a_scenario_needs_is_told_by_its_moves() -> None:
    assert named("helm@3.19.0", "forced upgrade").flags == {"--force"}
    assert named("helm@4.3.1", "failed upgrade rolled back").flags == {"--rollback-on-failure"}
    assert named("helm@4.3.1", "retry of a failed install").flags == frozenset()
    assert named("helm@4.3.1", "retry of a failed install").faults == {"fail"}
    assert named("helm@4.3.1", "retry of a killed upgrade").faults == {"kill"}
    assert not named("helm@4.3.1", "reinstall").upgrades
