"""Real requests through each kind of credential: the API server says who came."""

from pathlib import Path

import pytest
from lightkube.resources.core_v1 import Namespace as NamespaceObject
from lightkube.resources.core_v1 import Secret

from dev.cluster.client import Namespace
from tests.cluster.kube.conftest import Ways, asked_by, who_am_i, with_kube
from tests.kube.certificates import Authority
from tests.kube.servers import proxying
from watchbill.kube import access
from watchbill.kube.client import Kube
from watchbill.kube.errors import KubeError

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("control_plane")]


def token_of(namespace: Namespace, account: str) -> str:
    return namespace.kubectl("create", "token", account).stdout.strip()


def robot(namespace: Namespace) -> str:
    return f"system:serviceaccount:{namespace.name}:robot"


def test_client_certificates_as_files(namespace: Namespace) -> None:
    assert who_am_i(access.find(str(namespace.cluster.kubeconfig), environment={})) == "admin"


def test_client_certificates_as_data(ways: Ways) -> None:
    assert who_am_i(ways.administrator()) == "admin"


def test_a_token(ways: Ways, namespace: Namespace, account: str) -> None:
    assert who_am_i(ways.reach({"token": token_of(namespace, account)})) == robot(namespace)


def test_a_token_file(ways: Ways, namespace: Namespace, account: str) -> None:
    (ways.folder / "token").write_text(token_of(namespace, account))
    assert who_am_i(ways.reach({"tokenFile": "token"})) == robot(namespace)


def test_a_token_file_that_is_replaced_when_it_is_refused(
    ways: Ways, namespace: Namespace, account: str
) -> None:
    good, file = token_of(namespace, account), ways.folder / "token"
    file.write_text("no-token-of-this-cluster")
    found = ways.reach({"tokenFile": "token"})
    with pytest.raises(KubeError) as caught:
        who_am_i(found)
    assert caught.value.is_unauthorized
    file.write_text(good)
    assert who_am_i(found) == robot(namespace)


def test_a_plugin_that_gives_a_token(ways: Ways, namespace: Namespace, account: str) -> None:
    script = ways.plugin("gives-token", token=token_of(namespace, account))
    assert who_am_i(ways.reach(asked_by(script))) == robot(namespace)


def test_a_plugin_that_gives_a_certificate(ways: Ways) -> None:
    script = ways.plugin(
        "gives-certificate",
        clientCertificateData=ways.pem("client-certificate-data"),
        clientKeyData=ways.pem("client-key-data"),
    )
    assert who_am_i(ways.reach(asked_by(script))) == "admin"


def test_impersonation(ways: Ways) -> None:
    user = {**ways.admin, "as": "jane", "as-groups": ["system:masters"], "as-uid": "17"}
    found = ways.reach(user)
    assert who_am_i(found) == "jane"

    async def read(kube: Kube) -> NamespaceObject:
        return await kube.get(NamespaceObject, "default")

    with_kube(found, read)
    with pytest.raises(KubeError, match='User "john" cannot get resource "namespaces"') as caught:
        with_kube(ways.reach({**ways.admin, "as": "john"}), read)
    assert caught.value.is_forbidden


def test_nobody(ways: Ways) -> None:
    async def read(kube: Kube) -> None:
        await kube.get(Secret, "x", namespace="default")

    with pytest.raises(KubeError, match=r"system:anonymous|Unauthorized"):
        with_kube(ways.reach({}), read)


def test_through_a_proxy(ways: Ways) -> None:
    with proxying() as proxy:
        assert who_am_i(ways.reach(ways.admin, {"proxy-url": proxy.url})) == "admin"
        assert proxy.asked, "it went past the proxy"
        assert all(ways.cluster["server"].endswith(asked) for asked in proxy.asked)


def test_the_name_in_the_certificate(ways: Ways) -> None:
    assert who_am_i(ways.reach(ways.admin, {"tls-server-name": "kubernetes.default.svc"})) == "admin"
    with pytest.raises(KubeError, match="cannot trust"):
        who_am_i(ways.reach(ways.admin, {"tls-server-name": "elsewhere.example"}))


def test_insecure(ways: Ways) -> None:
    untrusted = {"certificate-authority-data": None}
    with pytest.raises(KubeError, match="cannot trust"):
        who_am_i(ways.reach(ways.admin, untrusted))
    assert who_am_i(ways.reach(ways.admin, {**untrusted, "insecure-skip-tls-verify": True})) == "admin"


def test_an_authority_of_another_cluster(ways: Ways, tmp_path: Path) -> None:
    other = Authority(tmp_path / "other")
    changed = {"certificate-authority-data": None, "certificate-authority": str(other.certificate)}
    with pytest.raises(KubeError, match="cannot trust"):
        who_am_i(ways.reach(ways.admin, changed))
