"""The order of a deploy, with work that is made up: what real releases cannot show, as many components or the exact moment."""

import asyncio
import datetime as dt
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from watchbill.deploy.bill import Component
from watchbill.deploy.events import Event, Stage, Status
from watchbill.deploy.needs import keep
from watchbill.deploy.result import Charted
from watchbill.deploy.stages import Stages, worst
from watchbill.jobs.declare import Job
from watchbill.jobs.moments import Moment, Post, Pre
from watchbill.jobs.outcomes import Outcome
from watchbill.jobs.places import Place
from watchbill.jobs.registry import Registry


class Played:
    """Work that takes a moment and ends as the test wants."""

    def __init__(
        self, ends: dict[str, Status] | None = None, on: Callable[[str], None] | None = None
    ) -> None:
        self.cancelled = ""
        self.has_crds = False
        self.begun: list[str] = []
        self.ended_components: dict[str, bool] = {}
        self.at_once = self.most_at_once = 0
        self._ends = ends or {}
        self._on = on or (lambda _name: None)

    async def crds(self) -> Charted:
        return Charted("done")

    async def job(self, job: Job, component: Component | None, stage: Stage) -> Outcome:  # noqa: ARG002
        status: Any = await self._played(job.identity)
        return Outcome(
            job.identity, job.component, job.moment, status, dt.datetime.now(dt.UTC), 0.0, "as asked"
        )

    async def chart(self, component: Component, stage: Stage) -> Charted:  # noqa: ARG002
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        status = await self._played(component.name)
        self.at_once -= 1
        return Charted(status)

    async def ended(self, component: Component, charted: Charted, *, is_good: bool) -> None:
        assert charted.status == "done" or not is_good
        self.ended_components[component.name] = is_good

    async def _played(self, name: str) -> Status:
        self.begun.append(name)
        await asyncio.sleep(0)
        self._on(name)
        return self._ends.get(name, "done")


def component(name: str, *needs: str, is_prerequisite: bool = False) -> Component:
    return Component(
        name, name, "ns", f"charts/{name}", is_local=True, needs=needs, is_prerequisite=is_prerequisite
    )


def declared(identity: str, moment: Moment) -> Job:
    owner, _, name = identity.partition("/")
    return Job(
        name=name,
        component=None if owner == "global" else owner,
        moment=moment,
        until=None,
        reason="a test needs it",
        timeout=None,
        grace=None,
        requires=(),
        once=False,
        place=Place("jobs.py", 1),
        summary="",
        function=lambda _ctx: None,
        is_async=True,
    )


def played(
    work: Played,
    components: Sequence[str | Component],
    jobs: Sequence[Job] = (),
    *,
    prerequisites: Sequence[str] = (),
    workers: int = 4,
    fail_fast: bool = False,
) -> tuple[Stages, Status, list[Event]]:
    told: list[Event] = []

    async def run() -> tuple[Stages, Status]:
        stages = Stages(
            [
                component(name, *prerequisites[:at][-1:], is_prerequisite=True)
                for at, name in enumerate(prerequisites)
            ],
            [component(one) if isinstance(one, str) else one for one in components],
            Registry(jobs),
            work,
            told.append,
            workers=workers,
            fail_fast=fail_fast,
        )
        return stages, await stages.run()

    stages, status = asyncio.run(run())
    return stages, status, told


@pytest.mark.parametrize("workers", [1, 4, 64])
def test_two_hundred_components(workers: int) -> None:
    work = Played()
    names = [f"part-{at}" for at in range(200)]
    stages, status, _ = played(work, names, workers=workers)
    assert status == "done"
    assert work.begun == names, "in the order of the bill"
    assert work.most_at_once == workers
    assert Counter(one.status for one in stages.components) == {"done": 200}


def test_one_failure_of_two_hundred() -> None:
    """All others are done, its post jobs and the global ones are not."""
    work = Played({"part-7": "failed"})
    names = [f"part-{at}" for at in range(200)]
    jobs = [
        declared("part-7/after", Post),
        declared("part-8/after", Post),
        declared("global/last", Post),
    ]
    stages, status, _ = played(work, names, jobs)
    assert status == "failed"
    assert Counter(one.status for one in stages.components) == {"done": 199, "failed": 1}
    assert "part-8/after" in work.begun
    assert not {"part-7/after", "global/last"} & set(work.begun)


def test_fail_fast_begins_nothing_new_and_finishes_what_runs() -> None:
    work = Played({"part-3": "failed"})
    stages, status, _ = played(work, [f"part-{at}" for at in range(200)], workers=4, fail_fast=True)
    assert status == "failed"
    found = Counter(one.status for one in stages.components)
    assert found["failed"] == 1
    assert found["done"] <= 7, "those that ran when it failed"
    assert found["not-started"] >= 192
    assert all("--fail-fast" in one.reason for one in stages.components if one.status == "not-started")


def test_a_cancellation_begins_nothing_new() -> None:
    def cancel(name: str) -> None:
        if name == "part-1":
            work.cancelled = "cancelled by Ctrl-C"

    work = Played(on=cancel)
    jobs = [declared("global/last", Post)]
    stages, status, _ = played(work, [f"part-{at}" for at in range(10)], jobs, workers=2)
    assert status not in ("done", "skipped")
    assert "global/last" not in work.begun
    left = [one for one in stages.components if one.status == "not-started"]
    assert {one.reason for one in left} == {"cancelled by Ctrl-C"}
    assert len(stages.components) == 10, "each is told of"


@pytest.mark.parametrize("status", ["failed", "manual", "aborted", "timed-out", "abandoned", "cancelled"])
def test_no_chart_after_a_pre_job_that_did_not_end_well(status: Status) -> None:
    work = Played({"web/before": status})
    stages, ended, _ = played(work, ["web"], [declared("web/before", Pre), declared("web/other", Pre)])
    assert ended == status
    assert set(work.begun) == {"web/before", "web/other"}, "jobs of a stage run together"
    assert work.ended_components == {}, "helm had nothing to do with it"
    [web] = stages.components
    assert (web.status, web.chart) == (status, None)


def test_prerequisites_stop_at_the_first_that_fails() -> None:
    work = Played({"two": "failed"})
    stages, status, _ = played(work, ["web"], prerequisites=["one", "two", "three"])
    assert (status, work.begun) == ("failed", ["one", "two"])
    assert {one.name: one.status for one in stages.components} == {
        "one": "done",
        "two": "failed",
        "three": "not-started",
        "web": "not-started",
    }


def test_what_is_cut_off_counts_as_cancelled() -> None:
    """Nobody waits any longer: jobs and components that run are told of, those that never began as well."""

    async def run() -> Stages:
        class Endless(Played):
            async def _played(self, name: str) -> Status:
                self.begun.append(name)
                await asyncio.Event().wait()
                raise AssertionError

        jobs = [declared("web/before", Pre)]
        stages = Stages(
            [],
            [component(name) for name in ("web", "shop", "last")],
            Registry(jobs),
            Endless(),
            lambda _: None,
            workers=2,
        )
        task = asyncio.ensure_future(stages.run())
        await asyncio.sleep(0.01)
        stages.cut_off("it was stopped by force")
        task.cancel()
        return stages

    stages = asyncio.run(run())
    assert [(one.identity, one.status) for one in stages.jobs] == [("web/before", "cancelled")]
    assert {one.name: one.status for one in stages.components} == {
        "web": "cancelled",
        "shop": "cancelled",
        "last": "not-started",
    }


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([], "done"),
        (["skipped", "done"], "done"),
        (["done", "manual"], "manual"),
        (["cancelled", "failed"], "failed"),
        (["timed-out", "abandoned", "failed"], "abandoned"),
        (["not-started", "aborted"], "aborted"),
    ],
)
def test_the_worst_of_them_counts(statuses: list[Status], expected: Status) -> None:
    assert worst(statuses) == expected


def ordered(began: Sequence[str], *names: str) -> bool:
    return [name for name in began if name in names] == list(names)


def test_a_component_begins_when_all_that_it_needs_is_done() -> None:
    components = [
        component("web", "api", "queue"),
        component("api", "database"),
        component("queue"),
        component("database"),
    ]
    work = Played()
    jobs = [declared("database/seed", Post)]
    stages, status, _ = played(work, components, jobs)
    assert status == "done"
    assert work.begun[:2] == ["queue", "database"], "those that need nothing, at once"
    assert ordered(work.begun, "database", "database/seed", "api", "web")
    assert ordered(work.begun, "queue", "web")
    assert work.most_at_once == 2
    assert Counter(one.status for one in stages.components) == {"done": 4}


def test_who_waits_for_its_needs_takes_no_worker() -> None:
    components = [component("web", "database"), component("api", "database"), component("database")]
    work = Played()
    _, status, _ = played(work, components, workers=1)
    assert (status, work.begun) == ("done", ["database", "web", "api"])


def test_a_failure_stops_those_that_need_it_and_no_others() -> None:
    components = [
        component("database"),
        component("api", "database"),
        component("web", "api"),
        component("docs"),
    ]
    work = Played({"database": "failed"})
    stages, status, told = played(work, components)
    assert (status, work.begun) == ("failed", ["database", "docs"])
    assert {one.name: (one.status, one.reason) for one in stages.components if not one.is_good} == {
        "database": ("failed", ""),
        "api": ("not-started", "it needs database, which is failed"),
        "web": ("not-started", "it needs api, which is not-started"),
    }
    assert [one.component for one in told if one.status == "not-started"] == ["api", "web"]


def test_needs_through_a_component_that_is_left_out_are_kept() -> None:
    components = [component("web", "api", "queue"), component("api", "database"), component("database")]
    kept = keep([*components, component("queue")], ["web", "database"])
    assert {one.name: one.needs for one in kept} == {"web": ("database",), "database": ()}
