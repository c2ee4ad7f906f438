"""WB101: an upgrade changes a Job, and the pod template of a Job cannot be changed."""

from collections.abc import Sequence
from typing import Any

import msgspec

from watchbill.lifecycle.kube import immutable
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.world import Rendered
from watchbill.rules.differences import Difference, change, differences, listed, marks, without_marks
from watchbill.rules.fields import get, put
from watchbill.rules.mends import as_hook, changed, renamed, without
from watchbill.rules.rule import Claim, Mend, Path, Pointer, Rule
from watchbill.rules.sha256 import sha256
from watchbill.rules.sighting import Sighting
from watchbill.rules.wb102_forced_upgrade import is_forced
from watchbill.rules.words import named

FIELDS: tuple[Path, ...] = tuple(
    tuple(rule.field.split(".")) for rule in immutable.RULES if rule.kind == "Job"
)
MOST_POINTERS = 3
METADATA: Path = ("spec", "template", "metadata")
LABELS: Path = (*METADATA, "labels")
AS_HOOK = "make it a hook (pre-install,pre-upgrade with before-hook-creation)"
REMOVES_LABELS = "is empty, so the patch removes the labels that the server added to the pod template"
BY_HASH = "put a hash of its spec into its name"


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or key.kind != "Job" or sighting.broke not in FAILURES or is_forced(sighting):
        return None
    if "field is immutable" not in sighting.what or not sighting.is_plain(key):
        return None
    found = _differences(sighting, key)
    empty = _empty(sighting, key)
    return Claim(
        subject=key,
        title=f"{sighting.operation} fails: {named(key)} cannot be changed in place",
        because=_because(found) if found or not empty else f"{empty[-1]}: {REMOVES_LABELS}",
        fix=_fix(sighting, found, empty),
        mends=(
            *_unmarked(sighting, key, found),
            *_filled(key, empty),
            as_hook(key),
            hashed(key),
            without(key),
        ),
        path=("spec", "template"),
        related=(
            *(Pointer(key, one.path, f"{one.words} changes") for one in found[:MOST_POINTERS]),
            *(
                [Pointer(key, empty, f"with Helm 3 every upgrade fails: {empty[-1]}: {REMOVES_LABELS}")]
                if empty
                else []
            ),
        ),
    )


def _empty(sighting: Sighting, key: Key) -> Path:
    """Where the labels of its pods are null. Helm 3's patch then removes the labels that the server has set."""
    manifest = sighting.manifest(key)
    template = manifest.body.object["spec"].get("template") if manifest else None
    for path in (METADATA, LABELS):
        around = get({"spec": {"template": template}}, path[:-1])
        if isinstance(around, dict) and path[-1] in around and around[str(path[-1])] is None:
            return path
    return ()


def _filled(key: Key, empty: Path) -> tuple[Mend, ...]:
    return (changed(key, lambda thing: put(thing, empty, None)),) if empty else ()


def _differences(sighting: Sighting, key: Key) -> Sequence[Difference]:
    live, wanted = sighting.before.objects.get(key), sighting.manifest(key)
    return differences(live.body, wanted.body, *FIELDS) if live and wanted else ()


def _because(found: Sequence[Difference]) -> str:
    what = listed(found) or "what it runs"
    in_template = any(one.path[:2] == ("spec", "template") for one in found)
    where = " in its pod template" if in_template else ""
    return f"plain Job with a fixed name; {what}{where} {change(found)}"


def _fix(sighting: Sighting, found: Sequence[Difference], empty: Path) -> str:
    if sighting.is_of_kubectl:
        return f"{BY_HASH}; or kubectl apply --force, which deletes the old Job and creates it again"
    if empty:
        return f"{AS_HOOK}; or take the empty {empty[-1]}: out of its pod template and {BY_HASH}"
    if not (names := marks(found)):
        return f"{AS_HOOK}, or {BY_HASH}"
    taken = ", ".join(name for _, name in names)
    kind = names[0][0] if len({kind for kind, _ in names}) == 1 else "labels and annotations"
    if sighting.changes:
        return f"take {taken} out of the {kind} of its pod template; or {AS_HOOK}"
    # What is in the cluster carries it already: to take it out is a change of the template too.
    return f"{AS_HOOK}, or {BY_HASH}; then take {taken} out of the {kind} of its pod template"


def _unmarked(sighting: Sighting, key: Key, found: Sequence[Difference]) -> tuple[Mend, ...]:
    names = marks(found) if sighting.changes else []
    return (changed(key, lambda thing: without_marks(thing, names)),) if names else ()


def hashed(key: Key) -> Mend:
    """Its name says what it runs: a changed Job is a new Job."""

    def mend(rendered: Rendered) -> Rendered:
        body = next((one.body for one in rendered.everything() if one.key == key), None)
        return rendered if body is None else renamed(key, f"{key.name[:50]}-{_digest(body)}")(rendered)

    return mend


def _digest(body: Body) -> str:
    spec: Any = body.object.get("spec")
    return sha256(msgspec.json.encode(spec, order="sorted")).hexdigest()[:8]


RULE = Rule(
    "WB101",
    "immutable-job",
    "an upgrade changes a plain Job with a fixed name, and Kubernetes refuses it",
    rows=(1, 2, 3),
    claim=_claim,
)
