"""WB410: what a hook Job needs is deleted while the Job still runs, because their policies differ."""

from watchbill.lifecycle.properties import Property
from watchbill.rules.deadlines import ends_in_time
from watchbill.rules.mends import with_policies, without
from watchbill.rules.policies import POLICY, SUCCEEDED, but
from watchbill.rules.rule import Claim, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.users import running_job
from watchbill.rules.words import named, short, title


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if sighting.broke is not Property.SPARES or key is None:
        return None
    hook, user = sighting.hook(key), running_job(sighting, key)
    if hook is None or user is None:
        return None
    job = sighting.manifest(user)
    if job is not None and ends_in_time(job.body):
        return None
    return Claim(
        subject=key,
        title=title(f"when {named(user)} outlasts Helm, {short(key)} is deleted under it", key, user),
        because=f"{named(key)} has hook-succeeded, and the Job that needs it goes on",
        fix="give a Job and what it needs the same delete policy: before-hook-creation",
        mends=(with_policies(key, *but(hook, SUCCEEDED)), without(key)),
        path=POLICY,
        related=(Pointer(user, (), "needs it"),),
        severity=Severity.WARNING,
    )


RULE = Rule("WB410", "reaped-companion", "what a running hook Job needs is deleted", (29,), _claim)
