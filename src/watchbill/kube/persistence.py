"""When a request is sent again by itself: it never arrived at a server that was there before, or the server says when to come back."""

import time

import httpx2

from watchbill.kube.errors import KubeError

_MOST = 10


class Persistence:
    """`patience`: for how many seconds a server that has answered before may be away (restarted, say)."""

    def __init__(self, patience: float) -> None:
        self.patience = patience
        self.has_answered = False


class Tries:
    """One request and how often it was sent."""

    def __init__(self, persistence: Persistence, request: httpx2.Request) -> None:
        self._persistence = persistence
        self._is_harmless = request.method == "GET" and "Upgrade" not in request.headers
        self._begun = time.monotonic()
        self._count = 0

    def after_failure(self, error: KubeError) -> float | None:
        """Seconds until the next one; None: no more. What may have been done already is not done twice."""
        never_arrived = isinstance(error.__cause__, (httpx2.ConnectError, httpx2.ConnectTimeout))
        away = time.monotonic() - self._begun
        if (
            not (never_arrived or self._is_harmless)
            or not error.is_passing
            or not self._persistence.has_answered
            or away >= self._persistence.patience
        ):
            return None
        self._count += 1
        return float(min(0.1 * 2**self._count, 2.0))

    def after_answer(self, response: httpx2.Response) -> float | None:
        """As kubectl: "too many requests" and the like are obeyed when they name a time."""
        self._persistence.has_answered = True
        wanted = response.headers.get("Retry-After", "")
        is_later = response.status_code == 429 or response.status_code >= 500
        if not is_later or not wanted.isdigit() or self._count >= _MOST:
            return None
        self._count += 1
        return float(min(int(wanted), 30))
