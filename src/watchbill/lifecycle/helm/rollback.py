"""`helm rollback` (pkg/action/rollback.go): nothing is rendered, the stored revision comes back."""

from watchbill.lifecycle.helm.build import build
from watchbill.lifecycle.helm.hooks import run_hooks
from watchbill.lifecycle.helm.operation import Failed, Operation, owned
from watchbill.lifecycle.helm.requests import Update, delete_created
from watchbill.lifecycle.helm.waits import wait_for_plain
from watchbill.lifecycle.world import Release


def rollback(op: Operation, revision: int) -> None:
    if not op.history:
        raise Failed("release: not found")
    current = op.history[-1]
    wanted = revision or current.revision - 1
    previous = next((known for known in op.history if known.revision == wanted), None)
    if previous is None:
        raise Failed(f"release has no {wanted} version")
    server_side = op.applies(previous)
    release = op.add(Release(current.revision + 1, "pending-rollback", previous.rendered, server_side))

    unable = "unable to build kubernetes objects from"
    build(op.client, current.rendered.manifests, f"{unable} current release manifest: ")
    build(op.client, release.rendered.manifests, f"{unable} new release manifest: ")
    if not op.flags.no_hooks:
        run_hooks(op, release, "pre-rollback", server_side=server_side)
    targets = owned(release.rendered.manifests, op.release, op.namespace)
    update = Update(op, server_side=server_side, take_over_fields=True, three_way=False)
    try:
        update.run(current.rendered.manifests, targets)
    except Failed:
        op.mark(current, "superseded")
        op.mark(release, "failed")
        if op.flags.cleanup_on_fail:
            delete_created(op, update.created)
        raise
    try:
        wait_for_plain(op, targets)
    except Failed as failed:
        op.save(current)
        op.mark(release, "failed")
        raise Failed(f"release {op.release} failed: {failed.words}") from None
    if not op.flags.no_hooks:
        run_hooks(op, release, "post-rollback", server_side=server_side)
    op.supersede_deployed()
    op.mark(release, "deployed")
