"""WB205: a post-delete hook needs a plain object, and uninstall has deleted all of them before it."""

from watchbill.rules.lacking import Lacking, lacking, pointers
from watchbill.rules.mends import with_copies, with_events, without
from watchbill.rules.policies import EVENTS
from watchbill.rules.rule import Claim, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import listed, named


def _claim(sighting: Sighting) -> Claim | None:
    found = lacking(sighting)
    if found is None or found.event != "post-delete" or not found.plain:
        return None
    pod, needed = found.pod.key, found.plain
    return Claim(
        subject=pod,
        title=f"{sighting.operation} hangs: hook {named(pod)} needs {named(needed[0])}, deleted before it",
        because=f"post-delete hook; uninstall deletes plain objects first, so {listed(needed)} {'is' if len(needed) == 1 else 'are'} gone",
        fix=_fix(found),
        mends=(
            with_copies(pod, *needed),
            with_events(pod, {"post-delete": "" if len(found.hook.events) > 1 else "pre-delete"}),
            without(pod),
        ),
        path=EVENTS,
        related=pointers(found.pod, needed, "plain: deleted before the hook runs"),
    )


def _fix(found: Lacking) -> str:
    others = [event for event in found.hook.events if event != "post-delete"]
    instead = f"helm.sh/hook: {','.join(others) or 'pre-delete'}"
    return f"{instead}; or give it copies of its own of what it needs: post-delete hooks of a lower weight"


RULE = Rule(
    "WB205",
    "post-delete-needs",
    "a post-delete hook waits for what uninstall has deleted",
    rows=(31,),
    claim=_claim,
)
