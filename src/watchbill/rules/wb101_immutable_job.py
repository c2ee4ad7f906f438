"""WB101: an upgrade changes a Job, and the pod template of a Job cannot be changed."""

import hashlib
from typing import Any

import msgspec

from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.world import Rendered
from watchbill.rules.mends import as_hook, renamed, without
from watchbill.rules.rule import Claim, Mend, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named, title


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or key.kind != "Job" or sighting.broke is not Property.WORKS:
        return None
    if "field is immutable" not in sighting.what or sighting.flags or not sighting.is_plain(key):
        return None
    return Claim(
        subject=key,
        title=title(f"{sighting.operation} fails: {named(key)} cannot be changed in place", key),
        because=_because(sighting),
        fix="make it a hook (pre-install,pre-upgrade with before-hook-creation), or put a hash of its spec into its name",
        mends=(as_hook(key), _hashed(key), without(key)),
        path=("spec", "template"),
    )


def _because(sighting: Sighting) -> str:
    changes = ", ".join(sighting.changes)
    return (
        f"plain Job with a fixed name; its pod template changes with: {changes}"
        if changes
        else ("plain Job with a fixed name, and its pod template is another one in this version")
    )


def _hashed(key: Key) -> Mend:
    """Its name says what it runs: a changed Job is a new Job."""

    def mend(rendered: Rendered) -> Rendered:
        body = next((one.body for one in rendered.manifests if one.key == key), None)
        return rendered if body is None else renamed(key, f"{key.name[:50]}-{_digest(body)}")(rendered)

    return mend


def _digest(body: Body) -> str:
    spec: Any = body.object.get("spec")
    return hashlib.sha256(msgspec.json.encode(spec, order="sorted")).hexdigest()[:8]


RULE = Rule(
    "WB101",
    "immutable-job",
    "an upgrade changes a plain Job with a fixed name, and Kubernetes refuses it",
    rows=(1, 2, 3),
    claim=_claim,
)
