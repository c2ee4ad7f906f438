"""One deploy of a bill, from the first look at the cluster to the last line of its history."""

import asyncio
import datetime as dt
import os
import signal
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from watchbill import durations
from watchbill.deploy import entries, healing, history, holder, path, record
from watchbill.deploy.bill import Bill, Component
from watchbill.deploy.cancelling import Cancellation
from watchbill.deploy.crds import Definitions
from watchbill.deploy.events import GOOD, STARTED, Stage, Status, Tell, event
from watchbill.deploy.lease import Lease, held_by
from watchbill.deploy.outlook import Outlook, Selection, look, releases_of
from watchbill.deploy.path import Hop
from watchbill.deploy.record import Record, Writer
from watchbill.deploy.refusals import of_another_product, refusals, without_rights
from watchbill.deploy.result import Result
from watchbill.deploy.stages import Stages
from watchbill.deploy.way import Step
from watchbill.deploy.work import Ground, Work
from watchbill.errors import UserError
from watchbill.helm.driver import Helm
from watchbill.jobs.declare import Job
from watchbill.jobs.outcomes import Outcome
from watchbill.jobs.registry import Registry
from watchbill.kube import rights
from watchbill.kube.access import Access
from watchbill.kube.client import Kube

# What a deploy itself needs, beside its jobs and its charts: the Lease, the record, the history.
OWN_RIGHTS = tuple(
    rights.parse(f"{verb} {kind}")
    for kind in ("coordination.k8s.io/leases", "configmaps", "secrets")
    for verb in ("create", "update")
)
Say = Callable[[str], None]
T = TypeVar("T")


class Asked(Struct, frozen=True):
    """What the person wants of this run, beyond the bill."""

    only: tuple[str, ...] = ()
    back: bool = False
    abandon: str = ""  # a version that was begun, and is given up
    fail_fast: bool = False
    workers: int | None = None
    timeout: float | None = None
    heal_by_uninstall: bool = False
    rerun: tuple[str, ...] = ()  # jobs that run once, and shall again
    taken_as_done: tuple[str, ...] = ()  # and those of which the person knows that they ran
    dry_run: bool = False


class Deploy:
    """`look`, then `refusals`: nothing is written before there are none. `run` does the rest and tells how it went."""

    def __init__(
        self,
        bill: Bill,
        registry: Registry,
        asked: Asked,
        *,
        access: Access,
        kube: Kube,
        helm: Helm,
        known: Sequence[Step] = (),
    ) -> None:
        self.bill = bill
        self.registry = registry
        self.asked = asked
        self.selection = Selection.of(bill, registry, asked.only)
        self.operation = uuid.uuid4().hex[:12]
        self._access = access
        self._kube = kube
        self._helm = helm
        self._known = known
        self._ours = holder.ourselves(
            self.operation, f"{bill.product} {bill.version}", helm_group=helm.group()
        )
        self.cancellation = Cancellation()

    async def look(self) -> Outlook:
        """Reads the cluster, and nothing else."""
        return await look(self._kube, self.bill, self.selection, self._helm.environment)

    def refusals(self, outlook: Outlook) -> list[UserError]:
        """All that keeps it from beginning."""
        found = []
        try:
            self.hop(outlook.record)
        except UserError as error:
            found.append(error)
        found += self.lasting_refusals(outlook)
        foreign = of_another_product(self.bill.product, outlook.releases.values())
        interrupted = healing.refusal(self._interrupted(outlook.record, outlook))
        return found + [one for one in (foreign, interrupted) if one is not None]

    def lasting_refusals(self, outlook: Outlook) -> list[UserError]:
        """Return those that no earlier deploy of the product removes: of jobs and rights."""
        settled = [self.registry.named(name) for name in (*self.asked.rerun, *self.asked.taken_as_done)]
        return refusals(self.bill, self.registry, self.selection.jobs, outlook, settled)

    async def foreseen(self, outlook: Outlook) -> list[UserError]:
        """All that would keep it from beginning now: for a plan, which waits for nobody."""
        at_work = await held_by(self._kube, self.bill.default_namespace, self.bill.product)
        if at_work is None or holder.state(at_work) == "dead":
            missing = await rights.missing(self._kube, OWN_RIGHTS, self.bill.default_namespace)
            lacking = without_rights(missing, self.bill.default_namespace)
            return self.refusals(outlook) + ([lacking] if lacking else [])
        # What that one has begun and not ended is nothing to give advice on.
        then = "plan again when it has ended"
        return [UserError(f"another deploy of {self.bill.product} is at work", where=str(at_work), then=then)]

    async def refuse(self, outlook: Outlook, say: Say) -> Outlook:
        """Raises what keeps it from beginning, or gives what is known by then.

        What another deploy has begun and not ended looks like something that was left behind. So if there is one, it is
        waited for until it is known to be dead, and looked again; if it is at work, that is the refusal."""
        found = self.refusals(outlook)
        if found and await self._is_held():
            async with AsyncExitStack() as stack:
                await self._begin(stack, say)
                outlook = await self.look()
            found = self.refusals(outlook)
        if found:
            raise found[0]
        return outlook

    async def _is_held(self) -> bool:
        """Whether another one is, or was when it died, at work."""
        return await held_by(self._kube, self.bill.default_namespace, self.bill.product) is not None

    async def run(self, outlook: Outlook, definitions: Definitions, tell: Tell, say: Say) -> Result:
        if self.asked.dry_run:
            hop = self.hop(outlook.record)
            outlook = replace(outlook, record=self._begun(outlook.record, hop))
            work = Work(self._ground(outlook, definitions, hop), None, self.cancellation, tell)
            return await self._stages(work, tell)
        began = time.monotonic()
        async with AsyncExitStack() as stack:
            ready = await self._unless_forced(self.cancellation.bound(self._ready(stack, outlook, say)))
            if ready is None:
                return Result("cancelled", self.cancellation.reason, time.monotonic() - began)
            writer, outlook = ready
            hop = self.hop(outlook.record)
            # Not left to helm: that fails where one may not create a namespace, also if it is there.
            for namespace in dict.fromkeys(one.namespace for one in self.selection.everything):
                await record.ensure_namespace(self._kube, namespace)
            await writer.change(lambda known: self._begun(known, hop))
            entry = self._entry(writer, hop)
            await history.close_killed(
                self._kube, self.bill.default_namespace, self.bill.product, entry.number
            )
            await history.save(self._kube, self.bill.default_namespace, entry)
            work = Work(self._ground(outlook, definitions, hop), writer, self.cancellation, tell)
            result = await self._stages(work, tell)
            result = replace(result, missing=self._missing(writer.record, hop, result))
            await self.cancellation.in_a_hurry(lambda: self._end(writer, entry, hop, result, say))
            return result

    async def run_alone(self, job: Job, tell: Tell, say: Say) -> Outcome:
        """This job and nothing else, with whatever version is there."""
        outlook = await self.look()
        settled = [self.registry.named(name) for name in self.asked.rerun]
        found = refusals(self.bill, self.registry, [job], outlook, settled)
        component = next((one for one in self.bill.everything if one.name == job.component), None)
        stage = _stage_of(job, component)
        async with AsyncExitStack() as stack:
            # Who is at work is the better refusal: what that one has begun is not left behind.
            is_ours = not self.asked.dry_run and (not found or await self._is_held())
            writer = await self._begin(stack, say) if is_ours else None
            if found:
                raise found[0]
            if self.asked.rerun:
                outlook = replace(outlook, record=self._forgotten(outlook.record))
                if writer is not None:
                    await writer.change(self._forgotten)
            hop = Hop(outlook.record.installed, str(self.bill.version), "same")
            work = Work(self._ground(outlook, Definitions(), hop), writer, self.cancellation, tell)
            return await work.job(job, component, stage)

    async def _ready(self, stack: AsyncExitStack, outlook: Outlook, say: Say) -> tuple[Writer, Outlook]:
        """Nobody else changes anything from here on: what was seen before is looked at again, and healed."""
        writer = await self._begin(stack, say)
        outlook = await self._seen_again(writer, outlook)
        if found := self.refusals(outlook):
            raise found[0]
        if await self._heal(writer, outlook, say):
            outlook = await self._seen_again(writer, outlook)
        return writer, outlook

    async def _seen_again(self, writer: Writer, outlook: Outlook) -> Outlook:
        present = await releases_of(self._kube, self.selection.everything, self._helm.environment)
        return replace(outlook, record=writer.record, releases=present)

    async def _begin(self, stack: AsyncExitStack, say: Say) -> Writer:
        """From here on this is the one deploy of the product."""
        namespace, product = self.bill.default_namespace, self.bill.product
        await record.ensure_namespace(self._kube, namespace)
        lease = await Lease.acquire(
            self._kube, namespace, product, self._ours, on_lost=self.cancellation.cancel, waiting=say
        )
        stack.push_async_callback(self.cancellation.in_a_hurry, lease.release)
        return await Writer.open(self._kube, namespace, product, self._ours.identity)

    def hop(self, known: Record) -> Hop:
        return path.decide(
            known, self.bill, back=self.asked.back, abandon=self.asked.abandon, known=self._known
        )

    async def _heal(self, writer: Writer, outlook: Outlook, say: Say) -> bool:
        """Whether there was something to heal. Whoever was interrupted before us is dead now: we hold the Lease."""
        found = self._interrupted(writer.record, outlook)
        by_release = {(one.namespace, one.release): one for one in self.selection.everything}
        for one in found:
            component = by_release[one.release.namespace, one.release.name]
            await healing.heal(
                self._kube,
                self._helm,
                writer,
                one,
                seconds=component.timeout,
                history_max=component.history_max,
                tell=say,
            )
        return bool(found)

    def _interrupted(self, known: Record, outlook: Outlook) -> list[healing.Healing]:
        decided = (
            healing.decide(known, release, uninstall=self.asked.heal_by_uninstall)
            for release in outlook.releases.values()
        )
        return [one for one in decided if one is not None]

    def _begun(self, known: Record, hop: Hop) -> Record:
        known = self._forgotten(known)
        for name in self.asked.taken_as_done:
            known = known.once_is(self.registry.named(name).identity, "done", str(self.bill.version), _now())
        # What is complete stays done while the same version is deployed again; another version begins with nothing.
        is_new = hop.kind in ("first", "upgrade", "back")
        target = known.target if hop.kind == "back" else str(self.bill.version)
        done = () if is_new else known.done
        # An installed version without them was written down by an earlier version of Watchbill.
        complete = known.complete or (self.bill.names if known.installed else ())
        known = replace(
            known,
            target=target,
            done=done,
            complete=complete,
            profile=self.bill.profile,
            environment=self.bill.environment,
        )
        return known.begun(self.operation)

    def _forgotten(self, known: Record) -> Record:
        """Without the runs of jobs that shall run again."""
        for name in self.asked.rerun:
            known = known.once_is(self.registry.named(name).identity, "", str(self.bill.version), _now())
        return known

    def _ground(self, outlook: Outlook, definitions: Definitions, hop: Hop) -> Ground:
        return Ground(
            self.bill,
            hop,
            self._access,
            self._kube,
            self._helm,
            self.operation,
            outlook.revisions,
            outlook.present,
            definitions,
            outlook.record,
            self.asked.dry_run,
        )

    async def _stages(self, work: Work, tell: Tell) -> Result:
        began = time.monotonic()
        stages = Stages(
            self.selection.prerequisites,
            self.selection.components,
            self.registry,
            work,
            tell,
            workers=self.asked.workers or self.bill.workers,
            fail_fast=self.asked.fail_fast,
        )
        tell(event(STARTED, text=f"{self.bill.product} {self.bill.version}"))
        with self._deadline() as is_over:
            status = await self._waited(stages)
        reason = self.cancellation.reason
        if reason and status not in GOOD:
            status = "timed-out" if is_over() else "cancelled"
        result = Result(
            status,
            reason,
            time.monotonic() - began,
            tuple(stages.stages),
            tuple(sorted(stages.components, key=lambda one: self.bill.names.index(one.name))),
            tuple(stages.jobs),
        )
        tell(event(status, text=reason, seconds=result.seconds))
        return result

    async def _waited(self, stages: Stages) -> Status:
        """To its end, or to the moment when nobody waits any longer."""
        status = await self._unless_forced(stages.run())
        if status is None:
            stages.cut_off("it was stopped by force")
        return status or "cancelled"

    async def _unless_forced(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What it gives; None, and no helm is left, when nobody waits any longer."""
        given = await self.cancellation.unless_forced(work)
        if given is None and self.cancellation.is_forced:
            with suppress(ProcessLookupError):
                os.killpg(self._helm.group(), signal.SIGKILL)
        return given

    @contextmanager
    def _deadline(self) -> Iterator[Callable[[], bool]]:
        """The deploy is cancelled when its time is over."""
        seconds = self.asked.timeout if self.asked.timeout is not None else self.bill.timeout
        if seconds is None:
            yield lambda: False
            return
        reason = f"the deploy took longer than {durations.told(seconds)}"
        timer = asyncio.get_running_loop().call_later(seconds, self.cancellation.cancel, reason)
        yield lambda: self.cancellation.reason == reason
        timer.cancel()

    def _entry(self, writer: Writer, hop: Hop) -> history.Deploy:
        return history.Deploy(
            number=writer.record.deploys,
            operation=self.operation,
            product=self.bill.product,
            version=str(self.bill.version),
            from_version=hop.from_,
            profile=self.bill.profile,
            environment=self.bill.environment,
            started=_now(),
            status="running",
            who=f"{self._ours.user}@{self._ours.host}",
        )

    async def _end(self, writer: Writer, entry: history.Deploy, hop: Hop, result: Result, say: Say) -> None:
        """What cannot be written is said: the deploy itself is over, and was what it was."""
        namespace = self.bill.default_namespace
        try:
            await history.save(self._kube, namespace, entries.told(entry, result))
            await history.prune(self._kube, namespace, self.bill.product)
            await writer.change(lambda known: self._ended(known, hop, result))
        except UserError as error:
            say(f"this deploy could not be recorded to its end: {error}")

    def _ended(self, known: Record, hop: Hop, result: Result) -> Record:
        if not result.is_good or self._missing(known, hop, result):
            return known
        return replace(known, installed=str(self.bill.version), target="", done=())

    def _missing(self, known: Record, hop: Hop, result: Result) -> tuple[str, ...]:
        """Components that keep the version from being complete: they reached it neither in this deploy nor in earlier ones."""
        reached = {one.name for one in self.selection.everything if hop.kind == "back"} | set(known.done)
        return tuple(name for name in self.bill.names if name not in reached) if result.is_good else ()


def _stage_of(job: Job, component: Component | None) -> Stage:
    if component is None:
        return "global-pre" if job.moment == "pre" else "global-post"
    return "prerequisites" if component.is_prerequisite else "components"


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
