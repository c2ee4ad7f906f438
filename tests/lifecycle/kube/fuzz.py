"""Random objects of the built-in kinds and random edits of them, by their types.

Small vocabularies on purpose: names must meet, be duplicated and come back in another order.
"""

import os
from collections.abc import Iterator
from random import Random
from typing import Any

from watchbill.lifecycle.kube.schema import Type, deduced, find

Object = dict[str, Any]

KINDS = (
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("v1", "Pod"),
    ("v1", "Service"),
    ("v1", "ServiceAccount"),
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "PersistentVolumeClaim"),
    ("policy/v1", "PodDisruptionBudget"),
    ("networking.k8s.io/v1", "Ingress"),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
    ("storage.k8s.io/v1", "StorageClass"),
)
# Scalars that Go reads only in a form of their own.
EXACT = {
    "Time": ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
    "MicroTime": ("2026-01-01T00:00:00.000000Z",),
    "Quantity": ("1", "2", "1000m", "1Gi"),
}
CUSTOM = ("example.com/v1", "Widget")

# Valid as base64 too, for the data of a Secret.
WORDS = ("aaaa", "bbbb", "cccc", "dddd", "eeee")
NUMBERS = (0, 1, 80, 81, 443)
# What charts are made of; other fields come too, but less often.
USUAL = frozenset(
    "apiVersion kind metadata name namespace labels annotations finalizers spec template selector data "
    "containers initContainers volumes env ports image command args resources volumeMounts replicas strategy "
    "matchLabels limits requests value valueFrom configMap secret emptyDir type rules subjects roleRef "
    "imagePullSecrets secrets jobTemplate tolerations securityContext backoffLimit completions "
    "ttlSecondsAfterFinished suspend parallelism restartPolicy serviceAccountName nodeSelector affinity "
    "volumeClaimTemplates protocol containerPort port targetPort nodePort clusterIP".split()
)


def cases(bounded: int) -> int:
    """How many: few in every run, as many as WATCHBILL_FUZZ says when somebody has the time."""
    return int(os.environ.get("WATCHBILL_FUZZ", bounded))


class Gardener:
    """Grows and prunes values of one type."""

    def __init__(self, rng: Random, *, wild: bool = False) -> None:
        self._rng = rng
        self._wild = wild  # nulls, wrong types, unknown fields; tame objects have what their kind requires

    def object(self, api_version: str, kind: str) -> Object:
        schema = find(api_version, kind) or deduced()
        grown = self.value(schema, 0)
        assert isinstance(grown, dict)
        metadata = grown.get("metadata")
        return {
            **grown,
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {**(metadata if isinstance(metadata, dict) else {}), "name": "x", "namespace": "n"},
        }

    def value(self, type_: Type, depth: int) -> Any:
        rng = self._rng
        if self._wild and depth and rng.random() < 0.01:
            return rng.choice([None, "odd", 7, True, [], {}, ["odd"], {"odd": "odd"}])
        if type_.scalar == "untyped" and type_.mapping and type_.others is type_ and depth < 4:
            return self._anything(depth)
        if type_.name in EXACT:
            return rng.choice(EXACT[type_.name])
        if type_.scalar:
            return self._scalar(type_)
        if type_.element is not None:
            return self._list(type_, depth)
        return self._map(type_, depth)

    def _anything(self, depth: int) -> Any:
        rng = self._rng
        if depth == 0 or rng.random() < 0.5:
            return {rng.choice(WORDS): self._anything(depth + 1) for _ in range(rng.randrange(4))}
        if rng.random() < 0.3 and depth < 4:
            return [self._anything(depth + 2) for _ in range(rng.randrange(4))]
        return rng.choice([*WORDS, *NUMBERS, True, False, 1.5])

    def _scalar(self, type_: Type) -> Any:
        rng = self._rng
        match type_.scalar:
            case "numeric":
                return rng.choice(NUMBERS)
            case "boolean":
                return rng.random() < 0.5
            case "string":
                return rng.choice(WORDS)
            case _:
                return rng.choice((*WORDS, *NUMBERS))

    def _list(self, type_: Type, depth: int) -> list[Any]:
        assert type_.element is not None
        rng = self._rng
        many = rng.random() < 0.03
        items = [
            self.value(type_.element, depth + (3 if many else 1))
            for _ in range(rng.randrange(25) if many else rng.randrange(4))
        ]
        if type_.associative and rng.random() < 0.97:
            items = _distinct(items, type_)
        if type_.element.name == "Container" and not self._wild and not items:
            return self._list(type_, depth)
        return items

    def _map(self, type_: Type, depth: int) -> Object:
        rng = self._rng
        if not type_.fields:
            assert type_.others is not None
            return {rng.choice(WORDS): self.value(type_.others, depth + 1) for _ in range(rng.randrange(4))}
        grown: Object = {}
        for name, field in type_.fields.items():
            leaf = field.type.scalar and not field.type.mapping
            rare = 1 / (len(type_.fields) + 4)
            chance = (0.85 if name in USUAL else rare) if depth < 9 or leaf else 0.0
            if name in IDENTITY:
                chance = 0.97 if self._wild else 1.0
            elif name in REQUIRED and not self._wild:
                chance = 1.0
            if rng.random() < chance:
                grown[name] = self.value(field.type, depth + 1)
        if self._wild and rng.random() < 0.02:
            grown["unknown"] = rng.choice(["odd", ["odd"], {"odd": "odd"}, {"more": "odd"}])
        return grown

    def edited(self, value: Any, type_: Type, rate: float, depth: int = 0) -> Any:
        """Some of it changed, the rest as it was."""
        rng = self._rng
        if isinstance(value, dict) and type_.mapping:
            return self._edited_map(value, type_, rate, depth)
        if isinstance(value, list) and type_.element is not None:
            return self._edited_list(value, type_, rate, depth)
        return self.value(type_, depth) if rng.random() < rate else value

    def _edited_map(self, value: Object, type_: Type, rate: float, depth: int) -> Object:
        rng = self._rng
        out: Object = {}
        for key, member in value.items():
            known = type_.fields.get(key)
            member_type = known.type if known else type_.others
            if member_type is None:
                out[key] = member
                continue
            required = key in REQUIRED or key in IDENTITY
            if depth and rng.random() < rate / 2 and (self._wild or not required):
                if self._wild and rng.random() < 0.2:
                    out[key] = None
                continue
            out[key] = self.edited(member, member_type, rate, depth + 1)
        if rng.random() < rate * 3:
            out |= {k: v for k, v in self._map(type_, max(depth, 3)).items() if k not in out}
        return out

    def _edited_list(self, value: list[Any], type_: Type, rate: float, depth: int) -> list[Any]:
        assert type_.element is not None
        rng = self._rng
        out = [self.edited(item, type_.element, rate, depth + 1) for item in value if rng.random() > rate]
        if rng.random() < rate * 2:
            out.insert(rng.randrange(len(out) + 1), self.value(type_.element, max(depth, 4)))
        if rng.random() < rate:
            rng.shuffle(out)
        if out and rng.random() < rate / 4:
            out.insert(rng.randrange(len(out) + 1), rng.choice(out))
        return out


IDENTITY = frozenset("name uid containerPort port mountPath devicePath ip topologyKey type".split())
REQUIRED = frozenset(
    "apiVersion kind spec template jobTemplate selector containers schedule roleRef apiGroup scaleTargetRef "
    "maxReplicas provisioner rules verbs".split()
)


def _distinct(items: list[Any], type_: Type) -> list[Any]:
    seen = []
    out = []
    for item in items:
        known_by = [item.get(key) for key in type_.keys] if isinstance(item, dict) else item
        if known_by not in seen:
            seen.append(known_by)
            out.append(item)
    return out


def relatives(seed: int, count: int) -> Iterator[tuple[str, str, list[Object]]]:
    """Three versions of one object, many times: as it was, as it shall be, as it is."""
    for n in range(count):
        rng = Random(seed * 1_000_003 + n)
        api_version, kind = CUSTOM if rng.random() < 0.1 else rng.choice(KINDS)
        versions = list(_versions(rng, api_version, kind, 3, wild=rng.random() < 0.25))
        rng.shuffle(versions)
        yield api_version, kind, versions


def histories(seed: int, count: int, *, custom: bool = True) -> Iterator[Object]:
    """Writes to one object by several managers, as a question to the oracle.

    Without custom kinds there is nothing wild, and no empty lists: in Go's structs an empty list inside an atomic
    value differs from none at all, and an object that changes one for the other has a new owner.
    """
    for n in range(count):
        rng = Random(seed * 1_000_003 + n)
        api_version, kind = CUSTOM if custom and rng.random() < 0.15 else rng.choice(KINDS)
        wild = custom and rng.random() < 0.2
        writes = [
            {
                "verb": rng.choice(("apply", "apply", "update")),
                "manager": rng.choice(("helm", "helm", "kubectl", "kubectl-edit", "argocd-controller")),
                "force": rng.random() < 0.5,
                "object": _writable(version) if custom else _without_empty_lists(_writable(version)),
            }
            for version in _versions(rng, api_version, kind, rng.randrange(2, 6), wild=wild)
        ]
        yield {
            "apiVersion": api_version,
            "kind": kind,
            "deduced": (api_version, kind) == CUSTOM,
            "writes": writes,
        }


def _versions(rng: Random, api_version: str, kind: str, count: int, *, wild: bool) -> Iterator[Object]:
    gardener = Gardener(rng, wild=wild)
    schema = find(api_version, kind) or deduced()
    rate = rng.choice((0.02, 0.1, 0.3))
    versions = [gardener.object(api_version, kind)]
    yield versions[0]
    for _ in range(count - 1):
        edited = gardener.edited(rng.choice(versions), schema, rate)
        versions.append({**edited, "apiVersion": api_version, "kind": kind})
        yield versions[-1]


def _writable(version: Object) -> Object:
    """Without the metadata that only a server writes."""
    metadata = version.get("metadata")
    kept = metadata if isinstance(metadata, dict) else {}
    kept = {
        key: kept[key] for key in ("labels", "annotations", "finalizers", "ownerReferences") if key in kept
    }
    return {**version, "metadata": {**kept, "name": "x", "namespace": "n"}}


def _without_empty_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_empty_lists(member) for key, member in value.items() if member != []}
    if isinstance(value, list):
        return [_without_empty_lists(item) for item in value]
    return value
