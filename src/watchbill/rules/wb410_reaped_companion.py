"""WB410: what a hook Job needs is deleted while the Job still runs: hook-succeeded does not wait for the Job's end."""

from watchbill.lifecycle.flags import DEFAULT_TIMEOUT
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import Property
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.world import Hook
from watchbill.rules.deadlines import ends_in_time
from watchbill.rules.mends import all_of, with_policies
from watchbill.rules.policies import POLICY, SUCCEEDED, but, policies
from watchbill.rules.rule import Claim, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.users import running_job
from watchbill.rules.words import named, short


def _claim(sighting: Sighting) -> Claim | None:
    key, step = sighting.key, sighting.step
    if sighting.broke is not Property.SPARES or key is None or step is None or step.why != SUCCEEDED:
        return None
    user = running_job(sighting, key)
    job = sighting.manifest(user) if user is not None else None
    if user is None or job is None or ends_in_time(job.body, sighting.lab.timeout):
        return None
    reaped = _reaped(sighting, user)
    if key not in reaped:
        return None
    first, *others = reaped
    gone = f"{short(first)} and {len(others)} more are" if others else f"{short(first)} is"
    own = sighting.hook(user)
    # Where the Job has the same policy somebody has thought of them together: all go when all is well.
    alike = own is not None and SUCCEEDED in policies(own)
    return Claim(
        subject=first,
        title=f"when {named(user)} takes longer than {_wait(sighting.lab.timeout)}, {gone} deleted while it runs",
        because=f"{named(first)} has hook-succeeded, and the Job that needs it continues",
        fix="give the Job a deadline below Helm's timeout, or give the objects it needs before-hook-creation alone",
        mends=(all_of(*(with_policies(one, *but(hook, SUCCEEDED)) for one, hook in reaped.items())),),
        path=POLICY,
        related=(
            Pointer(user, (), "needs it"),
            *(Pointer(one, POLICY, "is deleted too") for one in others),
        ),
        severity=Severity.NOTE if alike else Severity.WARNING,
    )


def _wait(timeout: float) -> str:
    return "Helm waits" if timeout == DEFAULT_TIMEOUT else f"the {timeout:g} s that Helm waits"


def _reaped(sighting: Sighting, user: Key) -> dict[Key, Hook]:
    """All that the Job needs and that goes like this: one cause, one finding."""
    job = sighting.manifest(user)
    wanted = needs(job.body, user.namespace) if job is not None else ()
    hooks = {one: sighting.hook(one) for one in sorted(wanted)}
    return {one: hook for one, hook in hooks.items() if hook is not None and SUCCEEDED in policies(hook)}


RULE = Rule("WB410", "reaped-companion", "what a running hook Job needs is deleted", (29,), _claim)
