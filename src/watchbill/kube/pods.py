"""What a Job's pods say while they run, attempt by attempt, and how the Job ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from watchbill.kube.client import Kube


class Line(Struct, frozen=True, kw_only=True):
    """One line of a log, or (container "") a notice of ours: why a pod does not start."""

    pod: str
    text: str
    container: str = ""
    attempt: int = 1
    time: str = ""


class Attempt(Struct, frozen=True, kw_only=True):
    """How one pod ended. `message` is its termination message, or the end of its log if it failed without one."""

    pod: str
    succeeded: bool
    exit_code: int | None = None
    reason: str = ""
    message: str = ""


class Ending(Struct, frozen=True, kw_only=True):
    """How the Job ended: succeeded, or failed (`reason`: BackoffLimitExceeded, DeadlineExceeded...), or it was deleted."""

    succeeded: bool
    is_deleted: bool = False
    reason: str = ""
    message: str = ""
    attempts: tuple[Attempt, ...] = ()

    @property
    def last(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts else None


async def follow(kube: Kube, namespace: str, name: str, tell: Callable[[Line], None]) -> Ending:
    """Until the Job `name` is complete, failed or gone. Bad moments of the connection are lived through (a minute of
    them; then KubeError). Cancel it as you like: nothing is changed in the cluster."""
    raise NotImplementedError
