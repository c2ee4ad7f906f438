"""Every helm takes what it is given: real binaries, which get as far as the cluster that is not there."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dev import binaries
from watchbill.helm.driver import Helm
from watchbill.helm.requests import Done, RollbackRequest, Target, UninstallRequest, UpgradeRequest

NOWHERE = """
apiVersion: v1
kind: Config
clusters: [{name: nowhere, cluster: {server: "http://127.0.0.1:9"}}]
contexts: [{name: there, context: {cluster: nowhere, user: me}}, {name: other, context: {cluster: none, user: me}}]
users: [{name: me, user: {}}]
current-context: other
"""

CASES: dict[str, Callable[[Helm, Path], Awaitable[Done]]] = {
    "upgrade": lambda helm, chart: helm.upgrade(
        UpgradeRequest(
            release="r",
            namespace="n",
            chart=str(chart),
            version="1.0.0",
            values=(str(chart / "values.yaml"),),
            values_text='{"a": {"b": 1}}',
            set_json=('c={"d": 1}',),
            set=("e=1",),
            set_string=("f=1",),
            set_file=(f"g={chart}/values.yaml",),
            labels={"watchbill.dev/product": "p", "watchbill.dev/version": "1.0.0"},
            timeout=90.5,
            wait=True,
            wait_for_jobs=True,
            atomic=True,
            cleanup_on_fail=True,
            history_max=3,
            skip_crds=True,
        )
    ),
    "dry run": lambda helm, chart: helm.upgrade(
        UpgradeRequest(release="r", namespace="n", chart=str(chart), dry_run=True)
    ),
    "rollback": lambda helm, _: helm.rollback(RollbackRequest(release="r", namespace="n", revision=1)),
    "uninstall": lambda helm, _: helm.uninstall(UninstallRequest(release="r", namespace="n")),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("version", binaries.HELMS)
def test_helm_takes_all_flags_and_asks_the_cluster_it_was_told(
    tmp_path: Path, version: str, case: str
) -> None:
    chart = tmp_path / "chart"
    chart.mkdir()
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 1.0.0\n")
    (chart / "values.yaml").write_text("a: {}\n")
    kubeconfig = tmp_path / "config"
    kubeconfig.write_text(NOWHERE)
    kubeconfig.chmod(0o600)

    async def run() -> Done:
        target = Target(str(kubeconfig), "there")
        async with Helm.find(str(binaries.helm(version)), target) as helm:
            return await CASES[case](helm, chart)

    done = asyncio.run(run())
    assert not done.ok
    assert "127.0.0.1:9" in done.reason, done.lines
    assert "cluster unreachable" in done.reason.lower(), done.reason
