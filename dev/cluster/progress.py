"""One line per step, with the time since the command began, so that a long start never looks stuck."""

import sys
import time
from collections.abc import Callable

_BEGAN = time.monotonic()


def say(message: str) -> None:
    print(f"{time.monotonic() - _BEGAN:7.1f}s  {message}", file=sys.stderr, flush=True)


def wait_until(ready: Callable[[], bool], seconds: float, every: float = 0.05) -> bool:
    """Poll `ready`; False when the time is over."""
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True
