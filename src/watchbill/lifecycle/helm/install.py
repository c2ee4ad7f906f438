"""`helm install` (pkg/action/install.go)."""

from msgspec.structs import replace

from watchbill.lifecycle.flags import Flags
from watchbill.lifecycle.helm.build import build
from watchbill.lifecycle.helm.hooks import run_hooks
from watchbill.lifecycle.helm.operation import Failed, Operation, owned
from watchbill.lifecycle.helm.ownership import adopted
from watchbill.lifecycle.helm.requests import Update, create_all
from watchbill.lifecycle.helm.uninstall import uninstall
from watchbill.lifecycle.helm.waits import wait_for_plain
from watchbill.lifecycle.lab import Render
from watchbill.lifecycle.server import Reason, Refused
from watchbill.lifecycle.world import Manifest, Release


def install(op: Operation, render: Render) -> None:
    _check_name(op)
    server_side = op.traits.server_side_apply and op.flags.server_side != "false"
    rendered = render(upgrade=False, revision=1, world=op.client.world)
    if not op.flags.skip_crds:
        for crd in rendered.crds:
            _create_crd(op, crd, server_side)
    if rendered.error:
        raise Failed(rendered.error)
    build(op.client, rendered.manifests, "unable to build kubernetes objects from release manifest: ")
    targets = owned(rendered.manifests, op.release, op.namespace)
    adopt = adopted(op, targets, op.cannot_continue("install"))
    release = Release(1, "pending-install", rendered, server_side)
    if op.flags.replace and op.history:
        last = op.history[-1]
        release = replace(release, revision=last.revision + 1)
        if last.status != "failed":
            op.mark(last, "superseded")
    op.save(release)
    try:
        if not op.flags.no_hooks:
            _hooks(op, release, "pre-install", server_side)
        if adopt:
            three_way = op.flags.take_ownership and op.traits.merges_adopted_custom and not server_side
            Update(op, server_side=server_side, take_over_fields=True, three_way=three_way).run(
                adopt, targets
            )
        elif targets:
            create_all(op, targets, server_side=server_side)
        wait_for_plain(op, targets)
        if not op.flags.no_hooks:
            _hooks(op, release, "post-install", server_side)
    except Failed as failed:
        raise _fail(op, release, failed) from None
    op.mark(release, "deployed")


def _hooks(op: Operation, release: Release, event: str, server_side: bool) -> None:
    try:
        run_hooks(op, release, event, server_side=server_side)
    except Failed as failed:
        raise Failed(f"failed {event}: {failed.words}") from None


def _fail(op: Operation, release: Release, failed: Failed) -> Failed:
    if not op.flags.atomic:
        op.mark(release, "failed")
        return failed
    undo = replace(op, flags=_undo_flags(op))
    try:
        uninstall(undo)
    except Failed as again:
        return Failed(
            "an error occurred while uninstalling the release. "
            f"original install error: {failed.words}: {again.words}"
        )
    return Failed(
        f"release {op.release} failed, and has been uninstalled due to {op.undoing_flag} being set: {failed.words}"
    )


def _undo_flags(op: Operation) -> Flags:
    wait = op.flags.wait if op.traits.major > 3 else ""
    return Flags(no_hooks=op.flags.no_hooks, timeout=op.flags.timeout, wait=wait)


def _check_name(op: Operation) -> None:
    if not op.history:
        return
    if op.flags.replace and op.history[-1].status in ("uninstalled", "failed"):
        return
    if op.traits.major == 3:
        raise Failed("cannot re-use a name that is still in use")
    raise Failed("release name check failed: cannot reuse a name that is still in use")


def _create_crd(op: Operation, crd: Manifest, server_side: bool) -> None:
    """Created if it is not there; never changed, whatever it says."""
    try:
        if server_side:
            op.client.apply(crd, force=op.flags.force_conflicts, why="crds/")
        else:
            op.client.create(crd, why="crds/")
    except Refused as refused:
        if refused.reason is not Reason.EXISTS:
            raise Failed(f"failed to install CRD {crd.path}: {refused.words}") from None
