"""WB408: the same object once as a hook and once plain: each takes the other's away."""

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import FAILURES, Property
from watchbill.lifecycle.world import Rendered
from watchbill.rules.mends import renamed, without
from watchbill.rules.rule import Claim, Mend, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

CONSEQUENCES = {
    **dict.fromkeys(FAILURES, "fails"),
    Property.SPARES: "deletes the one that pods use",
    Property.KEEPS: "deletes the one that pods use",
    Property.RUNS: "does not run its hook",
}


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or not sighting.is_plain(key) or sighting.hook(key) is None:
        return None
    consequence = CONSEQUENCES.get(sighting.broke)
    if consequence is None:
        return None
    return Claim(
        subject=key,
        title=f"{sighting.operation} {consequence}: {named(key)} is both a hook and plain",
        because="rendered twice under one name: as a hook and as a plain object",
        fix="give the hook's copy another name",
        mends=(_apart(key), without(key)),
        path=("metadata", "name"),
    )


def _apart(key: Key) -> Mend:
    """The hook's copy under another name."""

    def mend(rendered: Rendered) -> Rendered:
        hooks = renamed(key, f"{key.name}-hook")(rendered).hooks
        return Rendered(rendered.manifests, hooks, rendered.crds, rendered.error)

    return mend


RULE = Rule("WB408", "twins", "one object is both a hook and plain", claim=_claim, covers=("WB304", "WB405"))
