"""Which cluster, as whom, in which namespace: what kubectl would use, found in the same places."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from urllib.parse import urlsplit

from msgspec import Struct

from watchbill.kube.errors import KubeError
from watchbill.kube.kubeconfig import Cluster, Context, Kubeconfig, User, merged

SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


class Access(Struct, frozen=True, kw_only=True):
    """All that is needed to connect. Its text never shows a secret.

    Without `files` it is that of the pod we run in. For other programs, snapshot.py makes a kubeconfig of it."""

    server: str
    namespace: str
    cluster: Cluster
    user: User
    context: str = ""
    files: tuple[str, ...] = ()

    @property
    def in_cluster(self) -> bool:
        return not self.files


def find(
    kubeconfig: str | None = None,
    context: str | None = None,
    namespace: str | None = None,
    environment: Mapping[str, str] = os.environ,
    service_account: str = SERVICE_ACCOUNT,
) -> Access:
    """The file named, else $KUBECONFIG, else ~/.kube/config, else the service account of the pod we run in.

    Raises KubeError."""
    files = _files(kubeconfig, environment)
    config = merged(files)
    name = context or config.current
    if name in config.contexts:
        return _of_context(config, config.contexts[name], namespace, environment, service_account)
    if context:
        raise _unknown("context", context, config.contexts, config.files)
    if name:
        raise _unknown("current-context", name, config.contexts, config.files)
    if not kubeconfig and _is_in_cluster(environment, service_account):
        return _of_service_account(namespace, environment, service_account)
    if config.contexts:
        raise KubeError(
            "no context is chosen: the kubeconfig has no current-context",
            where=", ".join(config.files),
            then=f"name one with --context: {', '.join(sorted(config.contexts))}",
        )
    raise KubeError(
        "no cluster configured: no kubeconfig found"
        if not config.files
        else "no cluster is known: the kubeconfig is empty",
        where=", ".join(config.files or files) or None,
        then="name one with --kubeconfig or $KUBECONFIG",
    )


def _files(kubeconfig: str | None, environment: Mapping[str, str]) -> list[str]:
    if kubeconfig:
        if not os.path.exists(kubeconfig):
            raise KubeError(f"{kubeconfig}: no such file", then="check --kubeconfig")
        return [kubeconfig]
    if listed := environment.get("KUBECONFIG"):
        return [file for file in listed.split(os.pathsep) if file]
    home = environment.get("HOME") or os.path.expanduser("~")
    return [os.path.join(home, ".kube", "config")]


def _of_context(
    config: Kubeconfig,
    context: Context,
    namespace: str | None,
    environment: Mapping[str, str],
    service_account: str,
) -> Access:
    cluster = config.clusters.get(context.cluster)
    if cluster is None:
        raise _unknown(
            f"cluster of context {context.name!r}", context.cluster, config.clusters, (context.file,)
        )
    user = config.users.get(context.user)
    if user is None and context.user:
        raise _unknown(f"user of context {context.name!r}", context.user, config.users, (context.file,))
    if cluster.authority_file and cluster.authority:
        raise KubeError(
            f"cluster {cluster.name!r} has certificate-authority and certificate-authority-data: only one is allowed",
            where=cluster.file,
        )
    if not namespace and not context.namespace and _is_in_cluster(environment, service_account):
        namespace = _own_namespace(environment, service_account)
    return Access(
        server=_server(cluster),
        namespace=namespace or context.namespace or "default",
        cluster=cluster,
        user=user or User(),
        context=context.name,
        files=config.files,
    )


def _server(cluster: Cluster) -> str:
    """A URL without query; a bare HOST:PORT is HTTP, as for kubectl."""
    server = cluster.server if "://" in cluster.server else f"http://{cluster.server}"
    try:
        parts = urlsplit(server)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not cluster.server or not is_good:
        what = f"server {cluster.server!r} is not a URL" if cluster.server else "no server given"
        raise KubeError(f"{what} (cluster {cluster.name!r})", where=cluster.file, then="https://HOST:PORT")
    return parts._replace(query="", fragment="").geturl().rstrip("/")


def _is_in_cluster(environment: Mapping[str, str], service_account: str) -> bool:
    named = environment.get("KUBERNETES_SERVICE_HOST") and environment.get("KUBERNETES_SERVICE_PORT")
    return bool(named) and os.path.isfile(os.path.join(service_account, "token"))


def _of_service_account(namespace: str | None, environment: Mapping[str, str], folder: str) -> Access:
    host, port = environment["KUBERNETES_SERVICE_HOST"], environment["KUBERNETES_SERVICE_PORT"]
    server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    authority = os.path.join(folder, "ca.crt")
    return Access(
        server=server,
        namespace=namespace or _own_namespace(environment, folder),
        cluster=Cluster(
            name="in-cluster", server=server, authority_file=authority if os.path.exists(authority) else ""
        ),
        user=User(name="service account", token_file=os.path.join(folder, "token")),
    )


def _own_namespace(environment: Mapping[str, str], folder: str) -> str:
    if named := environment.get("POD_NAMESPACE"):
        return named
    try:
        with open(os.path.join(folder, "namespace"), encoding="utf-8") as file:
            return file.read().strip() or "default"
    except OSError:
        return "default"


def _unknown(what: str, name: str, known: Mapping[str, object], files: tuple[str, ...]) -> KubeError:
    close = get_close_matches(name, known, n=1)
    there = ", ".join(sorted(known)) or "none"
    then = f"did you mean {close[0]!r}? " if close else ""
    return KubeError(
        f"{what} {name!r} is not defined" if name else f"{what} is not named",
        where=", ".join(files) or None,
        then=f"{then}known: {there}",
    )
