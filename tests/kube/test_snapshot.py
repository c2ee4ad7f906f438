"""The copy of a kubeconfig leads where the original led, whatever becomes of that."""

import json
import stat
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from watchbill.kube import access, snapshot
from watchbill.kube.kubeconfig import exec_extension

CONFIG: dict[str, Any] = {
    "current-context": "staging",
    "contexts": [
        {"name": "staging", "context": {"cluster": "here", "user": "me", "namespace": "shop"}},
        {"name": "other", "context": {"cluster": "there", "user": "me"}},
    ],
    "clusters": [
        {
            "name": "here",
            "cluster": {
                "server": "https://here.example:6443",
                "certificate-authority": "ca.crt",
                "tls-server-name": "inside",
                "proxy-url": "http://proxy.example:3128",
                "extensions": [{"name": "client.authentication.k8s.io/exec", "extension": {"audience": 7}}],
            },
        },
        {"name": "there", "cluster": {"server": "https://there.example:6443"}},
    ],
    "users": [
        {
            "name": "me",
            "user": {
                "client-certificate-data": "Y2VydGlmaWNhdGU=",
                "client-key": "keys/me.key",
                "token": "0042",
                "tokenFile": "token",
                "as": "somebody",
                "as-groups": ["admins"],
                "as-user-extra": {"scopes": ["view", "edit"]},
                "exec": {
                    "command": "./login",
                    "args": ["--for", "shop"],
                    "env": [{"name": "REGION", "value": "north"}],
                    "apiVersion": "client.authentication.k8s.io/v1",
                    "interactiveMode": "Never",
                    "provideClusterInfo": True,
                },
            },
        }
    ],
}


def test_it_says_what_the_original_said_of_its_context(tmp_path: Path) -> None:
    original = tmp_path / "home" / "config"
    original.parent.mkdir()
    original.write_text(json.dumps(CONFIG))
    found = access.find(str(original))
    copy = tmp_path / "copy"
    assert snapshot.write(found, str(copy)) == "staging"
    extension = exec_extension(found.cluster)
    original.write_text(json.dumps({**CONFIG, "current-context": "other"}))

    read = access.find(str(copy))
    same = {"name": "", "file": ""}
    assert replace(read.cluster, **same) == replace(found.cluster, **same)
    assert replace(read.user, **same) == replace(found.user, **same)
    assert (read.server, read.namespace, read.context) == ("https://here.example:6443", "shop", "staging")
    assert read.user.key_file == str(tmp_path / "home" / "keys" / "me.key")
    assert exec_extension(read.cluster) == extension == {"audience": 7}


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    original = tmp_path / "config"
    original.write_text(json.dumps(CONFIG))
    snapshot.write(access.find(str(original)), str(tmp_path / "copy"))
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600


def test_a_pods_own_account_is_one_as_well(tmp_path: Path) -> None:
    for name in ("token", "ca.crt", "namespace"):
        (tmp_path / name).write_text(name)
    environment = {
        "KUBERNETES_SERVICE_HOST": "10.0.0.1",
        "KUBERNETES_SERVICE_PORT": "443",
        "HOME": str(tmp_path),
    }
    found = access.find(environment=environment, service_account=str(tmp_path))
    snapshot.write(found, str(tmp_path / "copy"))
    read = access.find(str(tmp_path / "copy"), environment={})
    assert (read.server, read.user.token_file) == ("https://10.0.0.1:443", str(tmp_path / "token"))
    assert read.cluster.authority_file == str(tmp_path / "ca.crt")
