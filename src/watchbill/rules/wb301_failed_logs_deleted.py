"""WB301: hook-failed deletes a Job that failed, and with it the only thing that could say why."""

from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.world import Hook
from watchbill.rules.mends import with_events, with_policies
from watchbill.rules.policies import BEFORE, EVENTS, FAILED, POLICY, but
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if sighting.broke is not Property.LOGS or key is None:
        return None
    hook = sighting.hook(key)
    if hook is None:
        return None
    if sighting.what == BEFORE:
        return _run_again(key, hook)
    if sighting.what != FAILED:
        return None
    return Claim(
        subject=key,
        title=f"when {named(key)} fails, Helm deletes it at once and its logs are gone",
        because="its delete policy names hook-failed",
        fix=f'remove hook-failed from the delete policy: "{",".join(but(hook, FAILED))}"',
        mends=(with_policies(key, *but(hook, FAILED)),),
        path=POLICY,
        severity=Severity.WARNING,
    )


def _run_again(key: Key, hook: Hook) -> Claim:
    """By the rollback that its failure brings about."""
    kept = [event for event in hook.events if not event.endswith("-rollback")]
    return Claim(
        subject=key,
        title=f"when {named(key)} fails, the automatic rollback replaces it and its logs are gone",
        because=f"a hook of {','.join(hook.events)}: the rollback runs it again",
        fix=f"leave the rollback out: helm.sh/hook: {','.join(kept)}",
        mends=(with_events(key, {"pre-rollback": "", "post-rollback": ""}),),
        cause="rollback",
        path=EVENTS,
        severity=Severity.WARNING,
    )


RULE = Rule("WB301", "failed-logs-deleted", "a hook that fails is deleted with its logs", (45,), _claim)
