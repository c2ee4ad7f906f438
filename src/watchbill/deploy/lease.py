"""One deploy of a product at a time: a Lease in the cluster, renewed while we work.

Clocks of two machines are never compared. Who finds the Lease held watches it: when it is renewed, somebody is at work; when it
is not for as long as it is said to last, nobody is. A holder that died on this very machine is not waited for.

A holder who cannot reach the API server does not give up at once: nobody else can reach it then either, in all
likelihood, and who begins to watch does so anew after each failed look. As soon as it answers again, either
the Lease is renewed or another holder is seen, and then everything here stops.
"""

import asyncio
import contextlib
import datetime as dt
import time
from collections.abc import Callable

import msgspec
from lightkube.models.coordination_v1 import LeaseSpec
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.coordination_v1 import Lease as LeaseObject

from watchbill.deploy import holder
from watchbill.deploy.holder import Holder
from watchbill.deploy.patience import may_pass, patiently
from watchbill.deploy.record import MANAGED, PRODUCT_LABEL, object_name
from watchbill.errors import UserError
from watchbill.kube.client import Kube
from watchbill.kube.errors import KubeError

DURATION = 15
RENEWED_EVERY = 5.0
_LONGEST_WATCH = 60.0  # whatever a Lease says of itself
_OUT_OF_REACH = 60.0  # for so long the API server may be gone
_LOOK_EVERY = 0.5
_HOLDER = "watchbill.dev/holder"

OnLost = Callable[[str], None]


class Lease:
    """Held from `acquire` to `release`."""

    def __init__(self, kube: Kube, namespace: str, product: str, ours: Holder, on_lost: OnLost) -> None:
        self._kube = kube
        self._namespace = namespace
        self._product = product
        self._ours = ours
        self._on_lost = on_lost
        self._stored: LeaseObject | None = None
        self._renewing: asyncio.Task[None] | None = None

    @classmethod
    async def acquire(
        cls,
        kube: Kube,
        namespace: str,
        product: str,
        ours: Holder,
        *,
        on_lost: OnLost,
        waiting: Callable[[str], None] | None = None,
    ) -> "Lease":
        """A UserError that names the holder if somebody is at work. `waiting` is told why it takes a while.

        `on_lost` is called once, with the reason, when somebody else has it or it could not be renewed.
        """
        lease = cls(kube, namespace, product, ours, on_lost)
        await lease._take(waiting or (lambda _why: None))
        lease._renewing = asyncio.ensure_future(lease._renew())
        return lease

    @property
    def holder(self) -> Holder:
        return self._ours

    async def release(self) -> None:
        """The next one need not wait. Nothing is raised: an expired Lease is as good."""
        if self._renewing is not None:
            self._renewing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._renewing
        if self._stored is None:
            return
        with contextlib.suppress(KubeError):
            await patiently(lambda: self._write(None), seconds=5)
        self._stored = None

    async def _take(self, waiting: Callable[[str], None]) -> None:
        while True:
            found = await _get(self._kube, self._namespace, self._product)
            # Ours already: a write was done whose answer did not come.
            if (
                found is None
                or _identity(found) in ("", self._ours.identity)
                or await self._is_over(found, waiting)
            ):
                self._stored = found
                try:
                    self._stored = await patiently(lambda: self._write(self._ours))
                except KubeError as error:
                    if not error.is_conflict and not (error.is_missing and found is not None):
                        raise
                else:
                    return

    async def _is_over(self, found: LeaseObject, waiting: Callable[[str], None]) -> bool:
        """Whether its holder is gone. False: it has changed hands meanwhile. A holder at work is an error."""
        theirs = _holder(found)
        duration = min(float((found.spec and found.spec.leaseDurationSeconds) or DURATION), _LONGEST_WATCH)
        since, told = time.monotonic(), False
        while time.monotonic() - since < duration:
            seen = holder.state(theirs) if theirs else "unknown"
            if seen == "dead":
                return True
            if seen == "alive":
                raise self._refusal(found)
            if not told:
                waiting(f"waits whether this deploy is still at work: {theirs or _identity(found)}")
                told = True
            await asyncio.sleep(_LOOK_EVERY)
            try:
                now = await self._kube.get(LeaseObject, object_name(self._product), namespace=self._namespace)
            except KubeError as error:
                if error.is_missing:
                    return False
                if not may_pass(error):
                    raise
                now = await _get(self._kube, self._namespace, self._product) or found
                since = time.monotonic()  # while the server was away nobody could renew
            if _identity(now) != _identity(found):
                return False
            if _renewal(now) != _renewal(found):
                raise self._refusal(now)
        return True

    def _refusal(self, found: LeaseObject) -> UserError:
        theirs = _holder(found)
        return UserError(
            f"another deploy of {self._product} is at work",
            where=str(theirs) if theirs else f"its Lease is held by {_identity(found)}",
            then="wait until it has ended, or cancel it where it runs (Ctrl-C)",
        )

    async def _renew(self) -> None:
        last, pause = time.monotonic(), RENEWED_EVERY
        while True:
            await asyncio.sleep(pause)
            try:
                async with asyncio.timeout(RENEWED_EVERY):
                    self._stored = await self._write(self._ours)
                last, pause = time.monotonic(), RENEWED_EVERY
            except (KubeError, TimeoutError) as error:
                if why := await self._why_lost(error, time.monotonic() - last):
                    self._stored = None  # not ours to release
                    self._on_lost(why)
                    return
                pause = 1.0

    async def _why_lost(self, error: KubeError | TimeoutError, seconds: float) -> str:
        """Empty: it is not lost, or not yet known to be."""
        if isinstance(error, KubeError) and (error.is_conflict or error.is_missing):
            try:
                async with asyncio.timeout(RENEWED_EVERY):
                    now = await self._kube.get(
                        LeaseObject, object_name(self._product), namespace=self._namespace
                    )
            except (KubeError, TimeoutError) as second:
                if isinstance(second, KubeError) and second.is_missing:
                    return f"the Lease of {self._product} was deleted"
                error = second
            else:
                if _identity(now) == self._ours.identity:
                    self._stored = now  # somebody labelled it, or an answer was lost
                    return ""
                theirs = _holder(now)
                return f"another deploy has taken over: {theirs or _identity(now) or 'its Lease was emptied'}"
        if seconds < _OUT_OF_REACH:
            return ""
        why = error.what if isinstance(error, KubeError) else "no answer"
        return f"the Lease could not be renewed for {seconds:.0f} s: {why}"

    async def _write(self, who: Holder | None) -> LeaseObject:
        now = _now()
        stored = self._stored
        before = stored.spec if stored is not None and stored.spec else LeaseSpec()
        changed = (before.holderIdentity or "") != (who.identity if who else "")
        spec = LeaseSpec(
            holderIdentity=who.identity if who else "",
            leaseDurationSeconds=DURATION,
            acquireTime=now if changed else before.acquireTime,
            renewTime=now,
            leaseTransitions=(before.leaseTransitions or 0) + (1 if changed and who else 0),
        )
        if stored is None or stored.metadata is None:
            assert who
            labels = {**MANAGED, PRODUCT_LABEL: self._product}
            about = ObjectMeta(name=object_name(self._product), namespace=self._namespace, labels=labels)
            about.annotations = {_HOLDER: msgspec.json.encode(who).decode()}
            return await self._kube.create(LeaseObject(metadata=about, spec=spec))
        about = stored.metadata
        about.annotations = {key: value for key, value in (about.annotations or {}).items() if key != _HOLDER}
        if who:
            about.annotations[_HOLDER] = msgspec.json.encode(who).decode()
        return await self._kube.replace(LeaseObject(metadata=about, spec=spec))


async def held_by(kube: Kube, namespace: str, product: str) -> Holder | None:
    """Who is, or was last, at work: for those who only look. None: the Lease is free."""
    found = await _get(kube, namespace, product)
    return None if found is None or not _identity(found) else _holder(found)


async def _get(kube: Kube, namespace: str, product: str) -> LeaseObject | None:
    try:
        return await patiently(lambda: kube.get(LeaseObject, object_name(product), namespace=namespace))
    except KubeError as error:
        if error.is_missing:
            return None
        raise


def _now() -> dt.datetime:
    """With a fraction always: the API server does not read a MicroTime without one."""
    now = dt.datetime.now(dt.UTC)
    return now.replace(microsecond=now.microsecond or 1)


def _identity(lease: LeaseObject) -> str:
    return (lease.spec and lease.spec.holderIdentity) or ""


def _renewal(lease: LeaseObject) -> object:
    return (lease.spec and lease.spec.renewTime, lease.spec and lease.spec.leaseTransitions)


def _holder(lease: LeaseObject) -> Holder | None:
    found = holder.read(((lease.metadata and lease.metadata.annotations) or {}).get(_HOLDER, ""))
    return found if found is not None and found.identity == _identity(lease) else None
