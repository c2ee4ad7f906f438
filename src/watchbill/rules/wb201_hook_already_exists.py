"""WB201: a hook meets what its last run left, because its delete policy does not say before-hook-creation."""

from collections.abc import Sequence

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import FAILURES, Property
from watchbill.lifecycle.references import needs
from watchbill.lifecycle.world import Hook, Manifest
from watchbill.rules.mends import with_before, without
from watchbill.rules.policies import BEFORE, FAILED, POLICY, SUCCEEDED, policies
from watchbill.rules.rule import Claim, Pointer, Rule
from watchbill.rules.sighting import Sighting, hook_of
from watchbill.rules.wb401_plain_to_hook import was_plain
from watchbill.rules.words import named

SHOWN_BY = (*FAILURES, Property.RUNS)
KNOWN = (BEFORE, SUCCEEDED, FAILED)


def met(sighting: Sighting) -> Hook | None:
    """The hook that finds its object there already, and has no policy that would have made way for it."""
    key, step = sighting.key, sighting.step
    if key is None or step is None or not step.why.startswith("hook") or sighting.broke not in SHOWN_BY:
        return None
    hook = hook_of(sighting.recorded, key)
    if hook is None or BEFORE in policies(hook) or key not in sighting.just_before.objects:
        return None
    # One that is plain as well is in its own way: WB408.
    return None if any(one.key == key for one in sighting.recorded.manifests) else hook


def _claim(sighting: Sighting) -> Claim | None:
    hook, key = met(sighting), sighting.key
    if hook is None or key is None:
        return None
    group = _group(sighting, hook, key)
    return Claim(
        subject=group[0],
        title=_title(sighting, key),
        because=because(hook),
        fix=fix(hook),
        # A group is left behind together: to mend one of it may only uncover the next.
        mends=(with_before(*group), with_before(), without(*group)),
        path=POLICY,
        related=tuple(Pointer(one, POLICY, "has the same policy") for one in group[1:]),
    )


def _title(sighting: Sighting, key: Key) -> str:
    if sighting.last.ok:
        return f"{sighting.operation} works, but hook {named(key)} does not run: the old one is there"
    if was_plain(sighting, key):
        return f"{sighting.operation} fails: {named(key)}, which was plain, is in the way of the hook"
    retried = sighting.broke is Property.RETRIES and sighting.move.verb != "upgrade"
    again = " when tried again" if retried else ""
    return f"{sighting.operation} fails{again}: hook {named(key)} of an earlier run is still there"


def _group(sighting: Sighting, hook: Hook, key: Key) -> list[Key]:
    """A Job and what was made for it, with the same policy, is left together: one cause, and the Job stands for it."""
    alike = [
        one
        for other in sighting.recorded.hooks
        if other.delete_policies == hook.delete_policies and not {*other.events}.isdisjoint(hook.events)
        for one in other.objects
    ]
    jobs = [one for one in alike if one.key.kind in RUNS_TO_COMPLETION]
    mine = next((one for one in alike if one.key == key), None)
    if mine is None or not jobs:
        return [key]
    job = mine if mine in jobs else _user(jobs, mine)
    return [job.key, *(one.key for one in alike if one not in jobs and _user(jobs, one) is job)]


def _user(jobs: Sequence[Manifest], made: Manifest) -> Manifest:
    """For which of several Jobs it is made: one that needs it, or comes from the same template."""
    return min(
        jobs, key=lambda job: (made.key not in needs(job.body, job.key.namespace), made.path != job.path)
    )


def because(hook: Hook) -> str:
    unknown = [policy for policy in hook.delete_policies if policy not in KNOWN]
    said = ",".join(hook.delete_policies)
    if any(unknown):
        return f'Helm knows no hook-delete-policy "{",".join(unknown)}", and before-hook-creation is not among them'
    if unknown:
        return "hook-delete-policy is empty: not even the default, before-hook-creation, holds"
    return f'hook-delete-policy "{said}" has no before-hook-creation'


def fix(hook: Hook) -> str:
    kept = [policy for policy in hook.delete_policies if policy in KNOWN]
    return f"helm.sh/hook-delete-policy: {','.join([BEFORE, *kept])}"


RULE = Rule(
    "WB201",
    "hook-already-exists",
    "the object of a hook's last run still exists, and the operation fails",
    rows=(7, 8),
    claim=_claim,
    after_kills=True,
    covers=("WB212",),
)
