"""The way to the server: whom we trust, names, proxies; and what is said when it cannot be reached."""

import asyncio
import socket
import threading
from pathlib import Path

import httpx2
import pytest

from tests.kube.certificates import Authority
from tests.kube.connecting import Ask, ask_async, both_clients, reach
from tests.kube.servers import FakeServer, proxying, serving, status
from watchbill.kube import client
from watchbill.kube.errors import KubeError
from watchbill.kube.kubeconfig import Cluster
from watchbill.kube.proxies import proxy_for


@both_clients
def test_an_authority_that_is_not_known(ask: Ask, tmp_path: Path, server: FakeServer) -> None:
    with pytest.raises(KubeError, match=r"cannot trust https://127.0.0.1.*certificate") as caught:
        ask(reach(tmp_path, {"server": server.url()}, {"token": "a"}))
    assert "certificate-authority" in str(caught.value)
    assert not caught.value.is_passing
    assert server.seen == []


@both_clients
def test_another_authority(ask: Ask, tmp_path: Path, server: FakeServer) -> None:
    other = Authority(tmp_path / "other")
    with pytest.raises(KubeError, match="cannot trust"):
        ask(reach(tmp_path, {"server": server.url(), "certificate-authority": str(other.certificate)}))


@both_clients
def test_insecure(ask: Ask, tmp_path: Path, server: FakeServer) -> None:
    ask(reach(tmp_path, {"server": server.url(), "insecure-skip-tls-verify": True}, {"token": "a"}))
    assert server.seen[0].header("Authorization") == "Bearer a"


@both_clients
def test_the_name_of_the_server(ask: Ask, tmp_path: Path, authority: Authority) -> None:
    """Its certificate is for another name than the one it is reached by."""
    certificate = authority.server("elsewhere", "DNS:elsewhere.example")
    cluster = {"certificate-authority": str(authority.certificate)}
    with serving(certificate) as server:
        with pytest.raises(KubeError, match="cannot trust"):
            ask(reach(tmp_path, {**cluster, "server": server.url()}))
        ask(reach(tmp_path, {**cluster, "server": server.url(), "tls-server-name": "elsewhere.example"}))
        assert [seen.server_name for seen in server.seen] == ["elsewhere.example"]


@both_clients
def test_a_path_before_the_api(ask: Ask, tmp_path: Path, server: FakeServer, authority: Authority) -> None:
    url = f"{server.url()}/k8s/clusters/c-1/?token=x"
    ask(reach(tmp_path, {"server": url, "certificate-authority": str(authority.certificate)}))
    assert [seen.path for seen in server.seen] == ["/k8s/clusters/c-1/api/v1/namespaces/there"]


@both_clients
def test_through_a_proxy(ask: Ask, tmp_path: Path, server: FakeServer, authority: Authority) -> None:
    with proxying() as proxy:
        cluster = {
            "server": server.url(),
            "certificate-authority": str(authority.certificate),
            "proxy-url": proxy.url.replace("//", "//jane:word@"),
            "tls-server-name": "inside.example",
        }
        ask(reach(tmp_path, cluster, {"token": "abc"}))
    assert proxy.asked == [f"127.0.0.1:{server.port}"]
    assert proxy.authorizations == ["Basic amFuZTp3b3Jk"]
    assert [(seen.header("Authorization"), seen.server_name) for seen in server.seen] == [
        ("Bearer abc", "inside.example")
    ]


@both_clients
def test_a_proxy_that_refuses(ask: Ask, tmp_path: Path, server: FakeServer) -> None:
    with proxying(refuses=True) as proxy, pytest.raises(KubeError, match="the proxy refuses"):
        ask(reach(tmp_path, {"server": server.url(), "proxy-url": proxy.url}))


def test_the_environment_has_no_say_over_a_cluster_nearby(
    tmp_path: Path, server: FakeServer, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Go never sends what is for this machine through a proxy; nor does an SSL_CERT_FILE count beside an authority."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    ask_async(reach(tmp_path, {"server": server.url(), "certificate-authority": str(authority.certificate)}))
    assert len(server.seen) == 1


PROXIES = [
    # server, environment, the proxy
    ("https://a.example", {"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
    ("https://a.example", {"https_proxy": "p:1"}, "http://p:1"),
    ("https://a.example", {"HTTP_PROXY": "http://p:1"}, None),
    ("http://a.example", {"HTTP_PROXY": "http://p:1"}, "http://p:1"),
    ("https://a.example", {"ALL_PROXY": "http://p:1"}, None),
    ("https://localhost:6443", {"HTTPS_PROXY": "http://p:1"}, None),
    ("https://127.0.0.5", {"HTTPS_PROXY": "http://p:1"}, None),
    ("https://[::1]:6443", {"HTTPS_PROXY": "http://p:1"}, None),
    ("https://a.example", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, None),
    ("https://a.example", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "b.example, example"}, None),
    ("https://a.example", {"HTTPS_PROXY": "http://p:1", "no_proxy": ".example"}, None),
    ("https://example", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": ".example"}, "http://p:1"),
    ("https://a.example", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*.example"}, None),
    ("https://aexample", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "example"}, "http://p:1"),
    ("https://a.example:6443", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "a.example:443"}, "http://p:1"),
    ("https://a.example:6443", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "a.example:6443"}, None),
    ("https://10.1.2.3:6443", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8"}, None),
    ("https://11.1.2.3:6443", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8"}, "http://p:1"),
    ("https://[fd00::1]:6443", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "fd00::/8"}, None),
    ("https://10.1.2.3", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "10.1.2.3"}, None),
    ("https://A.EXAMPLE", {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "a.Example"}, None),
]


@pytest.mark.parametrize(("server", "environment", "expected"), PROXIES)
def test_the_proxy_of_the_environment(server: str, environment: dict[str, str], expected: str | None) -> None:
    assert proxy_for(server, Cluster(), environment) == expected


@pytest.mark.parametrize(
    ("url", "message"), [("ftp://p:1", "not the address"), ("socks5://p:1", "pip install socksio")]
)
def test_proxies_that_cannot_be(url: str, message: str) -> None:
    with pytest.raises(KubeError) as caught:
        proxy_for("https://a.example", Cluster(name="a", proxy_url=url), {})
    assert message in str(caught.value)


def test_a_peer_that_vanishes_is_noticed(tmp_path: Path, server: FakeServer, authority: Authority) -> None:
    """Also by what only waits: the system asks whether the other side is still there."""
    found = reach(tmp_path, {"server": server.url(), "certificate-authority": str(authority.certificate)})

    async def options() -> tuple[int, int, int]:
        async with client.connect(found) as kube:
            http = kube._client._client
            response = await http.send(http.build_request("GET", "/version"))
            connection = response.extensions["network_stream"].get_extra_info("socket")
            return (
                connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE),
                connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE),
                connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT),
            )

    assert asyncio.run(options()) == (1, 20, 60_000)


@both_clients
def test_nobody_is_there(ask: Ask, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(KubeError, match=f"cannot reach https://127.0.0.1:{port}: ") as caught:
        ask(reach(tmp_path, {"server": f"https://127.0.0.1:{port}"}))
    assert "refused" in caught.value.what
    assert caught.value.is_passing


@both_clients
def test_no_such_host(ask: Ask, tmp_path: Path) -> None:
    with pytest.raises(KubeError, match=r"cannot reach https://nowhere.invalid"):
        ask(reach(tmp_path, {"server": "https://nowhere.invalid"}))


@both_clients
def test_somebody_who_never_answers(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "TIMEOUT", httpx2.Timeout(0.5, connect=0.5))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(KubeError, match=r"no answer from .*timed out"):
            ask(reach(tmp_path, {"server": url}))


@both_clients
def test_somebody_who_hangs_up(ask: Ask, tmp_path: Path) -> None:
    def hang_up() -> None:
        connection, _ = listener.accept()
        connection.recv(100)
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(KubeError, match=r"the connection to http://127.0.0.1.* broke") as caught:
            ask(reach(tmp_path, {"server": f"http://127.0.0.1:{listener.getsockname()[1]}"}))
        thread.join()
    assert caught.value.is_passing


@both_clients
def test_not_tls(ask: Ask, tmp_path: Path) -> None:
    with serving(None) as plain, pytest.raises(KubeError, match=r"cannot reach https://127.0.0.1"):
        ask(reach(tmp_path, {"server": f"https://127.0.0.1:{plain.port}"}))


ANSWERS = {
    "login page": ((200, b"<html>log in</html>"), "not what Kubernetes answers"),
    "redirection": ((302, b""), "302 Found"),
    "gateway": ((502, b"<html>bad gateway</html>"), "502 Bad Gateway"),
    "missing": (status(404, "NotFound", 'namespaces "there" not found'), 'namespaces "there" not found'),
    "forbidden": (status(403, "Forbidden", 'User "x" cannot get "namespaces"'), 'User "x" cannot get'),
}


@both_clients
@pytest.mark.parametrize("case", ANSWERS)
def test_answers_that_are_no_success(
    case: str, ask: Ask, tmp_path: Path, server: FakeServer, authority: Authority
) -> None:
    answer, message = ANSWERS[case]
    server.answer = lambda _: answer
    with pytest.raises(KubeError, match=message) as caught:
        ask(reach(tmp_path, {"server": server.url(), "certificate-authority": str(authority.certificate)}))
    told = caught.value
    assert told.status == (0 if answer[0] == 200 else answer[0])
    assert (told.is_missing, told.is_forbidden) == (answer[0] == 404, answer[0] == 403)


WRONG_CLUSTERS: dict[str, tuple[dict[str, object], str]] = {
    "no file": ({"certificate-authority": "/nowhere/ca"}, "cannot read certificate-authority /nowhere/ca"),
    "no certificate": ({"certificate-authority-data": "eA=="}, "is not a certificate"),
    "both": ({"certificate-authority-data": "eA==", "certificate-authority": "/x"}, "only one is allowed"),
    "insecure and not": (
        {"certificate-authority-data": "eA==", "insecure-skip-tls-verify": True},
        "only one",
    ),
    "no url": ({"server": "https://"}, "is not a URL"),
    "no server": ({"server": ""}, "no server given"),
    "bad port": ({"server": "https://a:99999"}, "is not a URL"),
}


@pytest.mark.parametrize("case", WRONG_CLUSTERS)
def test_clusters_that_cannot_be(case: str, tmp_path: Path) -> None:
    cluster, message = WRONG_CLUSTERS[case]
    with pytest.raises(KubeError, match=message):
        ask_async(reach(tmp_path, {"server": "https://a.invalid", **cluster}))
