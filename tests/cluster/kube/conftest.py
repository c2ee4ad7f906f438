"""Ways into the real cluster: kubeconfigs of our own making, and who we are by them."""

import asyncio
import base64
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from lightkube.resources.authentication_v1 import SelfSubjectReview

from dev.cluster.client import Cluster, Namespace
from tests.kube import writing
from watchbill.kube import access
from watchbill.kube.access import Access
from watchbill.kube.client import Kube, connect, connect_sync

T = TypeVar("T")


class Ways:
    """The cluster's address and authority, and its administrator, put together as a test wants."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        view = cluster.kubectl("config", "view", "--raw", "--minify", "--flatten", "--output=json")
        config = json.loads(view.stdout)
        self.cluster: writing.Part = config["clusters"][0]["cluster"]
        self.admin: writing.Part = config["users"][0]["user"]
        self.folder = folder

    def reach(
        self, user: writing.Part, cluster: writing.Part | None = None, *, namespace: str = "default"
    ) -> Access:
        """As the cluster is, but for what is said of it."""
        changed = {**self.cluster, **(cluster or {})}
        written = writing.kubeconfig(changed, user, namespace=namespace)
        return access.find(str(writing.write(self.folder / "kubeconfig", written)), environment={})

    def administrator(self, namespace: str = "default") -> Access:
        return self.reach(self.admin, namespace=namespace)

    def plugin(self, name: str, **status: str) -> Path:
        """A program that gives this."""
        given = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}
        script = self.folder / name
        script.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(given)}\nEND\n")
        script.chmod(0o755)
        return script

    def pem(self, field: str) -> str:
        return base64.b64decode(self.admin[field]).decode()


def asked_by(script: Path) -> writing.Part:
    return {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": str(script),
            "interactiveMode": "Never",
        }
    }


def with_kube(found: Access, work: Callable[[Kube], Coroutine[Any, Any, T]], *, dry_run: bool = False) -> T:
    """Work with a connection, to its end."""

    async def run() -> T:
        async with connect(found, dry_run=dry_run) as kube:
            return await work(kube)

    return asyncio.run(run())


def who_am_i(found: Access) -> str:
    """As the API server sees us; by both clients."""

    async def ask(kube: Kube) -> str:
        return _user(await kube.create(SelfSubjectReview()))

    name = with_kube(found, ask)
    with connect_sync(found) as kube:
        assert _user(kube.create(SelfSubjectReview())) == name
    return name


def _user(review: SelfSubjectReview) -> str:
    assert review.status is not None
    assert review.status.userInfo is not None
    return review.status.userInfo.username or ""


@pytest.fixture
def ways(namespace: Namespace, tmp_path: Path) -> Ways:
    return Ways(namespace.cluster, tmp_path)


@pytest.fixture
def account(namespace: Namespace) -> str:
    """A service account that may do nothing yet."""
    namespace.kubectl("create", "serviceaccount", "robot")
    return "robot"
