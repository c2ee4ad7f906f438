"""What happens in a deploy, as it happens: the live view, plain lines, JSON lines and the history are all made of these."""

import datetime as dt
from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from watchbill.jobs import outcomes

# Those of the job manager that this one follows: whoever listened to it can listen to us.
Kind = Literal[
    "ProcessStart",  # the deploy, or a stage, begins
    "ProcessRunning",  # something in it begins, says something, or ends well
    "ProcessFinished",  # a stage, or the deploy, ended well
    "ProcessExecutionFailure",
    "ProcessTimeoutFailure",
    "ProcessForceQuitFailure",
]
Stage = Literal["crds", "global-pre", "prerequisites", "components", "global-post"]
STAGES: tuple[Stage, ...] = ("crds", "global-pre", "prerequisites", "components", "global-post")
Status = (
    outcomes.Status | Literal["not-started"]
)  # of what was begun, and of what something else kept from it
GOOD = outcomes.GOOD
STARTED = "started"
WORKING = "working"  # it says something


class Event(Struct, frozen=True, omit_defaults=True):
    event: Kind
    time: str  # UTC
    status: str
    stage: Stage | None = None  # none: the whole deploy
    component: str | None = None
    step: str | None = None  # `chart`, or a job by its name
    text: str = ""  # a line it says, or how it ended
    seconds: float | None = None  # that it took


Tell = Callable[[Event], None]


def event(
    status: str,
    *,
    stage: Stage | None = None,
    component: str | None = None,
    step: str | None = None,
    text: str = "",
    seconds: float | None = None,
) -> Event:
    """Of this moment. Which of the six kinds it is follows from the rest."""
    whole = component is None and step is None
    now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
    took = None if seconds is None else round(seconds, 3)
    return Event(_kind(status, whole), now, status, stage, component, step, text, took)


def _kind(status: str, whole: bool) -> Kind:
    match status:
        case "timed-out":
            return "ProcessTimeoutFailure"
        case "abandoned":
            return "ProcessForceQuitFailure"
        case "started" if whole:
            return "ProcessStart"
        case "done" | "skipped" if whole:
            return "ProcessFinished"
        case "started" | "working" | "done" | "skipped":
            return "ProcessRunning"
        case _:
            return "ProcessExecutionFailure"
