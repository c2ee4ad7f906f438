"""WB301: hook-failed deletes a Job that failed, and with it the only thing that could say why."""

from watchbill.lifecycle.properties import Property
from watchbill.rules.mends import with_policies
from watchbill.rules.policies import FAILED, POLICY, but
from watchbill.rules.rule import Claim, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named, title


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if sighting.broke is not Property.LOGS or key is None or sighting.what != FAILED:
        return None
    hook = sighting.hook(key)
    if hook is None:
        return None
    return Claim(
        subject=key,
        title=title(f"when {named(key)} fails, Helm deletes it at once and its logs are gone", key),
        because="its delete policy names hook-failed",
        fix=f'take hook-failed out of the delete policy: "{",".join(but(hook, FAILED))}"',
        mends=(with_policies(key, *but(hook, FAILED)),),
        path=POLICY,
        severity=Severity.WARNING,
    )


RULE = Rule("WB301", "failed-logs-deleted", "a hook that fails is deleted with its logs", (45,), _claim)
