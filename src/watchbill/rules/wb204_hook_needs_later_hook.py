"""WB204: a hook's pod needs what another hook makes, and that one comes later, or not at all in this operation."""

from msgspec.structs import replace

from watchbill.lifecycle.world import Hook, Rendered
from watchbill.rules.lacking import Lacking, lacking, pointers
from watchbill.rules.mends import rehooked, without
from watchbill.rules.policies import EVENTS, SUCCEEDED
from watchbill.rules.rule import Claim, Mend, Path, Rule
from watchbill.rules.sighting import Sighting, hook_of
from watchbill.rules.words import listed, named

WEIGHT: Path = ("metadata", "annotations", "helm.sh/hook-weight")


def _claim(sighting: Sighting) -> Claim | None:
    found = lacking(sighting)
    if found is None or found.asked not in found.hooked:
        return None
    pod, first = found.pod.key, found.hooked[0]
    other = hook_of(sighting.recorded, first)
    assert other is not None
    later = found.event in other.events
    which = "a later hook" if later else "of another event"
    return Claim(
        subject=pod,
        title=f"{sighting.operation} hangs: hook {named(pod)} needs {named(first)}, {which}",
        because=_because(found, other),
        fix=f"give {listed(found.hooked)} the events of {named(pod)} and a lower helm.sh/hook-weight",
        mends=(_before(found), without(pod)),
        path=WEIGHT if later and WEIGHT[-1] in found.pod.body.annotations else EVENTS,
        related=pointers(found.pod, found.hooked, f"hook of {', '.join(other.events)}"),
    )


def _because(found: Lacking, other: Hook) -> str:
    if found.event not in other.events:
        deleted = f" and {SUCCEEDED} deletes it" if SUCCEEDED in other.delete_policies else ""
        return f"{named(found.hooked[0])} is made at {', '.join(other.events)}{deleted}, not at {found.event}"
    if other.weight == found.hook.weight:
        return f"both have weight {other.weight}, and then Helm goes by name, not by kind"
    return f"its weight {found.hook.weight} is lower than {other.weight}, that of {named(found.hooked[0])}"


def _before(found: Lacking) -> Mend:
    """What is needed is made at the same events, one weight earlier."""

    def moved(hook: Hook) -> Hook:
        events = tuple(dict.fromkeys((*hook.events, *found.hook.events)))
        return replace(hook, events=events, weight=found.hook.weight - 1)

    def mend(rendered: Rendered) -> Rendered:
        for key in found.hooked:
            rendered = rehooked(key, moved)(rendered)
        return rendered

    return mend


RULE = Rule(
    "WB204",
    "hook-needs-later-hook",
    "a hook's pod waits for what a later hook makes",
    rows=(28,),
    claim=_claim,
)
