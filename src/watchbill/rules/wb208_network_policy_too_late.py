"""WB208: the NetworkPolicy that lets a hook's pod through is plain: missing at install, an old one at an upgrade."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from watchbill.lifecycle.objects import Key, at
from watchbill.lifecycle.references import pod_path, pod_spec
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.lifecycle.world import Hook, Manifest, Rendered
from watchbill.rules.early import Early, early
from watchbill.rules.hosts import mentions
from watchbill.rules.look import Look
from watchbill.rules.mends import as_hook, with_events, without
from watchbill.rules.policies import EVENTS
from watchbill.rules.rule import Claim, Path, Pointer, Rule, Severity
from watchbill.rules.selectors import matches
from watchbill.rules.wb203_hook_needs_plain_object import LATER
from watchbill.rules.words import named

KIND = ("networking.k8s.io", "NetworkPolicy")
Labels = Mapping[str, str]


class _Pods(Struct, frozen=True):
    labels: Labels
    namespace: str


class _Gate(Struct, frozen=True):
    """One rule of a policy."""

    policy: Key
    path: Path
    rule: Mapping[str, Any]


class _Late(Struct, frozen=True):
    gate: _Gate
    because: str
    severity: Severity


def _inspect(look: Look) -> Iterator[Claim]:
    told = set[Key]()
    for one in early(look):
        if (found := _missing(one)) is not None:
            told.add(one.pod.key)
            yield _claim(one.operation, one.pod.key, one.hook, found)
    if (before := look.before) is None:
        return
    for hook in look.upgrade.hooks:
        for pod in hook.objects if "pre-upgrade" in hook.events else ():
            if pod.key in told or pod_spec(pod.body) is None:
                continue
            if (found := _outdated(pod, before, look.upgrade)) is not None:
                yield _claim("the upgrade", pod.key, hook, found)


def _claim(operation: str, pod: Key, hook: Hook, found: _Late) -> Claim:
    policy = found.gate.policy
    return Claim(
        subject=pod,
        title=f"{operation} may fail: {named(policy)} lets hook {named(pod)} through too late",
        because=found.because,
        fix=f"make {named(policy)} a hook too: {','.join(hook.events)} with a weight below {hook.weight}",
        mends=(
            as_hook(policy, events=hook.events, weight=hook.weight - 1),
            with_events(pod, LATER),
            without(pod),
        ),
        path=EVENTS,
        related=(Pointer(policy, found.gate.path, "lets it through"),),
        severity=found.severity,
        confidence="medium",
    )


def _missing(one: Early) -> _Late | None:
    """A policy that is made after the pod has run: it counts in a cluster that denies what nobody allows."""
    pods = _pods(one.pod)
    others = [_pods(other) for other in one.rendered.manifests if other.key.kind in WORKLOADS]
    beside = [other.labels for other in others if other.namespace == pods.namespace]
    shared: _Late | None = None
    for manifest in one.late.values():
        for gate in _gates(manifest, "egress", pods):
            because = f"{one.event} hook, and the policy that lets its pod out is a plain object"
            selector = at(manifest.body.object, "spec", "podSelector")
            if not any(matches(selector, labels) for labels in beside):
                return _Late(gate, f"{because}, made for nothing else", Severity.WARNING)
            # One that is made for other pods too more likely shuts them in than lets the hook out.
            shared = shared or _Late(gate, because, Severity.NOTE)
    return shared


def _outdated(pod: Manifest, before: Rendered, now: Rendered) -> _Late | None:
    """A rule of this version without which the pod, or whom it talks to, is shut in by the version before."""
    pods = _pods(pod)
    if (gate := _new_gate(before, now, "egress", pods)) is not None:
        return _Late(
            gate, "pre-upgrade hook: its pod is under the policies of the version before", Severity.WARNING
        )
    services = {one.key: one for one in now.manifests if one.key[:2] == ("", "Service")}
    for mention in mentions(pod, services.values(), {one.key: one for one in now.everything()}):
        selector = at(services[mention.service].body.object, "spec", "selector")
        for target in before.manifests:
            if target.key.kind not in WORKLOADS or not selector:
                continue
            behind = _pods(target)
            if not matches({"matchLabels": selector}, behind.labels):
                continue
            if (gate := _new_gate(before, now, "ingress", behind, pods.labels)) is not None:
                because = f"pre-upgrade hook: {named(target.key)} is under the policies of the version before"
                return _Late(gate, because, Severity.WARNING)
    return None


def _new_gate(
    before: Rendered, now: Rendered, direction: str, pods: _Pods, peer: Labels | None = None
) -> _Gate | None:
    """The first rule that the version before does not have, where that one lets through only what its rules say.

    With a peer: the first that lets it through, where none did.
    """
    old = [gate.rule for one in before.manifests for gate in _gates(one, direction, pods)]
    if not old or (peer is not None and any(_admits(rule, peer) for rule in old)):
        return None
    for manifest in now.manifests:
        for gate in _gates(manifest, direction, pods):
            if gate.rule not in old and (peer is None or _admits(gate.rule, peer)):
                return gate
    return None


def _gates(manifest: Manifest, direction: str, pods: _Pods) -> Iterator[_Gate]:
    """The rules of a policy for these pods."""
    key, spec = manifest.key, manifest.body.object.get("spec") or {}
    if (
        key[:2] != KIND
        or key.namespace != pods.namespace
        or not matches(spec.get("podSelector"), pods.labels)
    ):
        return
    types = spec.get("policyTypes") or ["Ingress", *(["Egress"] if spec.get("egress") else [])]
    if direction.capitalize() in types:
        for place, rule in enumerate(spec.get(direction) or ()):
            yield _Gate(key, ("spec", direction, place), rule)


def _admits(rule: Mapping[str, Any], labels: Labels) -> bool:
    """Whether a rule lets pods with these labels in; of namespaces and addresses nothing is known."""
    peers = rule.get("from")
    return not peers or any(
        "podSelector" not in peer or matches(peer["podSelector"], labels) for peer in peers
    )


def _pods(manifest: Manifest) -> _Pods:
    """Those it makes; a Job's carry its name."""
    path = (*pod_path(manifest.key.kind), "metadata", "labels")
    named_by = ("job-name", "batch.kubernetes.io/job-name") if manifest.key.kind == "Job" else ()
    labels = {**(at(manifest.body.object, *path) or {}), **dict.fromkeys(named_by, manifest.key.name)}
    return _Pods(labels, manifest.key.namespace)


RULE = Rule(
    "WB208",
    "network-policy-too-late",
    "the NetworkPolicy that lets a hook's pod through is made after it",
    inspect=_inspect,
)
