"""WB203: a hook's pod needs a plain object, which Helm makes only after the hooks of that event."""

from collections.abc import Iterator

from watchbill.lifecycle.objects import Key, at
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.references import pod_path, pod_spec
from watchbill.lifecycle.world import Manifest
from watchbill.rules.early import early
from watchbill.rules.lacking import Lacking, lacking, pointers
from watchbill.rules.look import Look
from watchbill.rules.mends import as_hook, with_copies, with_events, without
from watchbill.rules.policies import EVENTS
from watchbill.rules.rule import Claim, Path, Pointer, Rule, Severity
from watchbill.rules.sighting import Sighting, hook_of
from watchbill.rules.words import listed, named

LATER = {
    "pre-install": "post-install",
    "pre-upgrade": "post-upgrade",
    "pre-rollback": "post-rollback",
}
DELETES = ("pre-delete", "post-delete")  # what is missing at the end of a release: WB205, WB206


def _claim(sighting: Sighting) -> Claim | None:
    found = lacking(sighting)
    if found is None:
        return _homeless(sighting)
    if found.event in DELETES or found.asked in found.hooked:
        return None
    if found.asked not in found.plain:
        return _dropped(sighting, found)
    pod, needed = found.pod.key, found.plain
    when = "made after it" if found.event in LATER else "which is not there"
    return Claim(
        subject=pod,
        title=f"{sighting.operation} hangs: hook {named(pod)} needs {named(needed[0])}, {when}",
        because=because(found.event, needed),
        fix=fix(found.hook.events),
        mends=(with_copies(pod, *needed), with_events(pod, LATER), without(pod)),
        path=EVENTS,
        related=pointers(found.pod, needed, "plain: made after the hooks"),
    )


def because(event: str, needed: tuple[Key, ...]) -> str:
    plain = "are plain objects" if len(needed) > 1 else "is a plain object"
    return f"{event} hook, and {listed(needed)} {plain}"


def fix(events: tuple[str, ...]) -> str:
    later = ",".join(dict.fromkeys(LATER.get(event, event) for event in events))
    return (
        f"helm.sh/hook: {later}; or give it copies of its own of what it needs: "
        "hooks of the same events with a lower weight and other names"
    )


def _homeless(sighting: Sighting) -> Claim | None:
    """A hook that is refused, because its namespace or the definition of its kind is plain and not there yet."""
    pair = _unfounded(sighting) if sighting.broke in FAILURES else None
    if pair is None:
        return None
    hook, needed = pair
    return Claim(
        subject=hook,
        title=f"{sighting.operation} fails: hook {named(hook)} needs {named(needed)}, made after it",
        because=f"{named(needed)} is a plain object, made after the hooks",
        fix=f"make {named(needed)} a hook of a lower weight, or install it before the chart",
        mends=(as_hook(needed, weight=-(2**31)), without(hook)),
        path=EVENTS,
        related=(Pointer(needed, (), "plain: made after the hooks"),),
    )


def _unfounded(sighting: Sighting) -> tuple[Key, Key] | None:
    plain = {one.key: one for one in sighting.recorded.manifests}
    if sighting.key is not None:
        space = Key("", "Namespace", "", sighting.key.namespace)
        hook = hook_of(sighting.recorded, sighting.key)
        missing = space in plain and space not in sighting.just_before.objects
        return (sighting.key, space) if hook is not None and missing else None
    if "no matches for kind" not in sighting.what:
        return None
    kinds = {
        (at(one.body.object, "spec", "group"), at(one.body.object, "spec", "names", "kind")): key
        for key, one in plain.items()
        if key.kind == "CustomResourceDefinition"
    }
    made = (one.key for hook in sighting.recorded.hooks for one in hook.objects)
    return next(((key, kinds[key[:2]]) for key in made if key[:2] in kinds), None)


def _dropped(sighting: Sighting, found: Lacking) -> Claim:
    """Objects of another version. What the operation did not delete is nothing that anybody has taken away."""
    pod, needed = found.pod.key, found.dropped or found.unmade
    which = "which it drops" if found.dropped else "which it does not make"
    return Claim(
        subject=pod,
        title=f"{sighting.operation} hangs: hook {named(pod)} needs {named(needed[0])}, {which}",
        because=f"the version before has {listed(needed)}, and this one has not, so Helm deletes what was there",
        fix="keep the object in the chart, or change the hook so that it does not need it",
        mends=(without(pod),) if found.dropped else (),
        cause="dropped",
        path=EVENTS,
        related=pointers(found.pod, needed, ""),
    )


def _inspect(look: Look) -> Iterator[Claim]:
    """The kubelet goes on without a Secret to pull with, so no play shows it; a private image shows it to people."""
    for one in early(look):
        secrets = [(key, path) for key, path in _pulls_with(one.pod) if key in one.late]
        if not secrets:
            continue
        pod, first = one.pod.key, secrets[0][0]
        yield Claim(
            subject=pod,
            title=f"{one.operation} may hang: hook {named(pod)} pulls with {named(first)}, made after it",
            because=because(one.event, tuple(key for key, _ in secrets)),
            fix=fix(one.hook.events),
            mends=(with_events(pod, LATER), without(pod)),
            path=EVENTS,
            related=tuple(Pointer(pod, path, f"names {named(key)}") for key, path in secrets),
            severity=Severity.WARNING,
            confidence="medium",
        )


def _pulls_with(pod: Manifest) -> Iterator[tuple[Key, Path]]:
    spec = pod_spec(pod.body) or {}
    for place, secret in enumerate(spec.get("imagePullSecrets") or ()):
        path: Path = (*pod_path(pod.key.kind), "spec", "imagePullSecrets", place, "name")
        yield Key("", "Secret", pod.key.namespace, str(secret.get("name", ""))), path


RULE = Rule(
    "WB203",
    "hook-needs-plain-object",
    "a hook's pod waits for a plain object that is made after it",
    rows=(16, 17, 18),
    claim=_claim,
    inspect=_inspect,
)
