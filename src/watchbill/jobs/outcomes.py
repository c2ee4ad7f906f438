"""How a job ends: what it may raise to say so, and what is kept of it."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from watchbill.jobs.moments import Moment


class Skip(Exception):  # noqa: N818  (not an error: there is nothing to do)
    """There is nothing to do. Not a failure."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = str(reason)


class Abort(Exception):  # noqa: N818  (an order, not an error)
    """The whole deploy must stop, in order: what runs is finished, nothing new is begun."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = str(reason)


class Manual(Exception):  # noqa: N818  (a person must act)
    """The cluster does not let a program do it. The component stops, and the person gets the steps."""

    def __init__(self, reason: str, guide: str) -> None:
        super().__init__(reason)
        self.reason = str(reason)
        self.guide = str(guide)


Status = Literal[
    "done",
    "skipped",
    "failed",
    "aborted",
    "manual",
    "cancelled",
    "timed-out",
    "abandoned",  # it was told to stop, and did not: it may still be at work
]
GOOD: frozenset[Status] = frozenset({"done", "skipped"})


class Outcome(Struct, frozen=True):
    identity: str
    component: str | None
    moment: Moment
    status: Status
    started: datetime  # in UTC
    seconds: float
    reason: str = ""  # one line
    guide: str = ""
    log: tuple[str, ...] = ()  # the last lines

    @property
    def is_good(self) -> bool:
        return self.status in GOOD
