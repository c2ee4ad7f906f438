"""`helm test`: the test hooks of the last revision."""

from functools import partial

from msgspec.structs import replace

from watchbill.lifecycle.helm.hooks import run_hooks
from watchbill.lifecycle.helm.operation import Failed, Operation


def test(op: Operation) -> None:
    if not op.history:
        raise Failed("release: not found")
    last = op.history[-1]
    if op.traits.major > 3:
        # Whatever is asked for, a test's hooks are watched; and they stay until their logs are printed.
        op.flags = replace(op.flags, wait="watcher")
        run_hooks(op, last, "test", server_side=last.server_side, before_cleaning_up=partial(op.save, last))
        return
    try:
        run_hooks(op, last, "test", server_side=False)
    finally:
        op.save(last)
