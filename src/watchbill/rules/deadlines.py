"""Whether a Job ends by itself before Helm gives up waiting for it."""

from watchbill.lifecycle.objects import Body, at

HELM_WAITS = 300  # seconds, unless told otherwise


def ends_in_time(body: Body) -> bool:
    seconds = deadline(body)
    return seconds is not None and seconds <= HELM_WAITS


def deadline(body: Body) -> int | None:
    """The Job's own, or its pod's."""
    given = (
        at(body.object, *path, "activeDeadlineSeconds") for path in (("spec",), ("spec", "template", "spec"))
    )
    return min((seconds for seconds in given if isinstance(seconds, int)), default=None)
