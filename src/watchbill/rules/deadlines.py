"""Whether a Job ends by itself before Helm gives up waiting for it."""

from watchbill.lifecycle.objects import Body, at

HELM_WAITS = 300  # seconds, unless told otherwise
DEFAULT_BACKOFF = 6


def ends_in_time(body: Body) -> bool:
    seconds = deadline(body)
    return seconds is not None and seconds <= HELM_WAITS


def deadline(body: Body) -> int | None:
    """The Job's own, or its pods' together: each attempt has the whole of a pod's deadline."""
    own = at(body.object, "spec", "activeDeadlineSeconds")
    pod = at(body.object, "spec", "template", "spec", "activeDeadlineSeconds")
    tries = at(body.object, "spec", "backoffLimit")
    attempts = 1 + (tries if isinstance(tries, int) else DEFAULT_BACKOFF)
    given = [own] if isinstance(own, int) else []
    if isinstance(pod, int):
        given.append(pod * attempts)
    return min(given, default=None)
