"""What a job gets: the cluster, what is deployed where, a log, and the wish that it stop."""

import logging
import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

from watchbill.jobs.cancelled import Cancelled, SyncCancelled

if TYPE_CHECKING:
    from watchbill.kube.client import Kube, SyncKube  # noqa: F401  (named in quotes below)

Client = TypeVar("Client")
Wish = TypeVar("Wish", Cancelled, SyncCancelled)
Progress = Callable[[str, float | None], None]


class Bill(Struct, frozen=True):
    """The bill that is deployed."""

    product: str
    version: str
    file: str = "bill.yaml"
    profile: str | None = None
    environment: str | None = None


class _Context(Generic[Client, Wish]):
    """What both kinds share. Who tests a job makes one, with what matters for the test."""

    def __init__(
        self,
        kube: Client | None = None,
        *,
        connect: Callable[[], Client] | None = None,
        component: str | None = None,
        namespace: str = "default",
        installed: str | None = None,
        target: str = "1.0.0",
        is_new: bool = True,
        dry_run: bool = False,
        bill: Bill | None = None,
    ) -> None:
        self.component = component  # None for a global job
        self.namespace = namespace
        self.installed = installed  # the product's version in the cluster, None if it has none
        self.target = target  # the version that is deployed
        self.is_new = is_new  # the component (of a global job: the product) is not there yet
        self.dry_run = dry_run  # kube writes nothing then; what else you do must look at this
        self.bill = bill or Bill("product", target)
        self.cancelled: Wish = self._wish()
        self.log = logging.getLogger("watchbill.jobs")
        self.grace = 30.0  # the seconds it has to end when it is told to stop
        self.obstacle = ""
        self._kube = kube
        self._connect = connect
        self._connecting = threading.Lock()
        self._progress: Progress = _unheard

    def _wish(self) -> Wish:
        raise NotImplementedError

    @property
    def is_upgrade(self) -> bool:
        return not self.is_new

    @property
    def kube(self) -> Client:
        """The cluster; connected when first asked for, by the thread and in the event loop of the job."""
        with self._connecting:
            if self._kube is None:
                if self._connect is None:
                    raise RuntimeError("this context has no cluster: it was made without kube=")
                self._kube = self._connect()
            return self._kube

    def progress(self, what: str | float, fraction: float | None = None) -> None:
        """What is going on, how much of it is done (from 0 to 1), or both: progress("copying", 0.4)."""
        text, done = (what, fraction) if isinstance(what, str) else ("", what)
        self._progress(text, None if done is None or math.isnan(done) else min(max(done, 0.0), 1.0))

    def held_up(self, why: str) -> None:
        """Why the job cannot go on just now; empty when it can. Told as progress and, if the time runs out, as the
        reason of that."""
        if why and why != self.obstacle:
            self.progress(why)
        self.obstacle = why

    def attach(self, log: logging.Logger, progress: Progress, grace: float) -> None:
        """Where what the job says goes, and what time it has. For who runs it."""
        self.log = log
        self._progress = progress
        self.grace = grace

    @property
    def connected(self) -> Client | None:
        """What must be closed when the job has ended. For who runs it."""
        return self._kube if self._connect else None


class Context(_Context["Kube", Cancelled]):
    """For `async def` functions."""

    def _wish(self) -> Cancelled:
        return Cancelled()


class SyncContext(_Context["SyncKube", SyncCancelled]):
    """For plain functions, which run in a thread. Nobody can stop a thread from outside: look at `cancelled`."""

    def _wish(self) -> SyncCancelled:
        return SyncCancelled()


def _unheard(_text: str, _fraction: float | None) -> None:
    """Nobody listens in a test of the job alone."""
