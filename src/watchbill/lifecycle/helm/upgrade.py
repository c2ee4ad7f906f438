"""`helm upgrade` (pkg/action/upgrade.go)."""

from functools import lru_cache

from msgspec.structs import replace

from watchbill.lifecycle.helm.build import build
from watchbill.lifecycle.helm.hooks import run_hooks
from watchbill.lifecycle.helm.install import install
from watchbill.lifecycle.helm.operation import Failed, Operation, owned
from watchbill.lifecycle.helm.ownership import adopted
from watchbill.lifecycle.helm.requests import Update, delete_created
from watchbill.lifecycle.helm.rollback import rollback
from watchbill.lifecycle.helm.waits import wait_for_plain
from watchbill.lifecycle.lab import Render
from watchbill.lifecycle.world import Manifest, Release

PENDING = ("pending-install", "pending-upgrade", "pending-rollback")


def upgrade(op: Operation, render: Render) -> None:
    last = op.history[-1] if op.history else None
    if op.flags.install and (last is None or last.status == "uninstalled"):
        # An install on behalf of upgrade does not call itself an installation when it fails.
        op.flags = replace(op.flags, replace=last is not None)
        install(op, render)
        return
    try:
        _upgrade(op, render)
    except Failed as failed:
        raise Failed(f"UPGRADE FAILED: {failed.words}") from None


def _upgrade(op: Operation, render: Render) -> None:
    last, original = _baseline(op)
    rendered = render(upgrade=True, revision=last.revision + 1, world=op.client.world)
    if rendered.error:
        raise Failed(rendered.error)
    server_side = op.applies(last)
    build(op.client, rendered.manifests)
    current = original.rendered.manifests
    build(op.client, current, "unable to build kubernetes objects from current release manifest: ")
    targets = owned(rendered.manifests, op.release, op.namespace)
    current += adopted(op, _new(targets, current), op.cannot_continue("update"))

    release = op.add(Release(last.revision + 1, "pending-upgrade", rendered, server_side))
    take_over = server_side and not original.server_side
    update = Update(op, server_side=server_side, take_over_fields=take_over, three_way=False)
    try:
        if not op.flags.no_hooks:
            _hooks(op, release, "pre-upgrade")
        try:
            update.run(current, targets)
            wait_for_plain(op, targets)
        except Failed:
            op.save(original)
            raise
        if not op.flags.no_hooks:
            _hooks(op, release, "post-upgrade")
    except Failed as failed:
        raise _fail(op, release, update.created, failed) from None
    op.mark(original, "superseded")
    op.mark(release, "deployed")


@lru_cache(1 << 12)
def _new(targets: tuple[Manifest, ...], current: tuple[Manifest, ...]) -> tuple[Manifest, ...]:
    known = {(manifest.body.api_version, manifest.key) for manifest in current}
    return tuple(manifest for manifest in targets if (manifest.body.api_version, manifest.key) not in known)


def _baseline(op: Operation) -> tuple[Release, Release]:
    """The last revision, and the one whose manifest counts as what is in the cluster."""
    none = Failed(f'"{op.release}" has no deployed releases')
    if not op.history:
        raise none
    last = op.history[-1]
    if last.status in PENDING:
        raise Failed("another operation (install/upgrade/rollback) is in progress")
    deployed = op.deployed
    if deployed is not None:
        return last, deployed
    if last.status in ("failed", "superseded"):
        return last, last
    raise none


def _hooks(op: Operation, release: Release, event: str) -> None:
    try:
        run_hooks(op, release, event, server_side=release.server_side)
    except Failed as failed:
        raise Failed(f"{event} hooks failed: {failed.words}") from None


def _fail(op: Operation, release: Release, created: list[Manifest], failed: Failed) -> Failed:
    op.mark(release, "failed")
    if op.flags.cleanup_on_fail:
        delete_created(op, created)
    if not op.flags.atomic:
        return failed
    good = [known for known in op.history if known.status in ("superseded", "deployed")]
    if not good:
        return Failed(
            "unable to find a previously successful release when attempting to rollback. "
            f"original upgrade error: {failed.words}"
        )
    wait = "true" if op.traits.major == 3 else op.flags.wait
    flags = replace(op.flags, wait=wait, cleanup_on_fail=False, history_max=0)
    try:
        rollback(replace(op, flags=flags), good[-1].revision)
    except Failed as again:
        return Failed(
            "an error occurred while rolling back the release. "
            f"original upgrade error: {failed.words}: {again.words}"
        )
    return Failed(
        f"release {op.release} failed, and has been rolled back due to {op.undoing_flag} being set: {failed.words}"
    )
