"""A kubeconfig of one context, for another program that must reach the cluster that was found, and no other.

Whatever becomes of the user's own kubeconfig meanwhile (`kubectl config use-context`, a new login), the copy stays. It holds
what the user's file holds, secrets too, so only the user may read it. Files that the kubeconfig names are not copied: tokens
and certificates are renewed by replacing them.
"""

import base64
import json
import os
from typing import Any

from watchbill.kube.access import Access
from watchbill.kube.kubeconfig import EXEC_EXTENSION, Cluster, Plugin, User, exec_extension

_IN_CLUSTER = "in-cluster"


def write(access: Access, file: str) -> str:
    """Write the kubeconfig into a file that is not there yet. Return the name of its one context."""
    name = access.context or _IN_CLUSTER
    tree = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": _cluster(access.cluster)}],
        "users": [{"name": name, "user": _user(access.user)}],
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": name, "namespace": access.namespace}}
        ],
    }
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as opened:
        json.dump(tree, opened)  # which is YAML as well
    return name


def _cluster(cluster: Cluster) -> dict[str, Any]:
    extension = exec_extension(cluster)
    return _given(
        {
            "server": cluster.server,
            "tls-server-name": cluster.tls_server_name,
            "insecure-skip-tls-verify": cluster.insecure,
            "certificate-authority": cluster.authority_file,
            "certificate-authority-data": _data(cluster.authority),
            "proxy-url": cluster.proxy_url,
            "disable-compression": cluster.disable_compression,
            "extensions": extension and [{"name": EXEC_EXTENSION, "extension": extension}],
        }
    )


def _user(user: User) -> dict[str, Any]:
    return _given(
        {
            "client-certificate": user.certificate_file,
            "client-certificate-data": _data(user.certificate),
            "client-key": user.key_file,
            "client-key-data": _data(user.key),
            "token": user.token,
            "tokenFile": user.token_file,
            "username": user.username,
            "password": user.password,
            "exec": user.plugin and _plugin(user.plugin),
            "as": user.impersonate,
            "as-uid": user.impersonate_uid,
            "as-groups": user.impersonate_groups,
            "as-user-extra": {key: list(values) for key, values in user.impersonate_extra},
        }
    )


def _plugin(plugin: Plugin) -> dict[str, Any]:
    return _given(
        {
            "command": plugin.command,
            "args": plugin.args,
            "env": [{"name": name, "value": value} for name, value in plugin.env],
            "apiVersion": plugin.api_version,
            "installHint": plugin.install_hint,
            "provideClusterInfo": plugin.provide_cluster_info,
            "interactiveMode": plugin.interactive_mode,
        }
    )


def _data(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value}
