"""WB304: hooks belong to no release, so nothing deletes them with it."""

from watchbill.lifecycle.objects import Key, at
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.world import Hook, Live
from watchbill.rules.mends import all_of, with_policies, with_spec, without
from watchbill.rules.policies import BEFORE, EVENTS, SUCCEEDED
from watchbill.rules.rule import Claim, Mend, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting, hook_of
from watchbill.rules.words import named

DAY = 86_400


def _claim(sighting: Sighting) -> Claim | None:
    if sighting.broke is not Property.CLEANS_UP or sighting.key is None or sighting.faults:
        return None  # a mess that a failure left is another matter
    left = _left(sighting)
    if sighting.key not in left:
        return None
    first, *others = left
    more = f" and {len(others)} more" if others else ""
    return Claim(
        subject=first,
        title=f"uninstall leaves {named(first)}{more} behind: no release owns a hook",
        because=_because(left[first]),
        fix="give Jobs a ttlSecondsAfterFinished, and other hook objects hook-succeeded beside before-hook-creation",
        mends=(all_of(*(_gone(key, hook) for key, hook in left.items())), without(*left)),
        path=EVENTS,
        related=tuple(Pointer(key, EVENTS, "is left behind too") for key in others),
        severity=Severity.NOTE,
    )


def _left(sighting: Sighting) -> dict[Key, Hook]:
    """All hook objects that are there after the uninstall: one cause, one finding. Jobs first."""
    found = {}
    for key, live in sighting.last.world.objects.items():
        hook = _hook(sighting, key)
        if hook is not None and not _expires(live):
            found[key] = hook
    return dict(sorted(found.items(), key=lambda item: (item[0].kind != "Job", item[0])))


def _hook(sighting: Sighting, key: Key) -> Hook | None:
    """The one that made it: in the version that is there, or in a revision before, where names go by revisions."""
    history = sighting.before.history(sighting.lab.records(sighting.lab.named(sighting.move.release)))
    versions = (sighting.rendered, *(known.rendered for known in reversed(history)))
    return next((hook for rendered in versions if (hook := hook_of(rendered, key)) is not None), None)


def _expires(live: Live) -> bool:
    return at(live.body.object, "spec", "ttlSecondsAfterFinished") is not None


def _because(hook: Hook) -> str:
    created = [event for event in hook.events if event.endswith("-delete")]
    if created:
        return f"a hook of {created[0]}: uninstalling creates it, nothing deletes it"
    return "a hook belongs to no release: uninstalling the release does not delete it"


def _gone(key: Key, hook: Hook) -> Mend:
    if key.kind == "Job":
        return with_spec(key, ttlSecondsAfterFinished=DAY)
    return with_policies(key, *dict.fromkeys((*(hook.delete_policies or (BEFORE,)), SUCCEEDED)))


RULE = Rule("WB304", "left-behind", "hook objects stay after uninstall", (34, 35), _claim)
