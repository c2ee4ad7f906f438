"""What is told of a job while it runs. Always in the event loop of who runs it, in the order it happened."""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from watchbill.jobs.outcomes import Outcome

TRACE = "TRACE"  # the level of a traceback: for who looks into the log, not for who deploys


class Started(Struct, frozen=True):
    identity: str
    at: datetime


class Logged(Struct, frozen=True):
    identity: str
    at: datetime
    level: str  # as logging names it, or TRACE
    text: str  # one line

    def __str__(self) -> str:
        level = "" if self.level == "INFO" else f"{self.level} "
        return f"{self.at:%H:%M:%S} {level}{self.text}"


def is_trace(line: str) -> bool:
    """Whether a line of a log, as it is kept, belongs to a traceback."""
    return line.partition(" ")[2].startswith(f"{TRACE} ")


class Progressed(Struct, frozen=True):
    identity: str
    text: str
    fraction: float | None  # from 0 to 1


class Ended(Struct, frozen=True):
    outcome: Outcome


Event = Started | Logged | Progressed | Ended
Tell = Callable[[Event], None]
