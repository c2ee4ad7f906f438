"""Whether a Job ends by itself before Helm gives up waiting for it."""

from watchbill.lifecycle.attempts import ending
from watchbill.lifecycle.objects import Body


def ends_in_time(body: Body, timeout: float) -> bool:
    seconds = deadline(body)
    return seconds is not None and seconds <= timeout


def deadline(body: Body) -> int | None:
    """When the last attempt has ended: by its pod's deadline and what that takes, or by the Job's own for all of them."""
    ended = ending(body)
    return None if ended is None else ended.after
