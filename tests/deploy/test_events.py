"""Which of the six kinds an event is."""

from typing import get_args

import msgspec
import pytest

from watchbill.deploy.events import GOOD, Kind, event
from watchbill.jobs import outcomes

WHOLE = {
    # of the deploy or of a stage
    "started": "ProcessStart",
    "done": "ProcessFinished",
    "skipped": "ProcessFinished",
    "failed": "ProcessExecutionFailure",
    "aborted": "ProcessExecutionFailure",
    "manual": "ProcessExecutionFailure",
    "cancelled": "ProcessExecutionFailure",
    "not-started": "ProcessExecutionFailure",
    "timed-out": "ProcessTimeoutFailure",
    "abandoned": "ProcessForceQuitFailure",
}
# Something in it that begins, says something, or ends well.
PART = WHOLE | dict.fromkeys(("started", "working", "done", "skipped"), "ProcessRunning")


@pytest.mark.parametrize(
    ("status", "where", "kind"),
    [
        *((status, {}, kind) for status, kind in WHOLE.items()),
        *((status, {"stage": "components"}, kind) for status, kind in WHOLE.items()),
        *((status, {"stage": "components", "component": "web"}, kind) for status, kind in PART.items()),
        *((status, {"stage": "global-pre", "step": "look"}, kind) for status, kind in PART.items()),
    ],
)
def test_the_kind_follows_from_the_rest(status: str, where: dict[str, str], kind: str) -> None:
    made = event(status, **where)  # type: ignore[arg-type]
    assert made.event == kind


def test_every_status_of_a_job_is_known_here() -> None:
    assert {*get_args(outcomes.Status)} <= WHOLE.keys()
    assert {*PART.values(), *WHOLE.values()} == {*get_args(Kind)}
    assert WHOLE.keys() >= GOOD


def test_what_is_not_known_is_left_out() -> None:
    """Machines need not tell an empty text from none."""
    written = msgspec.json.decode(msgspec.json.encode(event("started", stage="crds")))
    assert written.keys() == {"event", "time", "status", "stage"}
    ended = msgspec.json.decode(msgspec.json.encode(event("done", stage="crds", seconds=0.12345)))
    assert ended["seconds"] == 0.123
