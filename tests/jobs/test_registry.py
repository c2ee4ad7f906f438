"""Jobs are found by component, by name, and by the version in which they should be gone."""

import pytest

from tests.jobs.playing import declared
from watchbill import versions
from watchbill.errors import UserError
from watchbill.jobs import Post, Pre
from watchbill.jobs.lint import outdated, problems
from watchbill.jobs.registry import Registry


def grow_volume(ctx: object) -> None:
    """Only its declaration matters here."""


JOBS = [
    declared(grow_volume, name="grow", until="2.6.0", timeout="2h"),
    declared(grow_volume, name="look", until="3.0.0-rc.1"),
    declared(grow_volume, name="stay", until=None, reason="asked each time"),
]
REGISTRY = Registry(JOBS)


def test_by_component_and_moment() -> None:
    assert REGISTRY.of("logging", Pre) == tuple(JOBS)
    assert REGISTRY.of("logging", Post) == REGISTRY.of(None, Pre) == ()


def test_by_name() -> None:
    assert REGISTRY.named("grow") is REGISTRY.named("logging/grow") is JOBS[0]


@pytest.mark.parametrize(
    ("registry", "name", "advice"),
    [
        (REGISTRY, "grwo", "did you mean logging/grow?"),
        (REGISTRY, "loging/stay", "did you mean logging/stay?"),
        (REGISTRY, "xyzzy", "`watchbill jobs list` shows all of them"),
        (Registry(), "grow", "the bill names no jobs"),
    ],
)
def test_a_name_that_no_job_has(registry: Registry, name: str, advice: str) -> None:
    with pytest.raises(UserError) as refused:
        registry.named(name)

    assert str(refused.value) == f"unknown job {name!r}\n  {advice}"


def test_a_name_that_two_jobs_have() -> None:
    registry = Registry([JOBS[0], declared(grow_volume, name="grow", component="monitoring")])

    with pytest.raises(
        UserError, match="2 jobs are called 'grow'\n  say which: logging/grow or monitoring/grow"
    ):
        registry.named("grow")


@pytest.mark.parametrize(
    ("version", "gone"),
    [("2.5.9", 0), ("2.6.0-rc.1", 1), ("2.6.0", 1), ("3.0.0-rc.1", 2), ("v4.0.0", 2)],
)
def test_a_job_is_outdated_from_the_first_candidate_of_its_version(version: str, gone: int) -> None:
    assert REGISTRY.outdated(versions.parse(version)) == tuple(JOBS[:gone])


def test_an_outdated_job_is_an_error_that_names_its_file() -> None:
    assert outdated(REGISTRY, versions.parse("2.5.0")) is None

    assert str(outdated(REGISTRY, versions.parse("2.6.0"))) == (
        f"{JOBS[0].place}: logging/grow should be gone since 2.6.0\n"
        "  remove it; or, if it is still needed, say until when"
    )


def test_lint_tells_of_outdated_jobs_and_of_timeouts_that_never_come() -> None:
    assert problems(REGISTRY, versions.parse("2.5.0")) == []

    [late, long] = problems(REGISTRY, versions.parse("2.6.0"), timeout=3600)

    assert (late.is_error, str(late)) == (True, f"{JOBS[0].place}: logging/grow should be gone since 2.6.0")
    assert (long.is_error, str(long)) == (False, f"{JOBS[0].place}: logging/grow may take 2h, the deploy 1h")
