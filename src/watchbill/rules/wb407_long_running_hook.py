"""WB407: what should run for good is a hook: no release owns it, and each upgrade makes it anew."""

from collections.abc import Iterator

from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.rules.look import Look
from watchbill.rules.mends import as_plain
from watchbill.rules.policies import EVENTS, SUCCEEDED, comes_again, is_test, policies
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.wb406_stateful_hook import STATEFUL
from watchbill.rules.words import named, title

LASTING = frozenset({*WORKLOADS, "Service", "Ingress", "HorizontalPodAutoscaler"}) - STATEFUL


def _inspect(look: Look) -> Iterator[Claim]:
    for manifest, hook in look.manifests():
        key = manifest.key
        # One that goes when its event is over helps the hooks beside it: that is what hooks are for.
        if hook is None or key.kind not in LASTING or is_test(hook) or SUCCEEDED in policies(hook):
            continue
        if set(hook.events) <= {"pre-delete", "post-delete", "test"}:
            continue
        upgrades = "every upgrade replaces it, and " if comes_again(hook) else "no upgrade changes it, and "
        yield Claim(
            subject=key,
            title=title(f"{named(key)} is a hook: {upgrades}uninstall leaves it behind", key),
            because=f"hook of {','.join(hook.events)}; hooks are for what runs to an end",
            fix="make it plain: what must be there before a hook is a hook with hook-succeeded beside it",
            mends=(as_plain(key),),
            path=EVENTS,
            severity=Severity.WARNING,
        )


RULE = Rule(
    "WB407",
    "long-running-hook",
    "a Deployment or Service is a hook",
    (64,),
    inspect=_inspect,
    covers=("WB304",),
)
