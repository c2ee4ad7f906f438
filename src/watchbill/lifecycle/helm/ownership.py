"""Does a live object belong to this release? Asked of plain objects only: hooks ask nobody."""

from collections.abc import Sequence

from watchbill.lifecycle.helm.operation import Failed, Operation
from watchbill.lifecycle.objects import Body
from watchbill.lifecycle.world import Manifest

MANAGED_BY = "app.kubernetes.io/managed-by"


def adopted(op: Operation, manifests: Sequence[Manifest], prefix: str) -> tuple[Manifest, ...]:
    """Those that are live and may be taken over; fails at the first that may not."""
    found = []
    for manifest in manifests:
        metadata = manifest.body.metadata
        if op.traits.major > 3 and metadata.get("generateName"):
            if manifest.key.name:
                raise Failed(f"{prefix}metadata.name and metadata.generateName cannot both be set")
            continue
        if not manifest.key.name:
            raise Failed(
                f"{prefix}could not get information about the resource {words(manifest)}: "
                "resource name may not be empty"
            )
        live = op.client.get(manifest.key)
        if live is None:
            continue
        if not op.flags.take_ownership and (why := foreign(live.body, op.release, op.namespace)):
            raise Failed(
                f"{prefix}{words(manifest)} exists and cannot be imported into the current release: {why}"
            )
        found.append(manifest)
    return tuple(found)


def words(manifest: Manifest) -> str:
    return f'{manifest.key.kind} "{manifest.key.name}" in namespace "{manifest.key.namespace}"'


def foreign(body: Body, release: str, namespace: str) -> str:
    """Why it does not belong to the release; empty if it does."""
    wanted = (
        ("label", body.labels, MANAGED_BY, "Helm"),
        ("annotation", body.annotations, "meta.helm.sh/release-name", release),
        ("annotation", body.annotations, "meta.helm.sh/release-namespace", namespace),
    )
    faults = []
    for what, found, key, value in wanted:
        if key not in found:
            faults.append(f'{what} validation error: missing key "{key}": must be set to "{value}"')
        elif found[key] != value:
            faults.append(
                f'{what} validation error: key "{key}" must equal "{value}": current value is "{found[key]}"'
            )
    return f"invalid ownership metadata; {'; '.join(faults)}" if faults else ""
