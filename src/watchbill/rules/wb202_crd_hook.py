"""WB202: a CustomResourceDefinition as a hook: no policy ever deletes it, so it is in the way of the next run."""

from msgspec.structs import replace

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.world import Rendered
from watchbill.rules.mends import without
from watchbill.rules.policies import EVENTS
from watchbill.rules.rule import Claim, Mend, Rule
from watchbill.rules.sighting import Sighting, hook_of
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or key.kind != "CustomResourceDefinition" or sighting.broke not in FAILURES:
        return None
    if hook_of(sighting.recorded, key) is None or "already exists" not in sighting.what:
        return None
    return Claim(
        subject=key,
        title=f"{sighting.operation} fails: hook {named(key)} already exists",
        because="Helm never deletes a definition that is a hook, whatever its hook-delete-policy says",
        fix="put it into the folder crds/, or let a hook Job apply it (kubectl apply --server-side)",
        mends=(_in_folder(key), without(key)),
        path=EVENTS,
    )


def _in_folder(key: Key) -> Mend:
    """As a file of crds/: installed once, and left alone from then on."""

    def mend(rendered: Rendered) -> Rendered:
        moved = tuple(one for hook in rendered.hooks for one in hook.objects if one.key == key)
        left = without(key)(rendered)
        return replace(left, crds=(*left.crds, *moved))

    return mend


RULE = Rule(
    "WB202",
    "crd-hook",
    "a CustomResourceDefinition that is a hook cannot be created again",
    rows=(10,),
    claim=_claim,
)
