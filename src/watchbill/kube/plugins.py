"""Programs that give credentials (`exec:` in a kubeconfig): asked when needed, once for all who wait, and again when they expire."""

import base64
import os
import shutil
import subprocess
import sys
import threading
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct

from watchbill.kube import tls
from watchbill.kube.access import Access
from watchbill.kube.credentials import Credentials, Held
from watchbill.kube.errors import KubeError
from watchbill.kube.kubeconfig import Plugin, User, exec_extension
from watchbill.kube.scrubbing import scrubbed

GROUP = "client.authentication.k8s.io"
VERSIONS = (f"{GROUP}/v1", f"{GROUP}/v1beta1")
# A person may be logging in with a browser meanwhile; for ever would look like a hang.
PATIENCE = 300.0


class _Status(Struct, rename="camel", frozen=True):
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""
    expiration_timestamp: datetime | None = None


class _Answer(Struct, rename="camel", frozen=True):
    api_version: str = ""
    kind: str = ""
    status: _Status | None = None


# Made here, and not when it is first needed: by then several threads may ask (see decoding.py).
_answers = msgspec.json.Decoder(_Answer)


class Asked(Credentials):
    """One plugin and what it said last."""

    def __init__(self, user: User, cluster: object) -> None:
        assert user.plugin is not None
        _check(user, user.plugin)
        self._user = user
        self._plugin = user.plugin
        self._cluster = cluster if user.plugin.provide_cluster_info else None
        self._held: Held | None = None
        self._until: datetime | None = None
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ready(self) -> Held | None:
        held, until = self._held, self._until
        return held if held is not None and (until is None or datetime.now(UTC) <= until) else None

    def obtain(self) -> Held:
        with self._lock:
            if (held := self.ready()) is not None:
                return held
            status = self._ask()
            self._until = status.expiration_timestamp
            self._held = Held(
                f"Bearer {status.token}" if status.token else "",
                status.client_certificate_data.encode(),
                status.client_key_data.encode(),
            )
            return self._held

    def refused(self, held: Held) -> None:
        with self._lock:
            # Unless somebody else has asked anew already.
            if self._held is held:
                self._held = None

    def stop(self) -> None:
        if (process := self._process) is not None:
            process.kill()

    def _ask(self) -> _Status:
        said = self._run(self._is_interactive())
        try:
            answer = _answers.decode(said)
        except msgspec.MsgspecError as error:
            # Without what it printed: that may be a token.
            raise self._error("does not answer with an ExecCredential in JSON") from error
        if answer.kind != "ExecCredential" or answer.api_version != self._plugin.api_version:
            told = f"answers with {answer.api_version or 'no apiVersion'} {answer.kind}".rstrip()
            raise self._error(f"{told}, but is to answer with {self._plugin.api_version} ExecCredential")
        status = answer.status
        if status is None:
            raise self._error("answers without a status")
        if bool(status.client_certificate_data) != bool(status.client_key_data):
            raise self._error("gives only one of certificate and key")
        if not status.token and not status.client_certificate_data:
            raise self._error("gives neither a token nor a certificate")
        return status

    def _is_interactive(self) -> bool:
        mode = self._plugin.interactive_mode
        has_terminal = sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
        if mode == "Always" and not has_terminal:
            raise self._error("wants a terminal (interactiveMode: Always), and there is none")
        return mode != "Never" and has_terminal

    def _run(self, interactive: bool) -> bytes:
        plugin = self._plugin
        spec: dict[str, Any] = {"interactive": interactive}
        if self._cluster is not None:
            spec["cluster"] = self._cluster
        info = {"kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec}
        environment = {
            **os.environ,
            **dict(plugin.env),
            "KUBERNETES_EXEC_INFO": msgspec.json.encode(info).decode(),
        }
        if shutil.which(plugin.command) is None:
            raise self._error("is not there, or cannot be run", then=scrubbed(plugin.install_hint, ()))
        try:
            process = self._process = subprocess.Popen(
                [plugin.command, *plugin.args],
                env=environment,
                # Who asks a person on the terminal also tells them there what to do.
                stdin=None if interactive else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=None if interactive else subprocess.PIPE,
            )
        except OSError as error:
            raise self._error(
                f"cannot be run: {error.strerror}", then=scrubbed(plugin.install_hint, ())
            ) from error
        try:
            said, complained = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            said, complained = process.communicate()
            raise self._error(f"took more than {PATIENCE:.0f} seconds", said=complained) from None
        finally:
            self._process = None
        if process.returncode:
            raise self._error(f"failed with exit code {process.returncode}", said=complained)
        return said

    def _error(self, what: str, *, said: bytes | None = None, then: str = "") -> KubeError:
        lines = scrubbed((said or b"").decode(errors="replace"), _secrets(self._plugin)).strip().splitlines()
        where = f"user {self._user.name!r} of {self._user.file}"
        return KubeError(
            f"the credential plugin {self._plugin.command} {what}",
            where="\n".join([where, *(f"it said: {line}" for line in lines[-10:])]),
            then=then or None,
            reason="Credentials",
        )


def cluster_info(access: Access) -> object:
    """What a plugin is told of the cluster, if it asks for that."""
    plugin = access.user.plugin
    if plugin is None or not plugin.provide_cluster_info:
        return None
    cluster = access.cluster
    info = {
        "server": access.server,
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure,
        "certificate-authority-data": base64.b64encode(tls.authority(cluster)).decode(),
        "proxy-url": cluster.proxy_url,
        "disable-compression": cluster.disable_compression,
    }
    # The server's address and the extension are always there.
    return {
        "server": info.pop("server"),
        **{key: value for key, value in info.items() if value},
        "config": exec_extension(cluster),
    }


def _check(user: User, plugin: Plugin) -> None:
    place = f"user {user.name!r} of {user.file}"
    if not plugin.command:
        raise KubeError("the credential plugin has no command", where=place, reason="Credentials")
    if plugin.api_version not in VERSIONS:
        told = f"speaks {plugin.api_version}" if plugin.api_version else "has no apiVersion"
        raise KubeError(
            f"the credential plugin {plugin.command} {told}",
            where=place,
            then=f"known are {' and '.join(VERSIONS)}: a newer version of the plugin may speak them",
            reason="Credentials",
        )
    if plugin.interactive_mode not in ("Never", "IfAvailable", "Always"):
        raise KubeError(
            f"interactiveMode of the credential plugin {plugin.command} is {plugin.interactive_mode or 'missing'}",
            where=place,
            then="it is Never, IfAvailable or Always",
            reason="Credentials",
        )
    if any(not name for name, _ in plugin.env):
        raise KubeError(
            f"a variable of the credential plugin {plugin.command} has no name",
            where=place,
            reason="Credentials",
        )


def _secrets(plugin: Plugin) -> tuple[str, ...]:
    """What a plugin was given and must not come back in an error."""
    return tuple(value for _, value in plugin.env) + plugin.args
