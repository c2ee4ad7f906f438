"""WB506: with --wait an install waits for pods that wait for what comes after the waiting."""

from collections.abc import Iterator

from msgspec.structs import replace

from watchbill.lifecycle.helm.waits import TIMED_OUT
from watchbill.lifecycle.jobs import missing
from watchbill.lifecycle.objects import Key
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.references import places
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.lifecycle.world import Hook
from watchbill.rules.job_waits import waits
from watchbill.rules.look import Look
from watchbill.rules.mends import as_plain, rehooked, without
from watchbill.rules.rule import Claim, Path, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting, hook_of
from watchbill.rules.words import named, title

HOOK: Path = ("metadata", "annotations", "helm.sh/hook")


def _claim(sighting: Sighting) -> Claim | None:
    if sighting.broke not in FAILURES or TIMED_OUT not in sighting.error:
        return None
    for step in reversed(sighting.last.steps):
        for user, live in step.world.objects.items():
            if user.kind not in WORKLOADS:
                continue
            for needed in missing(step.world, sighting.lab.cluster, user, live.body):
                hook = sighting.hook(needed)
                if hook is not None and _comes_afterwards(hook):
                    path = places(live.body, user.namespace).get(needed, ())
                    return _deadlock(sighting.operation, user, needed, Pointer(user, path, "needs it"))
    return None


def _inspect(look: Look) -> Iterator[Claim]:
    """A pod that waits for a hook's Job by name: what it does inside is not played."""
    for manifest, hook in look.manifests():
        if hook is not None or manifest.key.kind not in WORKLOADS:
            continue
        for wait in waits(manifest.body):
            job = manifest.key._replace(group="batch", kind="Job", name=wait.job)
            made = hook_of(look.install, job)
            if made is not None and _comes_afterwards(made):
                pointer = Pointer(manifest.key, wait.path, "waits for it")
                found = _deadlock("the install with --wait", manifest.key, job, pointer)
                yield replace(found, confidence="medium", flags=frozenset({"--wait"}))


def _comes_afterwards(hook: Hook) -> bool:
    return "post-install" in hook.events and "pre-install" not in hook.events


def _deadlock(operation: str, user: Key, needed: Key, where: Pointer) -> Claim:
    return Claim(
        subject=needed,
        title=title(
            f"{operation} hangs: {named(user)} needs {named(needed)}, a post-install hook", user, needed
        ),
        because="Helm runs post-install hooks once all pods are ready, and these pods are ready only after it",
        fix="make it a plain object (a plain Job with a name of its own each time), or a pre-install hook",
        mends=(as_plain(needed), rehooked(needed, _beforehand), without(user)),
        path=HOOK,
        related=(where,),
        severity=Severity.WARNING,
    )


def _beforehand(hook: Hook) -> Hook:
    return replace(hook, events=tuple(event.replace("post-", "pre-") for event in hook.events))


RULE = Rule(
    "WB506",
    "post-install-deadlock",
    "with --wait an install waits for pods that need what a post-install hook brings",
    rows=(20,),
    claim=_claim,
    inspect=_inspect,
)
