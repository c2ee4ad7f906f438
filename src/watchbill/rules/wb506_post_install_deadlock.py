"""WB506: with --wait an install waits for pods that wait for what comes after the waiting."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from watchbill.lifecycle.helm.waits import TIMED_OUT
from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.references import places
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.lifecycle.world import Hook
from watchbill.rules.job_waits import meant, waits
from watchbill.rules.look import Look
from watchbill.rules.mends import all_of, as_plain, rehooked, without
from watchbill.rules.rule import Claim, Path, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import short

HOOK: Path = ("metadata", "annotations", "helm.sh/hook")
Needed = Sequence[tuple[Key, Pointer]]  # what is needed, and where somebody says so


def _claim(sighting: Sighting) -> Claim | None:
    if sighting.broke not in FAILURES or TIMED_OUT not in sighting.error:
        return None
    for step in reversed(sighting.last.steps):
        found = []
        for user, live in step.world.objects.items():
            for needed in missing(step.world, sighting.lab.cluster, user, live.body):
                hook = sighting.hook(needed)
                if user.kind in WORKLOADS and hook is not None and _comes_afterwards(hook):
                    path = places(live.body, user.namespace).get(needed, ())
                    found.append((needed, Pointer(user, path, "needs it")))
        if found:
            return _deadlock(sighting.operation, found)
    return None


def _inspect(look: Look) -> Iterator[Claim]:
    """Pods that wait for a hook's Job, in their commands or by what they call it: what they do inside is not played."""
    late = [hook for hook in look.install.hooks if _comes_afterwards(hook)]
    jobs = [one.key for hook in late for one in hook.objects if one.key.kind == "Job"]
    found = []
    for manifest, hook in look.manifests():
        if hook is not None or manifest.key.kind not in WORKLOADS:
            continue
        named = [(wait, job) for wait in waits(manifest.body) for job in jobs if job.name == wait.job]
        named += [(wait, job) for wait in meant(manifest.body) for job in jobs if wait.job in job.name]
        found += [(job, Pointer(manifest.key, wait.path, f"waits for {job.name}")) for wait, job in named]
    if found:
        claim = _deadlock("the install with --wait", found)
        yield replace(claim, confidence="medium", flags=frozenset({"--wait"}))


def _comes_afterwards(hook: Hook) -> bool:
    return "post-install" in hook.events and "pre-install" not in hook.events


def _deadlock(operation: str, found: Needed) -> Claim:
    needed, where = found[0]
    user, hooks = where.key, tuple(dict.fromkeys(key for key, _ in found))
    return Claim(
        subject=needed,
        title=f"{operation} hangs: {short(user)} needs {short(needed)}, made afterwards",
        because="Helm runs post-install hooks once all pods are ready, and these pods are ready only after it",
        fix="make it a plain object (a plain Job with a new name in each version), or a pre-install hook",
        mends=(
            as_plain(*hooks),
            all_of(*(rehooked(hook, _beforehand) for hook in hooks)),
            without(*(pointer.key for _, pointer in found)),
        ),
        path=HOOK,
        related=tuple(pointer for _, pointer in found),
        severity=Severity.WARNING,
    )


def _beforehand(hook: Hook) -> Hook:
    return replace(hook, events=tuple(event.replace("post-", "pre-") for event in hook.events))


RULE = Rule(
    "WB506",
    "post-install-deadlock",
    "with --wait an install waits for pods that need what a post-install hook creates",
    rows=(20,),
    claim=_claim,
    inspect=_inspect,
)
