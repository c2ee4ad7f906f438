"""WB503: pods wait for a Job by its name, and the Job is deleted when it is done: later pods wait for ever."""

from collections.abc import Iterator

from watchbill.lifecycle.objects import Key, at
from watchbill.lifecycle.world import Hook, Manifest
from watchbill.rules.job_waits import Wait, waits
from watchbill.rules.look import Look
from watchbill.rules.mends import BEFORE, changed, with_policies, without
from watchbill.rules.rule import Claim, Mend, Path, Pointer, Rule, Severity
from watchbill.rules.words import named, short

TTL = "ttlSecondsAfterFinished"
SUCCEEDED = "hook-succeeded"
POLICY: Path = ("metadata", "annotations", "helm.sh/hook-delete-policy")


def _inspect(look: Look) -> Iterator[Claim]:
    everything = list(look.manifests())
    jobs = {one.key.name: (one, hook) for one, hook in everything if one.key.kind == "Job"}
    waiting: dict[str, list[tuple[Key, Wait]]] = {}
    for manifest, hook in everything:
        # A hook's pod is waited for while the Job is still there, or it would not get through at all.
        for wait in waits(manifest.body) if hook is None and manifest.key.kind != "Job" else ():
            waiting.setdefault(wait.job, []).append((manifest.key, wait))
    for name, users in waiting.items():
        if name in jobs and (way := _way(*jobs[name])) is not None:
            yield _claim(jobs[name][0].key, way, users)


def _way(job: Manifest, hook: Hook | None) -> tuple[str, Path, Mend] | None:
    """By what it is deleted: in words, where that stands, and how it would not be."""
    ttl = at(job.body.object, "spec", TTL)
    if hook is not None and SUCCEEDED in hook.delete_policies:
        kept = [policy for policy in hook.delete_policies if policy != SUCCEEDED]
        return f"{SUCCEEDED} deletes", POLICY, with_policies(job.key, *(kept or (BEFORE,)))
    if ttl is None:
        return None

    def kept_for_ever(thing: dict[str, object]) -> dict[str, object]:
        spec = thing["spec"]
        assert isinstance(spec, dict)
        return {**thing, "spec": {field: value for field, value in spec.items() if field != TTL}}

    return f"{TTL}: {ttl} deletes", ("spec", TTL), changed(job.key, kept_for_ever)


def _claim(job: Key, way: tuple[str, Path, Mend], users: list[tuple[Key, Wait]]) -> Claim:
    words, path, mend = way
    user, wait = users[0]
    return Claim(
        subject=job,
        title=f"pods of {short(user)} that start later wait forever: {named(job)} is gone",
        because=f'container "{wait.container}" of {short(user)} waits for this Job, which {words}',
        fix="let the container check the result of the Job (a table, a file), or keep the Job",
        mends=(mend, without(*(key for key, _ in users))),
        path=path,
        related=tuple(Pointer(key, one.path, "waits for it") for key, one in users),
        severity=Severity.WARNING,
        confidence="medium",
    )


RULE = Rule(
    "WB503",
    "waits-for-deleted-job",
    "pods wait for a Job by its name, and the Job is deleted when it is done",
    rows=(43,),
    inspect=_inspect,
)
