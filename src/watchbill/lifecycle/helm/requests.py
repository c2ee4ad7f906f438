"""How Helm creates, updates and deletes objects (pkg/kube/client.go)."""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import groupby

from msgspec.structs import replace

from watchbill.lifecycle.helm.operation import Failed, Operation
from watchbill.lifecycle.helm.traits import HelmTraits
from watchbill.lifecycle.kube import catalog, merge
from watchbill.lifecycle.kube.apply import Managers
from watchbill.lifecycle.kube.decode import decode_error
from watchbill.lifecycle.objects import Body, group_of
from watchbill.lifecycle.server import Reason, Refused
from watchbill.lifecycle.world import Manifest

KEEP = "helm.sh/resource-policy"
# Kubernetes' own, but not in the scheme that Helm reads objects with.
WITHOUT_GO_TYPES = frozenset({"apiregistration.k8s.io"})


def create_all(op: Operation, manifests: tuple[Manifest, ...], *, server_side: bool, why: str = "") -> None:
    """Every one is tried, whatever becomes of the others."""
    errors = []
    for manifest in side_by_side(manifests):
        try:
            _create(op, manifest, server_side=server_side, why=why)
        except Failed as failed:
            errors.append(failed.words)
    if errors:
        raise Failed(several(op, errors))


@lru_cache(1 << 12)
def side_by_side(manifests: tuple[Manifest, ...]) -> tuple[Manifest, ...]:
    """Kind after kind. Helm sends all of a kind at once: any order among them is right, this one is always the same."""
    by_kind = groupby(manifests, key=lambda manifest: manifest.key.kind)
    return tuple(
        manifest
        for _, same_kind in by_kind
        for manifest in sorted(same_kind, key=lambda manifest: manifest.key)
    )


def several(op: Operation, errors: Sequence[str]) -> str:
    """How Helm joins the errors of objects that are created together."""
    if op.traits.major > 3:
        return "\n".join(errors)
    count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
    return f"{count} occurred:\n" + "\n".join(f"\t* {error}" for error in errors) + "\n\n"


def _create(
    op: Operation, manifest: Manifest, *, server_side: bool, force: bool = False, why: str = ""
) -> None:
    if not manifest.key.name and server_side:
        nameless = Refused(Reason.BAD_REQUEST, "resource name may not be empty")
        raise Failed(_apply_words(op, manifest, nameless))
    try:
        if server_side:
            op.client.apply(manifest, force=force, why=why)
        else:
            op.client.create(manifest, why=why)
    except Refused as refused:
        raise Failed(_apply_words(op, manifest, refused) if server_side else refused.words) from None


def _apply_words(op: Operation, manifest: Manifest, refused: Refused) -> str:
    key = manifest.key
    version = manifest.body.api_version
    which = f"{key.namespace}/{key.name} {version if '/' in version else '/' + version}, Kind={key.kind}"
    if refused.reason is Reason.CONFLICT:
        return f"conflict occurred while applying object {which}: {refused.words}"
    if not op.traits.names_applied_object:
        return refused.words
    return f"server-side apply failed for object {which}: {refused.words}"


class Update:
    """From one set of manifests to another; patch errors are collected, others stop it at once."""

    def __init__(self, op: Operation, *, server_side: bool, take_over_fields: bool, three_way: bool) -> None:
        self.op = op
        self.server_side = server_side
        self.take_over_fields = take_over_fields
        self.three_way = three_way
        self.created: list[Manifest] = []

    def run(self, originals: tuple[Manifest, ...], targets: tuple[Manifest, ...]) -> None:
        flags = self.op.flags
        if self.op.traits.server_side_apply:
            if flags.force_conflicts and not self.server_side:
                raise Failed(
                    "invalid client update option(s): forceConflicts enabled when serverSideApply disabled"
                )
            if self.server_side and flags.force:
                raise Failed("invalid operation: cannot use server-side apply and force replace together")
        matched, dropped = _matched(originals, targets, self.op.traits)
        errors = []
        for target, original in zip(targets, matched, strict=True):
            try:
                self._bring_about(original, target)
            except _Collected as error:
                errors.append(str(error))
        if errors:
            raise Failed(" && ".join(errors))
        for original in dropped:
            self._prune(original)

    def _bring_about(self, original: Manifest | None, target: Manifest) -> None:
        op = self.op
        if not target.key.name:
            raise Failed("could not get information about the resource: resource name may not be empty")
        live = op.client.get(target.key)
        if live is None:
            self.created.append(target)
            by_apply = self.server_side and op.traits.creates_by_apply_on_update
            try:
                _create(op, target, server_side=by_apply, force=op.flags.force_conflicts)
            except Failed as failed:
                raise Failed(f"failed to create resource: {failed.words}") from None
            return
        if original is not None:
            self._change(original.body, target)
        elif op.traits.adopts_what_is_live:
            self._change(live.body, target)
        else:
            raise Failed(
                f'no {target.key.kind} with the name "{target.key.name}" found'
                if op.traits.major == 3
                else f'original object {target.key.kind} with the name "{target.key.name}" not found'
            )

    def _change(self, original: Body, target: Manifest) -> None:
        if self.op.flags.force:
            self._replace(target)
        elif self.server_side:
            self._apply(target)
        else:
            self._patch(original, target)

    def _replace(self, target: Manifest) -> None:
        try:
            self.op.client.replace(target, strict=self.op.traits.major > 3)
        except Refused as refused:
            raise _Collected(f"failed to replace object: {refused.words}") from None

    def _apply(self, target: Manifest) -> None:
        client = self.op.client
        if self.take_over_fields:
            live = client.world.objects[target.key]
            managers = _taken_over(live.managers, client.manager)
            if managers != live.managers:
                client.put(target.key, replace(live, managers=managers))
        try:
            client.apply(target, force=self.op.flags.force_conflicts)
        except Refused as refused:
            raise _Collected(_apply_words(self.op, target, refused)) from None

    def _patch(self, original: Body, target: Manifest) -> None:
        client = self.op.client
        live = client.world.objects[target.key]
        try:
            merged = _merged(original, target.body, live.body, self.three_way)
        except merge.Unpatchable as error:
            raise _Collected(f"failed to create patch: {error.words}") from None
        if merged is None:
            return
        try:
            client.patch(target.key, merged)
        except Refused as refused:
            name, kind = target.key.name, target.key.kind
            raise _Collected(f'cannot patch "{name}" with kind {kind}: {refused.words}') from None

    def _prune(self, original: Manifest) -> None:
        live = self.op.client.get(original.key)
        if live is not None and live.body.annotations.get(KEEP) != "keep":
            self.op.client.delete(original, why="no longer in the chart")


@lru_cache(1 << 12)
def _matched(
    originals: tuple[Manifest, ...], targets: tuple[Manifest, ...], traits: HelmTraits
) -> tuple[tuple[Manifest | None, ...], tuple[Manifest, ...]]:
    """What each target was before, and which originals are no target any more."""
    first: dict[Hashable, Manifest] = {}
    for original in originals:
        first.setdefault(_identity(original, traits), original)
    wanted = {_identity(target, traits) for target in targets}
    return (
        tuple(first.get(_identity(target, traits)) for target in targets),
        tuple(original for original in originals if _identity(original, traits) not in wanted),
    )


def _identity(manifest: Manifest, traits: HelmTraits) -> Hashable:
    """What two manifests of the same object have in common."""
    version = manifest.body.api_version if traits.matches_version else ""
    return version, manifest.key if traits.matches_group else manifest.key[1:]


class _Collected(Exception):  # noqa: N818 - an error that does not stop the update
    pass


@lru_cache(1 << 16)
def _merged(original: Body, target: Body, live: Body, three_way: bool) -> Body | None:
    """The live object with Helm's patch in it; None if there is nothing to send."""
    if live.api_version != target.api_version:
        return target  # the server converts it; what is in it counts, not how it was written
    if _has_go_type(target):
        merged = merge.strategic(target.api_version, target.kind, original.object, target.object, live.object)
    elif three_way:
        merged = merge.json_three_way(original.object, target.object, live.object)
    else:
        merged = merge.json_two_way(original.object, target.object, live.object)
    return None if merged is live.object else Body.of(merged)


def _has_go_type(target: Body) -> bool:
    """Whether Helm can read it into a type of client-go; only those are merged strategically."""
    return (
        catalog.find(target.api_version, target.kind) is not None
        and group_of(target.api_version) not in WITHOUT_GO_TYPES
        and decode_error(target.object) is None
    )


@lru_cache(1 << 14)
def _taken_over(managers: Managers, manager: str) -> Managers:
    """What the manager owns by updates becomes what it owns by apply."""
    updates = [known for known in managers if known.name == manager and known.operation == "Update"]
    if not updates:
        return managers
    applied = [known for known in managers if known.name == manager and known.operation == "Apply"]
    fields = frozenset().union(*(known.fields for known in applied + updates))
    kept = tuple(known for known in managers if known.name != manager)
    return (*kept, replace((applied + updates)[0], operation="Apply", fields=fields))


def delete_created(op: Operation, created: Sequence[Manifest]) -> None:
    """`--cleanup-on-fail`: only what this very operation created."""
    for manifest in side_by_side(tuple(created)):
        op.client.delete(manifest, why="cleanup-on-fail")
