"""`helm uninstall` (pkg/action/uninstall.go)."""

from functools import lru_cache

from watchbill.lifecycle.helm.build import build
from watchbill.lifecycle.helm.hooks import run_hooks
from watchbill.lifecycle.helm.operation import Failed, Operation
from watchbill.lifecycle.helm.order import uninstall_order
from watchbill.lifecycle.helm.ownership import foreign
from watchbill.lifecycle.helm.requests import KEEP, side_by_side
from watchbill.lifecycle.helm.waits import wait_for_deletion
from watchbill.lifecycle.world import Manifest, Release, Rendered


def uninstall(op: Operation) -> None:
    history = op.history
    if not history:
        if op.flags.ignore_not_found:
            return
        raise Failed(f"uninstall: Release not loaded: {op.release}: release: not found")
    last = history[-1]
    if last.status == "uninstalled":
        if op.flags.keep_history:
            raise Failed(f'the release named "{op.release}" is already deleted')
        _purge(op)
        return
    release = last.now("uninstalling")
    server_side = op.traits.server_side_apply
    if not op.flags.no_hooks:
        run_hooks(op, release, "pre-delete", server_side=server_side)
    op.save(release)
    deleted = _delete_plain(op, release)
    errors = []
    try:
        if op.flags.wait:
            wait_for_deletion(op, deleted)
    except Failed as failed:
        errors.append(failed.words)
    if not op.flags.no_hooks:
        try:
            run_hooks(op, release, "post-delete", server_side=server_side)
        except Failed as failed:
            errors.append(failed.words)
    if op.flags.keep_history:
        _keep(op, release)
    else:
        _purge(op)
    if errors:
        raise Failed(f"uninstallation completed with {len(errors)} error(s): {'; '.join(errors)}")


def _keep(op: Operation, release: Release) -> None:
    op.mark(release, "uninstalled")
    if op.traits.supersedes_on_uninstall:
        op.supersede_deployed()


def _purge(op: Operation) -> None:
    for known in op.history:
        op.client.forget(op.records, known.revision)


def _delete_plain(op: Operation, release: Release) -> tuple[Manifest, ...]:
    manifests = _to_delete(release.rendered)
    try:
        build(op.client, manifests)
    except Failed:
        raise Failed(f"failed to delete release: {op.release}") from None
    if op.traits.checks_owner_on_uninstall:
        manifests = tuple(manifest for manifest in manifests if _owned(op, manifest))
    for manifest in side_by_side(manifests):
        op.client.delete(manifest)
    return manifests


def _owned(op: Operation, manifest: Manifest) -> bool:
    live = op.client.get(manifest.key)
    return live is not None and not foreign(live.body, op.release, op.namespace)


@lru_cache(1 << 10)
def _to_delete(rendered: Rendered) -> tuple[Manifest, ...]:
    """Any policy but "keep" is neither kept nor deleted: it is forgotten."""
    manifests = [manifest for manifest in rendered.manifests if KEEP not in manifest.body.annotations]
    return tuple(sorted(manifests, key=lambda manifest: uninstall_order(manifest.key.kind)))
