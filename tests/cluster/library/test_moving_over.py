"""A release with a Job of a fixed name moves over to the library: each cell of the README's table, with the way around."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from dev.cluster.client import Done, Namespace
from tests.charts_lib.helm import FIXTURES
from tests.support.membership import HOOKS, LIBRARY, PLAIN, Values, is_hook

pytestmark = pytest.mark.cluster

Form = Literal["plain", "hook"]
SAME, OTHER = "acme-shop-migrate", "acme-shop"
HOOK = {"helm.sh/hook": "pre-install,pre-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation"}
OLD = """\
apiVersion: batch/v1
kind: Job
metadata: {name: {{ .Values.name }}, annotations: {{ .Values.annotations | toJson }}}
spec:
  template:
    spec:
      restartPolicy: Never
      serviceAccountName: {{ .Values.account }}
      containers: [{name: migrate, image: "shop:0.9"}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: {{ .Values.account }}, annotations: {{ merge (dict "helm.sh/hook-weight" "-1") .Values.annotations | toJson }}}
"""


@dataclass(frozen=True)
class Move:
    """From an old Job by some upgrades to the library; what is there then, and what the first of them said if it failed."""

    old: Form
    name: str
    account: str
    upgrades: tuple[Form, ...]
    hooks: tuple[str, ...]
    runs: int
    refused: str = ""


CELLS = {
    "plain to plain": Move("plain", SAME, SAME, ("plain",), hooks=(), runs=1),
    "plain to hook": Move("plain", OTHER, SAME, ("hook",), hooks=(SAME,), runs=0),
    "plain to hook with the name of the new one": Move("plain", SAME, SAME, ("hook",), hooks=(), runs=0),
    "the same by way of plain": Move("plain", SAME, SAME, ("plain", "hook"), hooks=(SAME,), runs=0),
    "hook to plain": Move("hook", SAME, "old", ("plain",), hooks=(SAME,), runs=1),
    "hook to plain with the name of the account": Move(
        "hook", SAME, SAME, ("plain",), hooks=(SAME,), runs=0, refused="cannot be imported"
    ),
    "the same by way of hook": Move("hook", SAME, SAME, ("hook", "plain"), hooks=(SAME,), runs=1),
    "hook to hook": Move("hook", SAME, SAME, ("hook",), hooks=(SAME,), runs=0),
    "hook to hook under another name": Move("hook", OTHER, "old", ("hook",), hooks=(OTHER, SAME), runs=0),
}


@pytest.mark.parametrize("move", CELLS.values(), ids=list(CELLS))
def test_a_release_moves_over(namespace: Namespace, helm: str, tmp_path: Path, move: Move) -> None:
    old, new = charts(tmp_path)
    values: Values = {
        "name": move.name,
        "account": move.account,
        "annotations": HOOK if move.old == "hook" else {},
    }
    deploy(namespace, helm, "install", old, values)

    for form in move.upgrades:
        done = deploy(namespace, helm, "upgrade", new, HOOKS if form == "hook" else PLAIN, check=False)
        assert (done.returncode != 0) == bool(move.refused), done.stderr
        assert move.refused in done.stderr

    jobs = namespace.list("jobs")
    assert sorted(job["metadata"]["name"] for job in jobs if is_hook(job)) == sorted(move.hooks)
    assert len([job for job in jobs if not is_hook(job)]) == move.runs


def charts(place: Path) -> tuple[Path, Path]:
    """The chart as it was, and the same on the library."""
    old = place / "old"
    (old / "templates").mkdir(parents=True)
    (old / "Chart.yaml").write_text("apiVersion: v2\nname: shop\nversion: 0.9.0\n")
    (old / "templates/job.yaml").write_text(OLD)
    new = shutil.copytree(FIXTURES / "consumer", place / "new")
    shutil.copytree(LIBRARY, new / "charts/watchbill-lib")
    return old, new


def deploy(
    namespace: Namespace, helm: str, verb: str, chart: Path, values: Values, *, check: bool = True
) -> Done:
    given = [f"--set-json={key}={json.dumps(value)}" for key, value in values.items()]
    return namespace.helm(helm, verb, "acme", str(chart), *given, check=check)
