"""Claims that have a volume: real Helm grows one and cannot shrink it again, as the model says where the cluster is a usual one.

Tapes are played where nothing is, so that no claim ever gets a volume; this is played here.
"""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.cluster.client import Cluster, Namespace, eventually
from tests.conftest import Watchbill

pytestmark = pytest.mark.cluster

CLAIM = """apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: data}}
spec:
  storageClassName: {storage}
  accessModes: [ReadWriteOnce]
  resources: {{requests: {{storage: {size}}}}}
"""
MOVES = ("install", "upgrade", "rollback")


@pytest.fixture
def storage(control_plane: Cluster) -> Iterator[str]:
    """A class whose volumes may grow, and one volume."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    kinds = {"StorageClass": "storage.k8s.io/v1", "PersistentVolume": "v1"}
    about: dict[str, dict[str, object]] = {
        "StorageClass": {"provisioner": "kubernetes.io/no-provisioner", "allowVolumeExpansion": True},
        "PersistentVolume": {
            "spec": {
                "storageClassName": name,
                "capacity": {"storage": "2Gi"},
                "accessModes": ["ReadWriteOnce"],
                "hostPath": {"path": f"/var/lib/{name}"},
            }
        },
    }
    for kind, rest in about.items():
        made = {"apiVersion": kinds[kind], "kind": kind, "metadata": {"name": name}, **rest}
        control_plane.kubectl("apply", "--filename=-", stdin=json.dumps(made))
    yield name
    for kind in kinds:
        control_plane.kubectl("delete", kind, name, "--wait=false")


@pytest.mark.parametrize("version", ["4.3.1", "3.19.0"])
def test_a_claim_grows_and_does_not_shrink(
    version: str, storage: str, namespace: Namespace, watchbill: Watchbill, tmp_path: Path
) -> None:
    charts = [_chart(tmp_path / size, CLAIM.format(storage=storage, size=size)) for size in ("1Gi", "2Gi")]
    told = json.loads(
        watchbill("rehearse", *map(str, charts), *MOVES, "--tool", f"helm@{version}", "-o", "json").stdout
    )
    for move, played in zip(MOVES, told["moves"], strict=True):
        chart = {"install": [str(charts[0])], "upgrade": [str(charts[1])]}.get(move, [])
        done = namespace.helm(version, move, "r", *chart, check=False)
        assert eventually(lambda: _is_bound(namespace), 30), "the volume is not found"

        assert (done.returncode == 0) == played["ok"] == (move != "rollback"), done.stderr
        reason = played["error"].partition(" is invalid: ")[2]
        assert reason in done.stderr
        assert bool(reason) == (move == "rollback")


def _is_bound(namespace: Namespace) -> bool:
    claim = namespace.find("pvc", "data")
    return claim is not None and claim["status"].get("phase") == "Bound"


def _chart(folder: Path, manifest: str) -> Path:
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 1.0.0\n")
    (folder / "templates/claim.yaml").write_text(manifest)
    return folder
