"""What is seen although it lies farther away than the explorer walks."""

import pytest

from tests.support.checks import found
from watchbill.charts.engine import Engine

HOOK = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: work
  annotations: {{helm.sh/hook: {event}, helm.sh/hook-delete-policy: '{policy}'}}
spec:
  activeDeadlineSeconds: 60
  template: {{spec: {{restartPolicy: Never, containers: [{{name: main, image: 'app:1'}}]}}}}
"""


def stays(engine: Engine, event: str, policy: str) -> list[str]:
    """How bad it is that the hook of an earlier run is still there."""
    manifests = HOOK.format(event=event, policy=policy)
    return [one.level for one in found(engine, manifests, "") if one.rule == "WB201"]


@pytest.mark.parametrize(
    ("event", "policy", "expected"),
    [
        ("post-upgrade", "hook-succeeded,hook-failed", ["warning"]),  # its client may be killed
        ("post-upgrade", "before-hook-creation", []),
        ("pre-rollback", "hook-succeeded", ["error"]),  # a rollback may fail, and be tried again
        ("pre-rollback", "hook-failed", ["error"]),  # a second rollback
        ("pre-rollback", "before-hook-creation", []),
    ],
)
def test_hooks_that_stay_until_their_next_run(
    engine: Engine, event: str, policy: str, expected: list[str]
) -> None:
    assert stays(engine, event, policy) == expected
