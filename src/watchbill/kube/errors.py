"""The one error of everything that talks to a cluster: what happened, where, what to do next. Loads nothing else."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from watchbill.errors import UserError

if TYPE_CHECKING:
    import httpx2

_THEN = {
    401: "the credentials are wrong or have expired: log in again, or name another context (--context)",
    403: "ask for this right, or use another context (--context)",
    429: "the API server has too much to do: try again later",
    503: "the API server is not ready: try again later",
}


class KubeError(UserError):
    """`status` is the HTTP code, 0 if no answer came. `reason` is the API server's word (NotFound, AlreadyExists...) or ours."""

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        then: str | None = None,
        status: int = 0,
        reason: str = "",
    ) -> None:
        super().__init__(what, where=where, then=then)
        self.status = status
        self.reason = reason

    @property
    def is_missing(self) -> bool:
        """There is no such object (or namespace, or kind)."""
        return self.status == 404

    @property
    def is_conflict(self) -> bool:
        """Somebody else changed it meanwhile, made it first (`is_existing`), or owns the field."""
        return self.status == 409

    @property
    def is_existing(self) -> bool:
        """An object of this name is there already."""
        return self.status == 409 and self.reason == "AlreadyExists"

    @property
    def is_forbidden(self) -> bool:
        return self.status == 403

    @property
    def is_unauthorized(self) -> bool:
        return self.status == 401

    @property
    def is_expired(self) -> bool:
        """What a watch or a list went on from is too old: list again."""
        return self.status == 410

    @property
    def is_passing(self) -> bool:
        """No answer, or one that says "later": the same may work in a moment. Whether it was done is not known."""
        return (self.status == 0 and self.reason in ("Unreachable", "Timeout")) or self.status in (
            429,
            502,
            503,
            504,
        )


def told(error: Exception, server: str = "") -> KubeError:
    """Whatever the layers below raise, as ours."""
    import httpx2

    if isinstance(error, KubeError):
        return error
    status = getattr(error, "status", None)
    if status is not None:  # lightkube's ApiError, of a stream that had no answer of its own
        return refused(str(status.message or error), status.code or 0, status.reason or "", server)
    response = getattr(error, "response", None)
    if isinstance(response, httpx2.Response):
        return answered(response, server)
    if isinstance(error, httpx2.TransportError):
        return _unreachable(error, server)
    return KubeError(f"{type(error).__name__}: {error}", where=server or None, reason="Unexpected")


def answered(response: httpx2.Response, server: str = "") -> KubeError:
    """An answer that is no success; its body has been read."""
    status, reason, message = response.status_code, "", ""
    try:
        said = response.json()
    except ValueError:
        said = None
    if isinstance(said, dict):
        reason, message = str(said.get("reason") or ""), str(said.get("message") or "")
    if not message or message == "Unauthorized":
        path = response.request.url.path
        message = (
            f"the API server answers {status} {response.reason_phrase} to {response.request.method} {path}"
        )
    return KubeError(message, where=server or None, then=_THEN.get(status), status=status, reason=reason)


def refused(message: str, code: int, reason: str, server: str = "") -> KubeError:
    """A Status that came inside a stream."""
    return KubeError(message, where=server or None, then=_THEN.get(code), status=code, reason=reason)


def _unreachable(error: httpx2.TransportError, server: str) -> KubeError:
    import httpx2

    why = _cause(error)
    if "CERTIFICATE_VERIFY_FAILED" in why:
        return KubeError(
            f"cannot trust {server}: {_certificate_words(why)}",
            then="see certificate-authority, certificate-authority-data and tls-server-name of this cluster in the kubeconfig",
            reason="Certificate",
        )
    if isinstance(error, httpx2.ProxyError):
        return KubeError(
            f"the proxy refuses {server}: {why}", then="see proxy-url and HTTPS_PROXY", reason="Proxy"
        )
    if isinstance(error, httpx2.TimeoutException):
        kind = "cannot reach" if isinstance(error, httpx2.ConnectTimeout) else "no answer from"
        return KubeError(
            f"{kind} {server}: timed out", then="is it the right cluster, and is it up?", reason="Timeout"
        )
    what = (
        f"cannot reach {server}"
        if isinstance(error, httpx2.ConnectError)
        else f"the connection to {server} broke"
    )
    return KubeError(f"{what}: {why}", then="is it the right cluster, and is it up?", reason="Unreachable")


def _cause(error: BaseException) -> str:
    """The words of the deepest cause: the layers above it say the same with less."""
    import socket
    import ssl

    while (deeper := error.__cause__ or error.__context__) is not None:
        error = deeper.exceptions[0] if isinstance(deeper, BaseExceptionGroup) else deeper
    if isinstance(error, OSError) and error.errno and not isinstance(error, ssl.SSLError):
        # asyncio puts other words into its errors than the system has; names that are not found have no number there.
        words = str(error.strerror) if isinstance(error, socket.gaierror) else os.strerror(error.errno)
        return words[:1].lower() + words[1:]
    return str(error) or type(error).__name__


def _certificate_words(why: str) -> str:
    """Python says [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)."""
    return why.partition("certificate verify failed: ")[2].partition(" (_ssl.c")[0] or why
