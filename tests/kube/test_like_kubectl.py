"""Kubeconfig files mean to us what they mean to kubectl: the same view of them, the same ones refused."""

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kube import writing
from tests.kube.certificates import Authority
from tests.support import txtar
from watchbill.kube import access, tls
from watchbill.kube.access import Access
from watchbill.kube.credentials import Written
from watchbill.kube.errors import KubeError
from watchbill.kube.kubeconfig import Cluster, Plugin, User

CASES = sorted((Path(__file__).parent / "kubeconfigs").glob("*.txtar"))


def kubectl_view(environment: dict[str, str], context: str, *options: str) -> dict[str, Any] | None:
    """Cluster, user, context and namespace as kubectl has them; None if it refuses, or shows no cluster."""
    chosen = [f"--context={context}"] if context else []
    done = writing.kubectl(
        "config", "view", "--minify", "--raw", "--output=json", *chosen, *options, env=environment
    )
    if done.returncode:
        return None
    seen = json.loads(done.stdout)
    if not seen.get("clusters") or not seen["clusters"][0]["cluster"].get("server"):
        return None
    user = seen["users"][0]["user"] if seen.get("users") else {}
    cluster = {key: value for key, value in seen["clusters"][0]["cluster"].items() if key != "extensions"}
    namespace = seen["contexts"][0]["context"].get("namespace") or "default"
    return {"context": seen["current-context"], "cluster": cluster, "user": user, "namespace": namespace}


def our_view(found: Access) -> dict[str, Any]:
    return {
        "context": found.context,
        "cluster": _cluster(found.cluster),
        "user": _user(found.user),
        "namespace": found.namespace,
    }


def _cluster(cluster: Cluster) -> dict[str, Any]:
    fields = {
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure,
        "certificate-authority": cluster.authority_file,
        "certificate-authority-data": _encoded(cluster.authority),
        "proxy-url": cluster.proxy_url,
        "disable-compression": cluster.disable_compression,
    }
    return {"server": cluster.server, **_given(fields)}


def _user(user: User) -> dict[str, Any]:
    return _given(
        {
            "client-certificate": user.certificate_file,
            "client-certificate-data": _encoded(user.certificate),
            "client-key": user.key_file,
            "client-key-data": _encoded(user.key),
            "token": user.token,
            "tokenFile": user.token_file,
            "username": user.username,
            "password": user.password,
            "as": user.impersonate,
            "as-uid": user.impersonate_uid,
            "as-groups": list(user.impersonate_groups),
            "as-user-extra": {key: list(values) for key, values in user.impersonate_extra},
            "exec": _plugin(user.plugin) if user.plugin else None,
        }
    )


def _plugin(plugin: Plugin) -> dict[str, Any]:
    optional = {
        "apiVersion": plugin.api_version,
        "installHint": plugin.install_hint,
        "interactiveMode": plugin.interactive_mode,
    }
    return {
        "command": plugin.command,
        "args": list(plugin.args) or None,
        "env": [{"name": name, "value": value} for name, value in plugin.env] or None,
        "provideClusterInfo": plugin.provide_cluster_info,
        **_given(optional),
    }


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value}


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def ours(environment: dict[str, str], context: str) -> dict[str, Any] | None:
    try:
        found = access.find(context=context or None, environment=environment)
    except KubeError:
        return None
    return our_view(found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_the_same_view(case: Path, tmp_path: Path) -> None:
    files = {name: content.decode() for name, content in txtar.read(case).files.items()}
    listed = files.pop("KUBECONFIG", None)
    context = files.pop("context", "").strip()
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    names = listed.split() if listed is not None else list(files)
    environment = {
        "HOME": str(tmp_path / "nobody"),
        "KUBECONFIG": os.pathsep.join(str(tmp_path / name) for name in names),
    }

    theirs = kubectl_view(environment, context)

    assert (theirs is None) == case.stem.startswith("broken-"), "the case is not what its name says"
    assert ours(environment, context) == theirs


NAMES = st.sampled_from(["a", "b", "c", "a b", "ü"])
TEXTS = st.sampled_from(
    ["", "x", "yes", "null", "012", "1e3", "2026-01-01", "a: b", "ü\n", "~", "true", "<<"]
)


def entries(kind: str, fields: dict[str, Any]) -> st.SearchStrategy[list[Any]]:
    body = st.fixed_dictionaries({}, optional=fields)
    entry = st.fixed_dictionaries({"name": NAMES, kind: body})
    return st.lists(entry, max_size=3, unique_by=lambda found: found["name"])


FILES = st.fixed_dictionaries(
    {},
    optional={
        "current-context": st.one_of(NAMES, st.just("")),
        "clusters": entries(
            "cluster",
            {
                "server": st.sampled_from(["https://a.example:6443", "https://b.example"]),
                "tls-server-name": TEXTS,
                "insecure-skip-tls-verify": st.booleans(),
                "certificate-authority-data": st.binary(max_size=4).map(_encoded),
            },
        ),
        "users": entries("user", {"token": TEXTS, "as": TEXTS, "as-groups": st.lists(TEXTS, max_size=2)}),
        "contexts": entries("context", {"cluster": NAMES, "user": NAMES, "namespace": TEXTS}),
    },
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(files=st.lists(FILES, min_size=1, max_size=3), context=st.one_of(st.just(""), NAMES))
def test_the_same_view_of_files_nobody_wrote(
    files: list[dict[str, Any]], context: str, tmp_path: Path
) -> None:
    paths = [writing.write(tmp_path / f"{number}.yaml", content) for number, content in enumerate(files)]
    environment = {"HOME": str(tmp_path / "nobody"), "KUBECONFIG": os.pathsep.join(map(str, paths))}

    theirs = kubectl_view(environment, context)

    assert ours(environment, context) == theirs


def test_files_lie_beside_the_kubeconfig_that_names_them(tmp_path: Path, authority: Authority) -> None:
    """Two files in two folders, each with relative paths: what they point to is what kubectl reads."""
    certificate, key = authority.client("beside")
    for folder, source, name in (
        ("one/pki", authority.certificate, "ca.crt"),
        ("two", certificate, "client.crt"),
        ("two/deep", key, "client.key"),
    ):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / name).write_bytes(source.read_bytes())
    whole = writing.kubeconfig(
        {"server": "https://a.example", "certificate-authority": "pki/ca.crt"},
        {"client-certificate": "../two/client.crt", "client-key": "deep/client.key"},
    )
    one = writing.write(tmp_path / "one/config", {**whole, "users": []})
    two = writing.write(tmp_path / "two/config", {**whole, "clusters": []})
    environment = {"HOME": str(tmp_path), "KUBECONFIG": f"{one}{os.pathsep}{two}"}

    theirs = kubectl_view(environment, "", "--flatten")
    found = access.find(environment=environment)
    held = Written(found.user).ready()

    assert theirs is not None
    assert _encoded(tls.authority(found.cluster)) == theirs["cluster"]["certificate-authority-data"]
    assert _encoded(held.certificate) == theirs["user"]["client-certificate-data"]
    assert _encoded(held.key) == theirs["user"]["client-key-data"]


def test_the_home_directory_is_looked_into_last(tmp_path: Path) -> None:
    written = writing.kubeconfig({"server": "https://home.example"}, namespace="at-home")
    writing.write(tmp_path / ".kube/config", written)
    environment = {"HOME": str(tmp_path)}

    assert ours(environment, "") == kubectl_view(environment, "")
    assert access.find(environment=environment).server == "https://home.example"


def test_a_named_file_is_the_only_one(tmp_path: Path) -> None:
    named = writing.write(tmp_path / "named", writing.kubeconfig({"server": "https://named.example"}))
    listed = writing.write(tmp_path / "listed", writing.kubeconfig({"server": "https://listed.example"}))
    environment = {"HOME": str(tmp_path), "KUBECONFIG": str(listed)}

    found = access.find(str(named), namespace="asked", environment=environment)

    assert (found.server, found.namespace) == ("https://named.example", "asked")
    with pytest.raises(KubeError, match="no such file"):
        access.find(str(tmp_path / "nowhere"), environment=environment)
