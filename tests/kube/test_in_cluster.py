"""Inside a pod, without a kubeconfig: the service account, as kubectl finds it."""

from pathlib import Path

import pytest

from tests.kube import writing
from tests.kube.certificates import Authority
from tests.kube.connecting import Ask, both_clients
from tests.kube.servers import FakeServer
from watchbill.kube import access
from watchbill.kube.errors import KubeError


@pytest.fixture
def account(tmp_path: Path, authority: Authority) -> Path:
    folder = tmp_path / "serviceaccount"
    folder.mkdir()
    (folder / "token").write_text("from-the-pod")
    (folder / "namespace").write_text("of-the-pod")
    (folder / "ca.crt").write_bytes(authority.certificate.read_bytes())
    return folder


def inside(server: FakeServer, home: Path) -> dict[str, str]:
    return {
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": str(server.port),
        "HOME": str(home),
    }


@both_clients
def test_the_service_account(ask: Ask, account: Path, home: Path, server: FakeServer) -> None:
    found = access.find(environment=inside(server, home), service_account=str(account))
    assert (found.in_cluster, found.namespace, found.context) == (True, "of-the-pod", "")
    ask(found)
    assert server.seen[0].header("Authorization") == "Bearer from-the-pod"


def test_a_kubeconfig_comes_first(account: Path, home: Path, server: FakeServer) -> None:
    writing.write(home / ".kube/config", writing.kubeconfig({"server": "https://a.example"}))
    found = access.find(environment=inside(server, home), service_account=str(account))
    assert (found.server, found.in_cluster) == ("https://a.example", False)
    # Without one of its own, the context has the namespace of the pod: so does kubectl.
    assert found.namespace == "of-the-pod"


NAMESPACES: list[tuple[dict[str, str], str | None, str]] = [
    # environment, --namespace, what it is
    ({}, "asked", "asked"),
    ({"POD_NAMESPACE": "told"}, None, "told"),
    ({"POD_NAMESPACE": "told"}, "asked", "asked"),
]


@pytest.mark.parametrize("case", NAMESPACES)
def test_the_namespace(
    case: tuple[dict[str, str], str | None, str], account: Path, home: Path, server: FakeServer
) -> None:
    variable, asked, expected = case
    environment = {**inside(server, home), **variable}
    found = access.find(namespace=asked, environment=environment, service_account=str(account))
    assert found.namespace == expected


def test_an_address_of_version_six(account: Path, home: Path) -> None:
    environment = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443", "HOME": str(home)}
    assert (
        access.find(environment=environment, service_account=str(account)).server == "https://[fd00::1]:443"
    )


def test_a_context_that_is_asked_for_is_not_replaced_by_the_pod(
    account: Path, home: Path, server: FakeServer
) -> None:
    with pytest.raises(KubeError, match="context 'production' is not defined"):
        access.find(context="production", environment=inside(server, home), service_account=str(account))


def test_nothing_anywhere(home: Path, tmp_path: Path) -> None:
    with pytest.raises(KubeError, match="no cluster configured: no kubeconfig found") as caught:
        access.find(environment={"HOME": str(home)}, service_account=str(tmp_path / "none"))
    assert "--kubeconfig" in str(caught.value)


def test_a_close_name_is_offered(tmp_path: Path) -> None:
    file = writing.write(
        tmp_path / "config", writing.kubeconfig({"server": "https://a.example"}, name="production")
    )
    with pytest.raises(KubeError, match="did you mean 'production'"):
        access.find(str(file), context="prodcution", environment={})
