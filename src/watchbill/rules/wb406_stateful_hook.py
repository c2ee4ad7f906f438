"""WB406: a volume or a database that is a hook is deleted, data and all, before it is created again."""

from collections.abc import Iterator

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.references import needs
from watchbill.rules.look import Look
from watchbill.rules.mends import as_plain
from watchbill.rules.policies import BEFORE, EVENTS, FAILED, SUCCEEDED, comes_again, is_test, policies
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.words import named

STATEFUL = frozenset({"PersistentVolumeClaim", "PersistentVolume", "StatefulSet", "Namespace"})


def _inspect(look: Look) -> Iterator[Claim]:
    for manifest, hook in look.manifests():
        key = manifest.key
        if hook is None or key.kind not in STATEFUL or is_test(hook):
            continue
        ruin = _ruin(hook.events, policies(hook), again=comes_again(hook))
        if ruin is None:
            continue
        when, severity = ruin
        if _is_for_hooks(look, key):
            severity = min(severity, Severity.WARNING)
        yield Claim(
            subject=key,
            title=f"{when} deletes {named(key)} with everything in it: it is a hook",
            because=f"a hook of {','.join(hook.events)}, deleted by {','.join(policies(hook))}",
            fix="make it plain; if it must outlive the release, add helm.sh/resource-policy: keep",
            mends=(as_plain(key),),
            path=EVENTS,
            severity=severity,
        )


def _is_for_hooks(look: Look, key: Key) -> bool:
    """Hooks alone use it: they may be content with room for the moment."""
    users = [hook for one, hook in look.manifests() if key in needs(one.body, one.key.namespace)]
    return bool(users) and None not in users


def _ruin(events: tuple[str, ...], chosen: tuple[str, ...], *, again: bool) -> tuple[str, Severity] | None:
    if SUCCEEDED in chosen and not set(events) <= {"pre-delete", "post-delete"}:
        return "every install" if not again else "every upgrade", Severity.ERROR
    if BEFORE in chosen:
        return ("every upgrade", Severity.ERROR) if again else ("a re-install", Severity.WARNING)
    return ("a failed hook", Severity.WARNING) if FAILED in chosen else None


RULE = Rule(
    "WB406",
    "stateful-hook",
    "data is deleted because its object is a hook",
    (24,),
    inspect=_inspect,
    covers=("WB304", "WB405"),
    joins_objects=True,
)
