"""The order of a deploy: which stage comes when, what a failure stops, and what goes on beside it.

Global pre jobs, prerequisites, components (each: pre jobs, chart, post jobs), global post jobs. A component begins when
all that it needs is done and a worker is free; each prerequisite needs the one before it. The jobs of one stage run at once, and the stage ends with the last of them. What is done in a step is somebody else's
work: it never raises, it tells how it ended.
"""

import asyncio
import datetime as dt
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol, TypeVar

from msgspec.structs import replace

from watchbill.deploy.bill import Component
from watchbill.deploy.events import GOOD, STARTED, Stage, Status, Tell, event
from watchbill.deploy.result import Charted, ComponentResult, StageResult
from watchbill.jobs.declare import Job
from watchbill.jobs.moments import Moment, Post, Pre
from watchbill.jobs.outcomes import Outcome
from watchbill.jobs.registry import Registry

T = TypeVar("T", Outcome, Charted)


class Work(Protocol):
    """What steps do. Each ends soon after a cancellation, and says so."""

    @property
    def cancelled(self) -> str:
        """Why, once the deploy is cancelled."""

    @property
    def has_crds(self) -> bool: ...

    async def crds(self) -> Charted: ...

    async def job(self, job: Job, component: Component | None, stage: Stage) -> Outcome: ...

    async def chart(self, component: Component, stage: Stage) -> Charted: ...

    async def ended(self, component: Component, charted: Charted, *, is_good: bool) -> None:
        """Of a component whose chart helm was given: nothing more happens to it in this deploy."""


class Stages:
    def __init__(
        self,
        prerequisites: Sequence[Component],
        components: Sequence[Component],
        registry: Registry,
        work: Work,
        tell: Tell,
        *,
        workers: int,
        fail_fast: bool = False,
    ) -> None:
        self._prerequisites = prerequisites
        self._components = components
        self._registry = registry
        self._work = work
        self._tell = tell
        self._workers = asyncio.Semaphore(workers)
        self._fail_fast = fail_fast
        self._halted = ""  # why nothing new is begun, though nothing that runs is cancelled
        self._running: dict[str, tuple[Stage, float]] = {}  # components, and since when
        self._running_jobs: dict[str, tuple[Job, dt.datetime]] = {}
        self.stages: list[StageResult] = []
        self.components: list[ComponentResult] = []
        self.jobs: list[Outcome] = []

    async def run(self) -> Status:
        """The first stage that does not end well is the last: so no global post job runs after any failure."""
        for stage, way in self._ways():
            status = await self._stage(stage, way)
            if status not in GOOD:
                self._give_up()
                return status
        return "done"

    def _ways(self) -> Iterator[tuple[Stage, Callable[[Stage], Awaitable[Status]]]]:
        """Stages that have something to do."""
        if self._work.has_crds:
            yield "crds", self._crds
        if self._registry.of(None, Pre):
            yield "global-pre", partial(self._global, Pre)
        if self._prerequisites:
            yield "prerequisites", partial(self._graph, self._prerequisites)
        if self._components:
            yield "components", partial(self._graph, self._components)
        if self._registry.of(None, Post):
            yield "global-post", partial(self._global, Post)

    async def _stage(self, stage: Stage, way: Callable[[Stage], Awaitable[Status]]) -> Status:
        began = time.monotonic()
        if reason := self._stopped():
            self._tell(event("not-started", stage=stage, text=reason))
            return "cancelled" if self._work.cancelled else "aborted"
        self._tell(event(STARTED, stage=stage))
        status = await way(stage)
        seconds = time.monotonic() - began
        self.stages.append(StageResult(stage, status, seconds))
        self._tell(event(status, stage=stage, seconds=seconds))
        return status

    async def _crds(self, stage: Stage) -> Status:
        return (await self._step(stage, None, "crds", self._work.crds)).status

    async def _global(self, moment: Moment, stage: Stage) -> Status:
        return worst(outcome.status for outcome in await self._jobs(stage, None, moment))

    async def _graph(self, components: Sequence[Component], stage: Stage) -> Status:
        """Each after what it needs. Needs outside of `components` are done, or left out by --only."""
        tasks: dict[str, asyncio.Task[ComponentResult]] = {}

        async def in_turn(component: Component) -> ComponentResult:
            needed = [await tasks[name] for name in component.needs if name in tasks]
            missing = next((one for one in needed if not one.is_good), None)
            if missing is not None:
                reason = self._stopped() or f"it needs {missing.name}, which is {missing.status}"
                return self._ended(ComponentResult(component.name, stage, "not-started", reason))
            async with self._workers:
                return await self._component(component, stage)

        async with asyncio.TaskGroup() as group:
            for component in components:
                tasks[component.name] = group.create_task(in_turn(component))
        return worst(task.result().status for task in tasks.values())

    async def _component(self, component: Component, stage: Stage) -> ComponentResult:
        began = time.monotonic()
        if reason := self._stopped():
            return self._ended(ComponentResult(component.name, stage, "not-started", reason))
        self._tell(event(STARTED, stage=stage, component=component.name))
        self._running[component.name] = (stage, began)
        result = await self._carried_out(component, stage)
        if result.chart is not None:
            await self._work.ended(component, result.chart, is_good=result.is_good)
        del self._running[component.name]
        result = self._ended(replace(result, seconds=time.monotonic() - began))
        if not result.is_good and self._fail_fast:
            self._halt(f"{component.name} is {result.status}, and --fail-fast was asked for")
        return result

    async def _carried_out(self, component: Component, stage: Stage) -> ComponentResult:
        for outcome in await self._jobs(stage, component, Pre):
            if not outcome.is_good:
                return _stopped_by(outcome, component, stage)
        if reason := self._stopped():
            return ComponentResult(component.name, stage, "not-started", reason)
        began = time.monotonic()
        charted = await self._step(stage, component.name, "chart", lambda: self._work.chart(component, stage))
        seconds = time.monotonic() - began
        result = ComponentResult(
            component.name, stage, charted.status, charted.reason, chart=charted, chart_seconds=seconds
        )
        if not result.is_good:
            return result
        # Its chart is in: the jobs that complete it run although something else has stopped the deploy.
        for outcome in await self._jobs(stage, component, Post):
            if not outcome.is_good:
                return replace(_stopped_by(outcome, component, stage), chart=charted, chart_seconds=seconds)
        return result

    async def _jobs(self, stage: Stage, component: Component | None, moment: Moment) -> list[Outcome]:
        name = component.name if component else None

        async def run(job: Job) -> Outcome:
            self._running_jobs[job.identity] = (job, dt.datetime.now(dt.UTC))
            outcome = await self._step(stage, name, job.name, lambda: self._work.job(job, component, stage))
            del self._running_jobs[job.identity]
            self.jobs.append(outcome)
            if outcome.status == "aborted":
                self._halt(f"job {job.identity} aborted the deploy: {outcome.reason}")
            return outcome

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run(job)) for job in self._registry.of(name, moment)]
        return [task.result() for task in tasks]

    async def _step(
        self, stage: Stage, component: str | None, step: str, work: Callable[[], Awaitable[T]]
    ) -> T:
        began = time.monotonic()
        self._tell(event(STARTED, stage=stage, component=component, step=step))
        ended = await work()
        self._tell(
            event(
                ended.status,
                stage=stage,
                component=component,
                step=step,
                text=ended.reason,
                seconds=time.monotonic() - began,
            )
        )
        return ended

    def _ended(self, result: ComponentResult) -> ComponentResult:
        self.components.append(result)
        self._tell(
            event(
                result.status,
                stage=result.stage,
                component=result.name,
                text=result.reason,
                seconds=result.seconds,
            )
        )
        return result

    def cut_off(self, reason: str) -> None:
        """Nobody waits any longer: whatever still runs counts as cancelled."""
        now, clock = dt.datetime.now(dt.UTC), time.monotonic()
        for job, began in self._running_jobs.values():
            seconds = (now - began).total_seconds()
            self.jobs.append(
                Outcome(job.identity, job.component, job.moment, "cancelled", began, seconds, reason)
            )
        for name, (stage, since) in self._running.items():
            self._ended(ComponentResult(name, stage, "cancelled", reason, seconds=clock - since))
        self._give_up()

    def _halt(self, reason: str) -> None:
        self._halted = self._halted or reason

    def _stopped(self) -> str:
        return self._work.cancelled or self._halted

    def _give_up(self) -> None:
        """Whatever was never begun is told, too."""
        known = {result.name for result in self.components}
        reason = self._stopped() or "an earlier stage failed"
        for component in (*self._prerequisites, *self._components):
            stage: Stage = "prerequisites" if component.is_prerequisite else "components"
            if component.name not in known:
                self.components.append(ComponentResult(component.name, stage, "not-started", reason))


_WORST_FIRST: tuple[Status, ...] = (
    "abandoned",
    "timed-out",
    "failed",
    "aborted",
    "manual",
    "cancelled",
    "not-started",
    "done",
)


def worst(statuses: Iterable[Status]) -> Status:
    """Of things that ran side by side."""
    found = set(statuses)
    return next((status for status in _WORST_FIRST if status in found), "done")


def _stopped_by(outcome: Outcome, component: Component, stage: Stage) -> ComponentResult:
    reason = f"{outcome.moment} job {outcome.identity}: {outcome.reason}"
    return ComponentResult(component.name, stage, outcome.status, reason, outcome.guide)
