"""`helm test`: the test hooks of the last revision."""

from msgspec.structs import replace

from watchbill.lifecycle.helm.hooks import run_hooks
from watchbill.lifecycle.helm.operation import Failed, Operation


def test(op: Operation) -> None:
    if not op.history:
        raise Failed("release: not found")
    last = op.history[-1]
    if op.traits.major > 3:
        op.flags = replace(op.flags, wait="watcher")  # whatever is asked for, a test's hooks are watched
    try:
        run_hooks(op, last, "test", server_side=last.server_side)
    finally:
        op.save(last)
