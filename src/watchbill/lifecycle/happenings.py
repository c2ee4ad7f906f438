"""What happens in the cluster between operations: fates, time, and what people do by hand."""

from typing import Any

from watchbill.lifecycle import server
from watchbill.lifecycle.fates import ordain
from watchbill.lifecycle.kube import catalog
from watchbill.lifecycle.lab import Lab
from watchbill.lifecycle.moves import Move
from watchbill.lifecycle.objects import Body, Key
from watchbill.lifecycle.server import Refused
from watchbill.lifecycle.settling import pass_time
from watchbill.lifecycle.world import World
from watchbill.patterns import regex

EDITOR = "kubectl-edit"
_RECORD = regex(r"sh\.helm\.release\.v1\.(?P<release>.+)\.v(?P<revision>[1-9]\d*)")
IDENTITY = (("kind",), ("apiVersion",), ("metadata", "name"), ("metadata", "namespace"))
SHORT = {
    "cj": "cronjob",
    "cm": "configmap",
    "crd": "customresourcedefinition",
    "deploy": "deployment",
    "ds": "daemonset",
    "hpa": "horizontalpodautoscaler",
    "ing": "ingress",
    "ns": "namespace",
    "pdb": "poddisruptionbudget",
    "po": "pod",
    "pvc": "persistentvolumeclaim",
    "sa": "serviceaccount",
    "sts": "statefulset",
    "svc": "service",
}


def happen(world: World, move: Move, lab: Lab) -> tuple[World, str]:
    """The world after it, and the error a person would see."""
    if move.pattern:
        return World(world.objects, world.releases, ordain(world.fates, move.pattern, move.fate)), ""
    if move.verb == "wait":
        return pass_time(world, lab.cluster, int(move.seconds)), ""
    key = _find(world, move, lab)
    if key is None and move.verb == "delete" and (forgotten := _without_record(world, move, lab)):
        return forgotten, ""
    if key is None:
        return world, f"Error from server (NotFound): {_words(world, move)} not found"
    live = world.objects[key]
    if move.path in IDENTITY:
        return world, f"error: {'.'.join(map(str, move.path))} of {key.kind}/{key.name} cannot be edited"
    try:
        if move.verb == "delete":
            return server.delete(world, key), ""
        edited = Body.of(_with(live.body.object, move.path, move.value))
        return server.patch(world, key, edited, EDITOR), ""
    except Refused as error:
        from watchbill.lifecycle.kubectl.words import refused, told  # seldom needed

        return world, told(refused(error))


def _without_record(world: World, move: Move, lab: Lab) -> World | None:
    """Helm keeps each revision in a Secret, and people delete those of operations that never ended."""
    found = _RECORD.fullmatch(move.name)
    known = _known(move)
    if found is None or known is None or known.kind != "Secret":
        return None
    history = world.history(lab.records(lab.named(found["release"])))
    left = tuple(release for release in history if release.revision != int(found["revision"]))
    return world.record(found["release"], left) if len(left) < len(history) else None


def _known(move: Move) -> catalog.Kind | None:
    return catalog.named(SHORT.get(move.kind.lower(), move.kind))


def _words(world: World, move: Move) -> str:
    """`jobs.batch "x"`, for a kind of Kubernetes itself."""
    known = _known(move)
    if known is None:
        return f'{move.kind} "{move.name}"'
    body = Body.of({"apiVersion": known.api_version, "kind": known.kind})
    return server.resource_words(world, body, move.name)


def _find(world: World, move: Move, lab: Lab) -> Key | None:
    """By kind as people type it, in the release's namespace first."""
    known = _known(move)
    kind = known.kind.lower() if known else move.kind.lower()
    found = [
        key
        for key in world.objects
        if key.name == move.name and kind in (key.kind.lower(), f"{key.kind.lower()}s")
    ]
    return min(found, key=lambda key: key.namespace not in ("", lab.namespace), default=None)


def _with(thing: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """The same with another value at the path; null takes it away."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(thing, list) and isinstance(first, int) and first < len(thing):
        return [
            _with(item, rest, value) if position == first else item for position, item in enumerate(thing)
        ]
    before = thing if isinstance(thing, dict) else {}
    name = str(first)
    if not rest and value is None:
        return {known: old for known, old in before.items() if known != name}
    return {**before, name: _with(before.get(name), rest, value)}
