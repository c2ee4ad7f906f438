"""The tapes are what the real tools do today: what changed and a sample are recorded again."""

import pytest

from dev.cluster.client import Cluster
from dev.tapes import library
from dev.tapes.case import Truth
from dev.tapes.stage import Server

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("ours")]

# Digests are as good as random, and a case that is edited moves: over time all are seen.
SAMPLE = 8


def test_recorded_again_cases_equal_their_tapes(control_plane: Cluster) -> None:
    found = library.tasks(library.find())
    changed = [task for task in found if task.changed]
    unchanged = sorted((t for t in found if not t.changed), key=lambda task: task.case.digest(task.tool))
    assert unchanged, "there are no tapes"
    different: dict[str, object] = {}

    def compare(task: library.Task, result: Truth | Exception) -> None:
        if isinstance(result, Exception):
            different[str(task)] = result
        elif task.known is None or result["moves"] != task.known["moves"]:
            different[str(task)] = result["moves"]

    with Server.of(control_plane.kubeconfig) as server:
        library.record([*changed, *unchanged[:SAMPLE]], server, compare)

    assert not different, "record them: python -m dev.tapes record"
