"""What the steps of a deploy do: jobs run, helm gets charts, and the record is written before and after each of them."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from watchbill.deploy import releases
from watchbill.deploy.bill import Bill, Component
from watchbill.deploy.cancelling import Cancellation
from watchbill.deploy.crds import Definitions
from watchbill.deploy.events import WORKING, Stage, Tell, event
from watchbill.deploy.path import Hop
from watchbill.deploy.record import Record, Verb, Writer
from watchbill.deploy.result import Charted
from watchbill.errors import UserError
from watchbill.helm.driver import Helm
from watchbill.helm.requests import UpgradeRequest
from watchbill.jobs import context, events, runner
from watchbill.jobs.declare import Job
from watchbill.jobs.outcomes import Outcome, Status
from watchbill.kube.access import Access
from watchbill.kube.client import Kube, connect, connect_sync

# Whoever ended so may have done its work, or half of it.
_MAYBE_RAN: frozenset[Status] = frozenset({"cancelled", "timed-out", "abandoned"})


class Ground(Struct, frozen=True):
    """What a deploy stands on."""

    bill: Bill
    hop: Hop
    access: Access
    kube: Kube
    helm: Helm
    operation: str
    revisions: Mapping[str, int]  # the last one of each component that has a release already
    present: frozenset[str]  # components that are not new
    definitions: Definitions
    record: Record  # as it was when the deploy began
    dry_run: bool = False


class Work:
    """As stages ask for it. `writer` is None in a dry run: nothing is remembered of it."""

    def __init__(self, ground: Ground, writer: Writer | None, cancellation: Cancellation, tell: Tell) -> None:
        self._ground = ground
        self._writer = writer
        self._cancellation = cancellation
        self._tell = tell

    @property
    def cancelled(self) -> str:
        return self._cancellation.reason

    @property
    def has_crds(self) -> bool:
        return bool(self._ground.definitions)

    async def crds(self) -> Charted:
        try:
            await self._cancellation.bound(self._ground.definitions.apply(self._ground.kube))
        except UserError as error:
            return Charted("failed", str(error))
        return Charted("cancelled", self.cancelled) if self.cancelled else Charted("done")

    async def job(self, job: Job, component: Component | None, stage: Stage) -> Outcome:
        record = self._writer.record if self._writer else self._ground.record
        known = record.once.get(job.identity) if job.once else None
        if known is not None and known.status == "done":
            return _unrun(job, "skipped", f"it runs once, and did so with version {known.version}")
        if self.cancelled:
            return _unrun(job, "cancelled", self.cancelled)
        if job.once and (lost := await self._remember_once(job, "started")):
            return _unrun(job, "failed", lost)
        outcome = await self._run(job, component, stage)
        if job.once and outcome.status not in _MAYBE_RAN:
            await self._remember_once(job, "done" if outcome.status == "done" else "")
        return outcome

    async def chart(self, component: Component, stage: Stage) -> Charted:
        verb: Verb = "atomic-upgrade" if component.atomic else "upgrade"
        before = self._ground.revisions.get(component.name, 0)

        def begun(record: Record) -> Record:
            # Nobody knows of which version it is until this has ended well.
            left = tuple(name for name in record.done if name != component.name)
            return replace(record, done=left).started(component.namespace, component.release, verb, before)

        if lost := await self._remember(begun):
            return Charted("failed", lost)

        def say(line: str) -> None:
            self._tell(event(WORKING, stage=stage, component=component.name, step="chart", text=line))

        began = dt.datetime.now(dt.UTC)

        try:
            done = await self._cancellation.bound(
                self._ground.helm.upgrade(self._request(component), tell=say)
            )
        except UserError as error:
            return Charted("failed", str(error))
        if done is None:
            return Charted("cancelled", self.cancelled)
        if done.ok:
            return Charted("done", done.reason, done.revision or 0, done.lines)
        found = await self._diagnose(component, before, began)
        for line in found:
            say(line)
        return Charted("failed", done.reason, done.revision or 0, done.lines, found)

    async def _diagnose(self, component: Component, before: int, since: dt.datetime) -> tuple[str, ...]:
        """Return what the cluster says of helm's failure; nothing if nobody waits for it any more."""
        ground = self._ground
        if ground.dry_run:
            return ()
        from watchbill.deploy.diagnosis import diagnose  # most deploys do not fail

        asked = diagnose(ground.kube, component, ground.helm.environment, after=before, since=since)
        return await self._cancellation.bound(asked) or ()

    async def ended(self, component: Component, charted: Charted, *, is_good: bool) -> None:
        if charted.status != "done":
            return  # helm may have been killed, or cut off: what it left is looked at, and healed, the next time
        # On the way back the record goes on telling how much of the version is there that is left.
        reached = component.name if is_good and self._ground.hop.kind != "back" else ""

        def ended(record: Record) -> Record:
            known = record.completed(component.name) if is_good else record
            return known.ended(component.namespace, component.release, reached)

        await self._remember(ended)

    async def _run(self, job: Job, component: Component | None, stage: Stage) -> Outcome:
        ended: list[Outcome] = []

        def hear(said: events.Event) -> None:
            match said:
                case events.Ended(outcome):
                    ended.append(outcome)
                case events.Logged(level=events.TRACE):
                    return
                case events.Logged() | events.Progressed():
                    name = component.name if component else None
                    self._tell(event(WORKING, stage=stage, component=name, step=job.name, text=said.text))

        surroundings = self._context(job, component)
        grace = job.grace if job.grace is not None else self._ground.bill.grace
        outcome = await self._cancellation.bound(runner.run(job, surroundings, grace=grace, tell=hear))
        # Of a job that was cancelled with the deploy the end was told, and nothing returned.
        return outcome or ended[-1]

    def _context(self, job: Job, component: Component | None) -> context.Context | context.SyncContext:
        ground, bill = self._ground, self._ground.bill
        about: dict[str, Any] = {
            "component": component.name if component else None,
            "namespace": component.namespace if component else bill.default_namespace,
            "installed": ground.hop.from_ or None,
            "target": str(bill.version),
            "is_new": component.name not in ground.present if component else not ground.hop.from_,
            "dry_run": ground.dry_run,
            "bill": context.Bill(
                bill.product, str(bill.version), bill.file, bill.profile or None, bill.environment or None
            ),
        }
        if job.is_async:
            return context.Context(connect=lambda: connect(ground.access, dry_run=ground.dry_run), **about)
        return context.SyncContext(
            connect=lambda: connect_sync(ground.access, dry_run=ground.dry_run), **about
        )

    def _request(self, component: Component) -> UpgradeRequest:
        ground, bill = self._ground, self._ground.bill
        return UpgradeRequest(
            release=component.release,
            namespace=component.namespace,
            chart=component.chart,
            version=component.chart_version,
            values=component.values,
            set=component.set,
            set_string=component.set_string,
            labels=releases.labels(
                bill.product, str(bill.version), bill.profile, bill.environment, ground.operation
            ),
            timeout=component.timeout,
            wait=component.wait,
            wait_for_jobs=component.wait_for_jobs,
            atomic=component.atomic,
            cleanup_on_fail=component.cleanup_on_fail,
            history_max=component.history_max,
            skip_crds=component.skip_crds,
            dry_run=ground.dry_run,
        )

    async def _remember_once(self, job: Job, status: Literal["started", "done", ""]) -> str:
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        version = str(self._ground.bill.version)
        return await self._remember(lambda record: record.once_is(job.identity, status, version, now))

    async def _remember(self, edit: Callable[[Record], Record]) -> str:
        """Why that cannot be: then the deploy must not go on, since nobody would know what it did."""
        if self._writer is None:
            return ""
        try:
            await self._writer.change(edit)
        except UserError as error:
            self._cancellation.cancel(error.what)
            return str(error)
        return ""


def _unrun(job: Job, status: Status, reason: str) -> Outcome:
    now = dt.datetime.now(dt.UTC)
    return Outcome(job.identity, job.component, job.moment, status, now, 0.0, reason)
