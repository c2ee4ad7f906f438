"""An API server that restarts is waited for: requests are asked again while no answer, or "later", comes back."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from watchbill.kube.errors import KubeError

T = TypeVar("T")

SECONDS = 60.0
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 3.0


def may_pass(error: KubeError) -> bool:
    """Also 500: that is what an API server says whose storage has just changed its leader."""
    return error.is_passing or error.status >= 500


async def patiently(ask: Callable[[], Awaitable[T]], *, seconds: float = SECONDS) -> T:
    """The answer, or the last error when the time is over. A write may have been done although no answer came."""
    end = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    while True:
        try:
            return await ask()
        except KubeError as error:
            if not may_pass(error) or time.monotonic() + pause > end:
                raise
        await asyncio.sleep(pause * random.uniform(0.7, 1.0))  # noqa: S311 - spreads requests, guards nothing
        pause = min(pause * 2, _LONGEST_PAUSE)
