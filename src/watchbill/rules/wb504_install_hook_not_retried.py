"""WB504: a hook of the install failed; what is tried again is an upgrade, and the hook never runs."""

from msgspec.structs import replace

from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.reruns import STILL_FAILED
from watchbill.lifecycle.world import Hook
from watchbill.rules.mends import rehooked, without
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if key is None or sighting.broke is not Property.CATCHES_UP or sighting.what == STILL_FAILED:
        return None
    hook = sighting.hook(key)
    events = ", ".join(hook.events) if hook else "on install only"
    missing = "post-upgrade" if hook and "post-install" in hook.events else "pre-upgrade"
    return Claim(
        subject=key,
        title=f"a failed install is retried as an upgrade, and {named(key)} never runs",
        because=f"a hook of {events}: the retry runs only hooks of upgrades, and the release counts as deployed",
        fix=f"add {missing} to helm.sh/hook and let the Job check whether its work is already done; "
        "or install with --atomic (--rollback-on-failure)",
        mends=(rehooked(key, _upgraded_too), without(key)),
        path=("metadata", "annotations", "helm.sh/hook"),
        severity=Severity.WARNING,
    )


def _upgraded_too(hook: Hook) -> Hook:
    more = [event.replace("install", "upgrade") for event in hook.events if event.endswith("-install")]
    return replace(hook, events=tuple(dict.fromkeys((*hook.events, *more))))


RULE = Rule(
    "WB504",
    "install-hook-not-retried",
    "an install hook that failed never runs again, because the next operation is an upgrade",
    rows=(48,),
    claim=_claim,
)
