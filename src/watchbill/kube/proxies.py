"""The proxy on the way to the API server: `proxy-url` of the cluster, else what the environment says, read as Go reads it."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from watchbill.kube.errors import KubeError
from watchbill.kube.kubeconfig import Cluster


def proxy_for(server: str, cluster: Cluster, environment: Mapping[str, str]) -> str | None:
    if cluster.proxy_url:
        return _checked(cluster.proxy_url, f"proxy-url of cluster {cluster.name!r}", cluster.file or None)
    parts = urlsplit(server)
    name = "HTTPS_PROXY" if parts.scheme == "https" else "HTTP_PROXY"
    found = environment.get(name) or environment.get(name.lower()) or ""
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    if not found or _is_here(host) or _is_excepted(host, port, environment):
        return None
    return _checked(found if "://" in found else f"http://{found}", name, None)


def _checked(proxy: str, what: str, where: str | None) -> str:
    try:
        parts = urlsplit(proxy)
        known = parts.scheme in ("http", "https", "socks5", "socks5h") and parts.hostname and parts.port != 0
    except ValueError:
        known = None
    if not known:
        # Without its text: it may hold a password.
        raise KubeError(
            f"{what} is not the address of a proxy",
            where=where,
            then="http://HOST:PORT, https:// or socks5://",
        )
    if parts.scheme.startswith("socks5"):
        from importlib.util import find_spec

        if find_spec("socksio") is None:
            raise KubeError(
                f"{what} is a SOCKS proxy, for which a package is missing",
                where=where,
                then="pip install socksio",
            )
    return proxy


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def _is_excepted(host: str, port: int, environment: Mapping[str, str]) -> bool:
    exceptions = environment.get("NO_PROXY") or environment.get("no_proxy") or ""
    return any(_covers(entry.strip().lower(), host.lower(), port) for entry in exceptions.split(","))


def _covers(entry: str, host: str, port: int) -> bool:
    if entry == "*":
        return True
    if not entry:
        return False
    address = _address(host)
    if "/" in entry:
        try:
            return address is not None and address in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            pass
    name, wanted = _split(entry)
    if wanted and wanted != str(port):
        return False
    if (other := _address(name)) is not None:
        return address == other
    if address is not None:
        return False
    name = name.removeprefix("*")
    # "example.com" covers itself and what is below it, ".example.com" only what is below it.
    return host.endswith(name) if name.startswith(".") else host == name or host.endswith(f".{name}")


def _split(entry: str) -> tuple[str, str]:
    if entry.startswith("["):
        name, _, rest = entry[1:].partition("]")
        return name, rest.removeprefix(":")
    if entry.count(":") == 1:
        name, _, port = entry.partition(":")
        return name, port
    return entry, ""


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
