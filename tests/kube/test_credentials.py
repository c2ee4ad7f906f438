"""What arrives at the server is what the kubeconfig says: tokens, certificates, passwords, impersonation."""

import asyncio
import base64
import subprocess
from pathlib import Path

import pytest
from lightkube.resources.core_v1 import Namespace

from dev.cluster import packages
from tests.kube.certificates import Authority
from tests.kube.connecting import Ask, both_clients, reach
from tests.kube.servers import Answer, FakeServer, Seen, namespace_object, serving, status
from watchbill.kube.access import Access
from watchbill.kube.client import connect
from watchbill.kube.errors import KubeError

UNAUTHORIZED = status(401, "Unauthorized", "Unauthorized")


def encoded(file: Path) -> str:
    return base64.b64encode(file.read_bytes()).decode()


def trusted(server: FakeServer, authority: Authority) -> dict[str, object]:
    return {"server": server.url(), "certificate-authority": str(authority.certificate)}


@both_clients
def test_a_token(ask: Ask, tmp_path: Path, server: FakeServer, authority: Authority) -> None:
    ask(reach(tmp_path, trusted(server, authority), {"token": "abc"}))
    assert [seen.header("Authorization") for seen in server.seen] == ["Bearer abc"]
    assert server.seen[0].header("User-Agent") == "watchbill"


@both_clients
@pytest.mark.parametrize("form", ["files", "data"])
def test_a_client_certificate(
    form: str, ask: Ask, tmp_path: Path, server: FakeServer, authority: Authority
) -> None:
    certificate, key = authority.client("jane")
    if form == "files":
        cluster = trusted(server, authority)
        user = {"client-certificate": str(certificate), "client-key": str(key)}
    else:
        cluster = {"server": server.url(), "certificate-authority-data": encoded(authority.certificate)}
        user = {"client-certificate-data": encoded(certificate), "client-key-data": encoded(key)}
    ask(reach(tmp_path, cluster, user))
    assert [(seen.certificate, seen.header("Authorization")) for seen in server.seen] == [("jane", "")]


@both_clients
def test_a_password(ask: Ask, tmp_path: Path, server: FakeServer, authority: Authority) -> None:
    ask(reach(tmp_path, trusted(server, authority), {"username": "jane", "password": "ö:x"}))
    shown = server.seen[0].header("Authorization").removeprefix("Basic ")
    assert base64.b64decode(shown).decode() == "jane:ö:x"


@both_clients
def test_impersonation(ask: Ask, tmp_path: Path, server: FakeServer, authority: Authority) -> None:
    user = {
        "token": "abc",
        "as": "jane",
        "as-uid": "17",
        "as-groups": ["one", "two"],
        "as-user-extra": {"scopes": ["a", "b"], "example.com/x y": ["c"]},
    }
    ask(reach(tmp_path, trusted(server, authority), user))
    headers = sorted((k, v) for k, v in server.seen[0].headers if k.lower().startswith("impersonate"))
    assert [(key.title(), value) for key, value in headers] == [
        ("Impersonate-Extra-Example.Com%2Fx%20Y", "c"),
        ("Impersonate-Extra-Scopes", "a"),
        ("Impersonate-Extra-Scopes", "b"),
        ("Impersonate-Group", "one"),
        ("Impersonate-Group", "two"),
        ("Impersonate-Uid", "17"),
        ("Impersonate-User", "jane"),
    ]


@both_clients
def test_nothing_secret_goes_over_plain_http(ask: Ask, tmp_path: Path) -> None:
    """As with kubectl: credentials are for TLS."""
    with serving(None) as plain:
        ask(reach(tmp_path, {"server": plain.url()}, {"token": "abc"}))
        ask(reach(tmp_path, {"server": f"127.0.0.1:{plain.port}"}, {"username": "a", "password": "b"}))
        assert [seen.header("Authorization") for seen in plain.seen] == ["", ""]


def test_a_token_file_is_read_again(tmp_path: Path, server: FakeServer, authority: Authority) -> None:
    """It wins over the token beside it; while it cannot be read, the last one is good."""
    token = tmp_path / "token"
    token.write_text("first\n")
    found = reach(tmp_path, trusted(server, authority), {"token": "old", "tokenFile": "token"})

    async def ask() -> None:
        async with connect(found) as kube:
            await kube.get(Namespace, "there")
            token.write_text("second")
            await kube.get(Namespace, "there")
            token.unlink()
            await kube.get(Namespace, "there")

    asyncio.run(ask())
    shown = [seen.header("Authorization") for seen in server.seen]
    assert shown == ["Bearer first", "Bearer second", "Bearer second"]


@both_clients
def test_a_token_that_was_replaced_while_it_was_refused(
    ask: Ask, tmp_path: Path, server: FakeServer, authority: Authority
) -> None:
    token = tmp_path / "token"
    token.write_text("stale")

    def answer(seen: Seen) -> Answer:
        if seen.header("Authorization") == "Bearer stale":
            token.write_text("fresh")
            return UNAUTHORIZED
        return namespace_object(seen)

    server.answer = answer
    ask(reach(tmp_path, trusted(server, authority), {"tokenFile": "token"}))
    assert [seen.header("Authorization") for seen in server.seen] == ["Bearer stale", "Bearer fresh"]


def test_client_certificate_files_are_read_again(
    tmp_path: Path, server: FakeServer, authority: Authority
) -> None:
    certificate, key = tmp_path / "client.crt", tmp_path / "client.key"

    def become(name: str) -> None:
        for target, source in zip((certificate, key), authority.client(name), strict=True):
            target.write_bytes(source.read_bytes())

    become("jane")
    user = {"client-certificate": "client.crt", "client-key": "client.key"}
    found = reach(tmp_path, trusted(server, authority), user)

    async def ask() -> None:
        async with connect(found) as kube:
            await kube.get(Namespace, "there")
            become("john")
            await kube.get(Namespace, "there")

    asyncio.run(ask())
    assert [seen.certificate for seen in server.seen] == ["jane", "john"]


@both_clients
def test_a_refusal_is_told_once(ask: Ask, tmp_path: Path, server: FakeServer, authority: Authority) -> None:
    server.answer = lambda _: UNAUTHORIZED
    with pytest.raises(KubeError, match="401 Unauthorized") as caught:
        ask(reach(tmp_path, trusted(server, authority), {"token": "tell-nobody"}))
    assert caught.value.is_unauthorized
    assert "expired" in str(caught.value)
    assert "tell-nobody" not in str(caught.value)
    assert len(server.seen) == 1


WRONG: dict[str, tuple[dict[str, object], str]] = {
    "auth-provider": ({"auth-provider": {"name": "gcp", "config": {"access-token": "x"}}}, "auth-provider"),
    "two ways at once": ({"token": "a", "username": "b", "password": "c"}, "a token and a password"),
    "no key": ({"client-certificate-data": "eA=="}, "without its key"),
    "no certificate in it": (
        {"client-certificate-data": "eA==", "client-key-data": "eA=="},
        "cannot be used",
    ),
    "no such token file": ({"tokenFile": "/nowhere/token"}, "cannot read the token file /nowhere/token"),
    "no such certificate": (
        {"client-certificate": "/nowhere/crt", "client-key": "/nowhere/key"},
        "cannot read the client certificate /nowhere/crt",
    ),
    "groups of nobody": ({"as-groups": ["a"]}, "without as"),
}


@both_clients
@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be(
    case: str, ask: Ask, tmp_path: Path, server: FakeServer, authority: Authority
) -> None:
    user, message = WRONG[case]
    with pytest.raises(KubeError, match=message) as caught:
        ask(reach(tmp_path, trusted(server, authority), user))
    assert caught.value.status == 0
    assert server.seen == []


def test_a_key_with_a_password_does_not_ask(tmp_path: Path, server: FakeServer, authority: Authority) -> None:
    certificate, key = authority.client("locked")
    locked = tmp_path / "locked.key"
    command = [
        *packages.openssl(),
        "pkey",
        "-in",
        str(key),
        "-aes256",
        "-passout",
        "pass:word",
        "-out",
        str(locked),
    ]
    subprocess.run(command, check=True, capture_output=True)
    user = {"client-certificate": str(certificate), "client-key": str(locked)}
    with pytest.raises(KubeError, match="cannot be used"):
        asyncio.run(_once(reach(tmp_path, trusted(server, authority), user)))


async def _once(found: Access) -> None:
    async with connect(found) as kube:
        await kube.get(Namespace, "there")


def test_secrets_are_not_in_the_text_of_an_access(tmp_path: Path) -> None:
    user = {
        "token": "tell-nobody",
        "password": "tell-nobody",
        "exec": {"command": "x", "args": ["tell-nobody"], "env": [{"name": "a", "value": "tell-nobody"}]},
    }
    assert "tell-nobody" not in repr(reach(tmp_path, {"server": "https://a.example"}, user))
