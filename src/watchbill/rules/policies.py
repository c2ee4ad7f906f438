"""A hook's delete policies, as Helm takes them."""

from watchbill.lifecycle.world import Hook
from watchbill.rules.rule import Path

BEFORE, SUCCEEDED, FAILED = "before-hook-creation", "hook-succeeded", "hook-failed"
POLICY: Path = ("metadata", "annotations", "helm.sh/hook-delete-policy")
EVENTS: Path = ("metadata", "annotations", "helm.sh/hook")
AGAIN = frozenset({"pre-upgrade", "post-upgrade", "pre-rollback", "post-rollback"})


def policies(hook: Hook) -> tuple[str, ...]:
    """Those that hold: without any, a hook is deleted before it is created again."""
    return hook.delete_policies or (BEFORE,)


def but(hook: Hook, policy: str) -> tuple[str, ...]:
    """Those that hold without this one; none at all would mean what no policy means."""
    return tuple(one for one in policies(hook) if one != policy) or (BEFORE,)


def comes_again(hook: Hook) -> bool:
    """Whether it is made anew in the course of a release's life."""
    return not AGAIN.isdisjoint(hook.events)


def is_test(hook: Hook) -> bool:
    return set(hook.events) == {"test"}
