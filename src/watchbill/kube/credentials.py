"""Who we are to the API server: what a user of a kubeconfig says, read anew when it may have changed."""

import base64
import os

from msgspec import Struct

from watchbill.kube.errors import KubeError
from watchbill.kube.kubeconfig import User


class Held(Struct, frozen=True):
    """What is shown to the server now."""

    authorization: str = ""
    certificate: bytes = b""
    key: bytes = b""

    def __repr__(self) -> str:
        return "Held(...)"


class Credentials:
    """`ready` never blocks, `obtain` may: a plugin runs there. Both may be asked by several threads at once."""

    def ready(self) -> Held | None:
        """None: ask `obtain`."""
        return Held()

    def obtain(self) -> Held:
        return self.ready() or Held()

    def refused(self, _held: Held) -> None:
        """The server answered 401 to this: the next ones should be others, if there are any."""

    def stop(self) -> None:
        """Nobody waits for `obtain` any more."""


class Written(Credentials):
    """All but plugins: what stands in the kubeconfig and in the files it names. Those are read each time: tokens and
    certificates are renewed by replacing them."""

    def __init__(self, user: User) -> None:
        self._user = user
        self._token = user.token
        self._pair = (user.certificate, user.key)
        self._seen: tuple[tuple[int, int, int], ...] = ()

    def ready(self) -> Held:
        return Held(self._authorization(), *self._certificates())

    def _authorization(self) -> str:
        user = self._user
        if user.token_file:
            try:
                with open(user.token_file, encoding="utf-8") as file:
                    self._token = file.read().strip() or self._token
            except (OSError, UnicodeDecodeError) as error:
                # While a token is replaced, the last one is still good.
                if not self._token:
                    raise _unreadable("the token file", user.token_file, user, error) from error
        if self._token:
            return f"Bearer {self._token}"
        if user.username or user.password:
            pair = f"{user.username}:{user.password}".encode()
            return f"Basic {base64.b64encode(pair).decode()}"
        return ""

    def _certificates(self) -> tuple[bytes, bytes]:
        """Data wins over files."""
        user = self._user
        files = [
            file
            for file, data in ((user.certificate_file, user.certificate), (user.key_file, user.key))
            if file and not data
        ]
        if not files or not (user.certificate or user.certificate_file):
            return self._pair if user.certificate else (b"", b"")
        try:
            seen = tuple((found.st_mtime_ns, found.st_size, found.st_ino) for found in map(os.stat, files))
            if seen != self._seen:
                self._pair = (
                    user.certificate or _content(user.certificate_file),
                    user.key or _content(user.key_file),
                )
                self._seen = seen
        except OSError as error:
            if not self._seen:
                raise _unreadable("the client certificate", str(error.filename), user, error) from error
        return self._pair


def of(user: User, cluster_info: object = None) -> Credentials:
    """Raises KubeError for what cannot be: `cluster_info` is what a plugin is told of the cluster."""
    if user.auth_provider:
        raise KubeError(
            f"user {user.name!r} has an auth-provider ({user.auth_provider}), which no kubectl since 1.26 knows",
            where=user.file or None,
            then="create the kubeconfig again with your cloud's tool, which adds an exec plugin",
        )
    if user.token and (user.username or user.password):
        raise KubeError(
            f"user {user.name!r} has a token and a password: only one is allowed", where=user.file or None
        )
    has_certificate = bool(user.certificate or user.certificate_file)
    if has_certificate and not (user.key or user.key_file):
        raise KubeError(
            f"user {user.name!r} has a client certificate without its key",
            where=user.file or None,
            then="add client-key or client-key-data",
        )
    if (user.impersonate_uid or user.impersonate_groups or user.impersonate_extra) and not user.impersonate:
        raise KubeError(
            f"user {user.name!r} has as-uid, as-groups or as-user-extra without as", where=user.file or None
        )
    written = has_certificate or user.token or user.token_file or user.username or user.password
    if user.plugin is not None and not written:
        from watchbill.kube.plugins import Asked

        return Asked(user, cluster_info)
    return Written(user)


def _content(file: str) -> bytes:
    with open(file, "rb") as stream:
        return stream.read()


def _unreadable(what: str, file: str, user: User, error: Exception) -> KubeError:
    why = getattr(error, "strerror", None) or type(error).__name__
    where = f"user {user.name!r} of {user.file}" if user.file else None
    return KubeError(f"cannot read {what} {file}: {why}", where=where, reason="Credentials")
