"""WB407: what should run for good is a hook: no release owns it, and each upgrade makes it anew."""

from collections.abc import Iterator

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.lifecycle.world import Hook
from watchbill.rules.look import Look
from watchbill.rules.mends import all_of, as_plain
from watchbill.rules.policies import EVENTS, SUCCEEDED, comes_again, is_test, policies
from watchbill.rules.rule import Claim, Pointer, Rule, Severity
from watchbill.rules.wb406_stateful_hook import STATEFUL
from watchbill.rules.words import named

LASTING = frozenset({*WORKLOADS, "Service", "Ingress", "HorizontalPodAutoscaler"}) - STATEFUL


def _inspect(look: Look) -> Iterator[Claim]:
    """One claim for all that share a fate: one value or one define makes them hooks, mostly."""
    found: dict[bool, dict[Key, Hook]] = {}
    for manifest, hook in look.manifests():
        key = manifest.key
        # One that goes when its event is over helps the hooks beside it: that is what hooks are for.
        if hook is None or key.kind not in LASTING or is_test(hook) or SUCCEEDED in policies(hook):
            continue
        if not set(hook.events) <= {"pre-delete", "post-delete", "test"}:
            found.setdefault(comes_again(hook), {})[key] = hook
    for again, hooks in found.items():
        yield _claim(dict(sorted(hooks.items())), again=again)


def _claim(hooks: dict[Key, Hook], *, again: bool) -> Claim:
    first, *others = hooks
    what = f"{named(first)} and {len(others)} more are hooks" if others else f"{named(first)} is a hook"
    it = "them" if others else "it"
    upgrades = f"upgrades replace {it}" if again else f"no upgrade changes {it}"
    return Claim(
        subject=first,
        title=f"{what}: {upgrades}, uninstall leaves {it} behind",
        because=f"hook of {','.join(hooks[first].events)}; hooks are meant for work that ends",
        fix="make it plain; if a hook needs it earlier, add a copy with another name as a hook with hook-succeeded",
        mends=(all_of(*map(as_plain, hooks)),),
        cause="replaced" if again else "",
        path=EVENTS,
        related=tuple(Pointer(key, EVENTS, "is one too") for key in others),
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
