"""WB401: an object that becomes a hook is deleted by the very upgrade that created it anew."""

from typing import Any

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.references import needs
from watchbill.rules.mends import as_plain, changed, renamed
from watchbill.rules.policies import AGAIN, EVENTS
from watchbill.rules.rule import Claim, Mend, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named


def was_plain(sighting: Sighting, key: Key) -> bool:
    """In the revision that Helm compares with: the one before, or the one that is deployed where that one failed."""
    history = sighting.before.history(sighting.lab.records(sighting.lab.named(sighting.move.release)))
    compared = [*history[-1:], *(known for known in history if known.status == "deployed")]
    return any(one.key == key for known in compared for one in known.rendered.manifests)


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke not in (Property.KEEPS, Property.SPARES):
        return None
    hook = sighting.hook(key)
    if hook is None or key.kind in RUNS_TO_COMPLETION or not was_plain(sighting, key):
        return None
    if AGAIN.isdisjoint(hook.events) or key in sighting.last.world.objects:
        return None
    return Claim(
        subject=key,
        title=f"{sighting.operation} {sighting.outcome}, and {named(key)} is gone: it became a hook",
        because=f"plain in the version before, a hook in this one: Helm creates it, then {_deletion(sighting, key)}",
        fix="give it another name, or helm.sh/resource-policy: keep for this one upgrade, or leave it plain",
        mends=(_kept(key), renamed(key, f"{key.name}-hook"), as_plain(key)),
        path=EVENTS,
        severity=_severity(sighting, key),
    )


def _deletion(sighting: Sighting, key: Key) -> str:
    deletions = [step.why for step in sighting.last.steps if step.key == key and step.deleted is not None]
    if deletions and deletions[-1].startswith("hook-"):
        return f"deletes it because of {deletions[-1]}"
    return "deletes what its manifest no longer lists"


def _severity(sighting: Sighting, key: Key) -> Severity:
    """What only the hooks beside it need is there when they run, and the next upgrade makes it again."""
    if any(key in needs(one.body, one.key.namespace) for one in sighting.rendered.manifests):
        return Severity.ERROR
    hooked = (one for hook in sighting.rendered.hooks for one in hook.objects)
    serves_hooks = any(key in needs(one.body, one.key.namespace) for one in hooked)
    return Severity.NOTE if serves_hooks else Severity.WARNING


def _kept(key: Key) -> Mend:
    def change(thing: dict[str, Any]) -> dict[str, Any]:
        metadata = thing["metadata"]
        annotations = {**(metadata.get("annotations") or {}), "helm.sh/resource-policy": "keep"}
        return {**thing, "metadata": {**metadata, "annotations": annotations}}

    return changed(key, change)


RULE = Rule(
    "WB401",
    "plain-to-hook",
    "an object that becomes a hook is deleted by that upgrade",
    (11,),
    _claim,
    covers=("WB404", "WB405"),
)
