"""What ConfigMaps and Secrets hold: whether it stays the same, and whether a hook's pod reads what is meant for it."""

import base64
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from watchbill.lifecycle.fates import RUNS_TO_COMPLETION
from watchbill.lifecycle.objects import Body, Key, at
from watchbill.lifecycle.properties import Cause, Offence, Property, Scene
from watchbill.lifecycle.references import containers, needs, pod_spec
from watchbill.lifecycle.workloads import WORKLOADS
from watchbill.lifecycle.world import Rendered
from watchbill.patterns import regex

HOLD_DATA = ("ConfigMap", "Secret")
PEM = "-----BEGIN "
RANDOM = regex(r"(?=.*\d)(?=.*[A-Za-z])[^\s:@.]{8,}|\$2[aby]\$.+|[a-zA-Z]{10,}")
EVERYTHING: frozenset[str] = frozenset()


class Read(Struct, frozen=True):
    """An object whose contents a pod is given."""

    key: Key
    names: frozenset[str] = EVERYTHING  # of its entries, where not all of them


def judge(scene: Scene) -> Iterator[Offence]:
    played = scene.played
    if played.move.verb != "upgrade" or not played.ok or played.release is None:
        return
    changed = {
        key: names
        for key, live in played.world.objects.items()
        if key.kind in HOLD_DATA
        and (before := scene.before.objects.get(key)) is not None
        and (names := differing(before.body, live.body))
    }
    if not changed:
        return
    again = _rendered_again(scene)
    for key, names in changed.items():
        if _is_steady(scene, key, again):
            yield from _read_too_early(scene, key, names)
        elif key.kind == "Secret" and _is_used(scene, key):
            yield Offence(Property.STEADY, Cause(key, ", ".join(sorted(names))))


def _rendered_again(scene: Scene) -> Rendered:
    """What the next upgrade to the very same version would bring."""
    lab, move, release = scene.lab, scene.played.move, scene.played.release
    assert release is not None
    return lab.versions.render(
        move.version,
        lab.named(move.release),
        upgrade=True,
        revision=release.revision + 1,
        world=scene.played.world,
    )


def _is_steady(scene: Scene, key: Key, again: Rendered) -> bool:
    """Whether it differs because the version does; else it is another one each time."""
    release = scene.played.release
    assert release is not None
    one, other = (
        next((manifest.body for manifest in rendered.everything() if manifest.key == key), None)
        for rendered in (release.rendered, again)
    )
    return one is None or other is None or not differing(one, other)


def _is_used(scene: Scene, key: Key) -> bool:
    return any(
        user.kind in WORKLOADS and key in needs(live.body, user.namespace)
        for user, live in scene.played.world.objects.items()
    )


def _read_too_early(scene: Scene, key: Key, names: frozenset[str]) -> Iterator[Offence]:
    """Hooks run before plain objects are changed."""
    after = scene.played.world.objects[key].body
    for number, step in enumerate(scene.played.steps, 1):
        if not step.created or step.key is None or step.key.kind not in RUNS_TO_COMPLETION:
            continue
        then = step.world.objects.get(key)
        if not step.why.startswith("hook pre-upgrade") or then is None or then.body is after:
            continue
        for read in reads(step.world.objects[step.key].body, step.key.namespace):
            concerned = names & read.names if read.names else names
            concerned -= _made_up(then.body) & _made_up(after)
            if read.key == key and concerned & differing(then.body, after):
                what = f"reads {', '.join(sorted(concerned))} of {key}"
                yield Offence(Property.UP_TO_DATE, Cause(step.key, what), number)
                break


@lru_cache(1 << 12)
def differing(one: Body, other: Body) -> frozenset[str]:
    """The entries that are not the same in both."""
    if one is other:
        return frozenset()
    first, second = entries(one), entries(other)
    return frozenset(name for name in {*first, *second} if first.get(name) != second.get(name))


@lru_cache(1 << 12)
def _made_up(body: Body) -> frozenset[str]:
    """Entries of a Secret that look like chance: whoever rendered two versions got two of them, which says nothing."""
    if body.kind != "Secret":
        return frozenset()
    return frozenset(name for name, encoded in entries(body).items() if _is_random(encoded))


def _is_random(encoded: str) -> bool:
    try:
        text = base64.b64decode(encoded).decode()
    except ValueError:
        return True
    return text.lstrip().startswith(PEM) or bool(RANDOM.fullmatch(text.strip()))


@lru_cache(1 << 12)
def entries(body: Body) -> Mapping[str, str]:
    """As they are stored: what a Secret is given in clear is encoded."""
    found: dict[str, str] = {}
    for field in ("data", "binaryData"):
        found |= {str(name): str(value) for name, value in (body.object.get(field) or {}).items()}
    for name, value in (body.object.get("stringData") or {}).items():
        found[str(name)] = base64.b64encode(str(value).encode()).decode()
    return found


def reads(body: Body, namespace: str) -> Iterator[Read]:
    """What of ConfigMaps and Secrets the pod of an object is given."""
    spec = pod_spec(body)
    if spec is None:
        return
    for _, container in containers(spec):
        for variable in container.get("env") or ():
            source = variable.get("valueFrom") or {}
            for kind, field in (("ConfigMap", "configMapKeyRef"), ("Secret", "secretKeyRef")):
                if chosen := source.get(field):
                    name, entry = str(chosen.get("name", "")), str(chosen.get("key", ""))
                    yield Read(Key("", kind, namespace, name), frozenset({entry}))
        for source in container.get("envFrom") or ():
            for kind, field in (("ConfigMap", "configMapRef"), ("Secret", "secretRef")):
                if chosen := source.get(field):
                    yield Read(Key("", kind, namespace, str(chosen.get("name", ""))))
    for volume in spec.get("volumes") or ():
        mounted = _mounted(spec, str(volume.get("name", "")))
        for source in (volume, *(at(volume, "projected", "sources") or ())):
            yield from _volume(source, namespace, mounted)


def _volume(source: Mapping[str, Any], namespace: str, mounted: frozenset[str]) -> Iterator[Read]:
    for kind, field, called in (
        ("ConfigMap", "configMap", "name"),
        ("Secret", "secret", "secretName"),
        ("Secret", "secret", "name"),
    ):
        chosen = source.get(field)
        if chosen and chosen.get(called):
            items = {str(item.get("path")): str(item.get("key")) for item in chosen.get("items") or ()}
            names = {items.get(path, path) for path in mounted} if mounted else set(items.values())
            yield Read(Key("", kind, namespace, str(chosen[called])), frozenset(names))


def _mounted(spec: Mapping[str, Any], volume: str) -> frozenset[str]:
    """The files of a volume that are mounted; none in particular: all of them."""
    mounts = [
        mount
        for _, container in containers(spec)
        for mount in container.get("volumeMounts") or ()
        if mount.get("name") == volume
    ]
    paths = frozenset(str(mount.get("subPath", "")) for mount in mounts)
    return EVERYTHING if "" in paths else paths
