"""Releases as real Helm stores them, read without helm."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from dev.cluster.client import Namespace
from tests.support import stateful_chart
from watchbill.deploy import releases
from watchbill.deploy.releases import Content, Release
from watchbill.kube.client import Kube

pytestmark = [pytest.mark.cluster, pytest.mark.parametrize("version", ["4.3.1", "3.19.0"])]

Run = Callable[[Callable[[Kube], Awaitable[Any]]], Any]


@pytest.mark.parametrize("driver", ["secret", "configmap"])
def test_they_are_told_as_helm_tells_them(
    namespace: Namespace, with_kube: Run, version: str, driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELM_DRIVER", driver)
    chart = str(stateful_chart.write(namespace.scratch))
    for name in ("one", "two"):
        namespace.helm(version, "install", name, chart, "--labels=watchbill.dev/operation=op-1")
    namespace.helm(
        version, "upgrade", "one", chart, "--set=greeting=hi", "--labels=watchbill.dev/operation=op-2"
    )
    stateful_chart.fate(namespace, two_migrate="fail")
    failed = namespace.helm(version, "upgrade", "two", chart, check=False)
    requests: list[str] = []

    async def work(kube: Kube) -> tuple[dict[str, Release], Content]:
        send = kube._client.send

        async def counted(request: Any, stream: bool = False) -> Any:
            requests.append(request.method)
            return await send(request, stream)

        kube._client.send = counted  # type: ignore[method-assign,assignment]
        found = await releases.releases(kube, namespace.name)
        assert requests == ["GET"], "one request a namespace"
        deployed = found["one"].deployed
        assert deployed
        return found, await releases.content(kube, found["one"], deployed)

    found, content = with_kube(work)
    assert sorted(found) == ["one", "two"]
    one = found["one"]
    assert [(each.number, each.status) for each in one.revisions] == [(1, "superseded"), (2, "deployed")]
    assert [each.labels["watchbill.dev/operation"] for each in one.revisions] == ["op-1", "op-2"]
    assert (one.storage, one.is_interrupted) == (driver, False)
    assert failed.returncode
    assert found["two"].good
    assert found["two"].good.number == 1
    assert content.manifest.strip() == namespace.helm(version, "get", "manifest", "one").stdout.strip()
    hooks = namespace.helm(version, "get", "hooks", "one").stdout
    assert len(content.hooks) == 2
    assert all(hook.strip() in hooks for hook in content.hooks)
    assert (content.chart, content.chart_version, content.app_version) == ("stateful", "1.0.0", "1.0.0")
    assert content.values == {"greeting": "hi"}


def test_a_namespace_without_any_and_one_that_does_not_exist_have_none(
    namespace: Namespace, with_kube: Run, version: str
) -> None:
    assert version
    assert with_kube(lambda kube: releases.releases(kube, namespace.name)) == {}
    assert with_kube(lambda kube: releases.releases(kube, "no-such-namespace")) == {}
