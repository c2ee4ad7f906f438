"""The model API server: one function a verb. Each gives the world after it, or is refused in the server's words."""

from enum import Enum
from functools import lru_cache
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from watchbill.lifecycle.jobs import begin, changed
from watchbill.lifecycle.kube import apply as ssa
from watchbill.lifecycle.kube import catalog, removed
from watchbill.lifecycle.kube.apply import Managers
from watchbill.lifecycle.kube.decode import decode_error, strict_error
from watchbill.lifecycle.kube.defaults import defaulted, prepare_create, prepare_update
from watchbill.lifecycle.kube.patched import patch_error
from watchbill.lifecycle.kube.typed import Fields
from watchbill.lifecycle.kube.validate import invalid_words, on_create, on_update
from watchbill.lifecycle.objects import Body, Key, Object, at, group_of
from watchbill.lifecycle.workloads import rolls
from watchbill.lifecycle.world import Live, Manifest, Run, World

T = TypeVar("T")

# Big enough for any one exploration, small enough for a laptop.
MEMORY = 1 << 16
PUBLISHED = ("default", "kube-root-ca.crt")  # by controllers, into every namespace
# What takes others along when it goes.
WITH_DEPENDENTS = frozenset({"Namespace", "ServiceAccount", "CustomResourceDefinition"})
ALWAYS_THERE = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})


class Reason(Enum):
    EXISTS = "already exists"
    NOT_FOUND = "not found"
    INVALID = "invalid"
    CONFLICT = "conflict"
    BAD_REQUEST = "bad request"


class Refused(Exception):  # noqa: N818 - that is what happened
    def __init__(self, reason: Reason, words: str) -> None:
        super().__init__(words)
        self.reason = reason
        self.words = words


class Refusal(Struct, frozen=True):
    """A refusal that can be remembered; an exception would drag its traceback along."""

    reason: Reason
    words: str


class Cluster(Struct, frozen=True, cache_hash=True):
    """What is assumed of the cluster: it has whatever the versions use and do not bring along themselves.

    A bare cluster has nothing of the kind: custom kinds are served once their definition is there, and what a pod
    needs must really exist.
    """

    bare: bool = False
    rendered: frozenset[Key] = frozenset()
    custom_kinds: frozenset[tuple[str, str]] = frozenset()  # group and kind of the CRDs the versions bring
    namespaces: frozenset[str] = frozenset()  # the namespaces they bring
    is_older: bool = False  # it still serves what Kubernetes has removed since

    def serves(self, world: World, api_version: str, kind: str) -> bool:
        if catalog.find(api_version, kind) is not None:
            return True
        group, _, version = api_version.rpartition("/")
        if catalog.is_builtin_group(group) or (api_version, kind) in removed.SINCE:
            return self.is_older and (api_version, kind) in removed.SINCE
        if not self.bare and (group, kind) not in self.custom_kinds:
            return True
        definition = _definition(world, group, kind)
        return definition is not None and any(
            served.get("name") == version and served.get("served")
            for served in at(definition, "spec", "versions")
        )

    def has(self, world: World, key: Key) -> bool:
        """Whether it is there, for all a pod can tell."""
        if key in world.objects or key.name in PUBLISHED:
            return True
        return not self.bare and key not in self.rendered

    def has_namespace(self, world: World, namespace: str) -> bool:
        return (
            namespace in ALWAYS_THERE
            or namespace not in self.namespaces
            or Key("", "Namespace", "", namespace) in world.objects
        )


def create(world: World, cluster: Cluster, manifest: Manifest, manager: str) -> World:
    """POST."""
    key = manifest.key
    _check_namespace(world, cluster, key)
    _refuse(_undecodable(manifest.body))
    if (live := world.objects.get(key)) is not None:
        raise Refused(Reason.EXISTS, _exists(world, manifest, live))
    stored = _refuse(_stored(manifest.body))
    return _put(world, key, _provided(stored, cluster), _creator(manifest.body, manager), None)


def apply(world: World, cluster: Cluster, manifest: Manifest, manager: str, *, force: bool) -> World:
    """PATCH, server-side apply: creates what is not there."""
    key = manifest.key
    _check_namespace(world, cluster, key)
    live = world.objects.get(key)
    if live is None or live.body.api_version != manifest.body.api_version:
        body, managers = _refuse(_applied(None, manifest.body, manager, force))
        body = _provided(body, cluster)
    else:
        before = (live.body, live.managers, live.run)
        body, managers = _refuse(_applied(before, manifest.body, manager, force))
    return _put(world, key, body, managers, live)


def patch(world: World, key: Key, merged: Body, manager: str) -> World:
    """PATCH of any other kind: `merged` is the live object with the patch in it."""
    live = _existing(world, key, merged)
    _refuse(_unreadable(merged))
    body = _refuse(_changed(merged, live.body, live.run))
    return _put(world, key, body, ssa_owners(live.body, live.managers, body, manager), live)


def replace_object(world: World, manifest: Manifest, manager: str, *, strict: bool) -> World:
    """PUT: all of it, and nothing of what the server had filled in."""
    live = _existing(world, manifest.key, manifest.body)
    _refuse(_undecodable(manifest.body, strict))
    body = _refuse(_changed(manifest.body, live.body, live.run))
    return _put(world, manifest.key, body, ssa_owners(live.body, live.managers, body, manager), live)


def delete(world: World, key: Key) -> World:
    """DELETE of what is there. Whatever the propagation, an object without finalizers of its own is soon gone."""
    live = world.objects[key]
    if live.body.metadata.get("finalizers"):
        return world.put(key, replace(live, terminating=True))
    if key.kind not in WITH_DEPENDENTS:
        return world.drop(key)
    return world.drop(key, *_dependents(world, key, live.body))


def resource_words(world: World, body: Body, name: str) -> str:
    """`jobs.batch "x"`."""
    group = group_of(body.api_version)
    plural = plural_of(world, body.api_version, body.kind)
    return f'{plural}.{group} "{name}"' if group else f'{plural} "{name}"'


def plural_of(world: World, api_version: str, kind: str) -> str:
    if (known := catalog.find(api_version, kind)) is not None:
        return known.resource
    definition = _definition(world, group_of(api_version), kind)
    if definition is not None:
        return str(at(definition, "spec", "names", "plural"))
    lower = kind.lower()  # as client libraries guess it
    if lower.endswith("s"):
        return lower + "es"
    return lower[:-1] + "ies" if lower.endswith("y") else lower + "s"


def _definition(world: World, group: str, kind: str) -> Object | None:
    for key, live in world.objects.items():
        if key.kind == "CustomResourceDefinition":
            spec = live.body.object["spec"]
            if spec.get("group") == group and at(spec, "names", "kind") == kind:
                return live.body.object
    return None


def _check_namespace(world: World, cluster: Cluster, key: Key) -> None:
    if key.namespace in cluster.namespaces and not cluster.has_namespace(world, key.namespace):
        raise Refused(Reason.NOT_FOUND, f'namespaces "{key.namespace}" not found')


def _exists(world: World, manifest: Manifest, live: Live) -> str:
    words = f"{resource_words(world, manifest.body, manifest.key.name)} already exists"
    return f"object is being deleted: {words}" if live.terminating else words


def _existing(world: World, key: Key, body: Body) -> Live:
    live = world.objects.get(key)
    if live is None:
        raise Refused(Reason.NOT_FOUND, f"{resource_words(world, body, key.name)} not found")
    return live


def _put(world: World, key: Key, body: Body, managers: Managers, before: Live | None) -> World:
    if before is None:
        return world.put(key, _new(body, managers))
    if before.body is body:
        return world.put(key, replace(before, managers=managers))
    run = changed(before.run, before.body, body)
    rolling = before.rolling or rolls(before.body, body)
    return world.put(key, Live(body, managers, run, before.terminating, rolling))


def _provided(body: Body, cluster: Cluster) -> Body:
    """A claim gets its volume, unless the cluster has nothing: one that is bound may grow."""
    return _bound(body) if body.kind == "PersistentVolumeClaim" and not cluster.bare else body


@lru_cache(MEMORY)
def _bound(body: Body) -> Body:
    size = at(body.object, "spec", "resources", "requests", "storage")
    return Body.of({**body.object, "status": {"phase": "Bound", "capacity": {"storage": size}}})


@lru_cache(MEMORY)
def _new(body: Body, managers: Managers) -> Live:
    return Live(body, managers, begin(body))


def _dependents(world: World, key: Key, body: Body) -> list[Key]:
    """What goes with a namespace, with the definition of its kind, or with the account whose token it is."""
    if key.kind == "Namespace" and key.group == "":
        return [other for other in world.objects if other.namespace == key.name]
    if key.kind == "ServiceAccount" and key.group == "":
        return [
            other
            for other, live in world.objects.items()
            if other.kind == "Secret"
            and other[:3] == ("", "Secret", key.namespace)
            and live.body.object.get("type") == "kubernetes.io/service-account-token"
            and live.body.annotations.get("kubernetes.io/service-account.name") == key.name
        ]
    if key.kind == "CustomResourceDefinition":
        kind = (at(body.object, "spec", "group"), at(body.object, "spec", "names", "kind"))
        return [other for other in world.objects if (other.group, other.kind) == kind]
    return []


def _refuse(answer: T | Refusal) -> T:
    if isinstance(answer, Refusal):
        raise Refused(answer.reason, answer.words)
    return answer


@lru_cache(MEMORY)
def ssa_owners(before: Body | None, managers: Managers, after: Body, manager: str) -> Managers:
    """Who owns which fields after a write that is no apply."""
    return ssa.updated(before.object if before else None, managers, after.object, manager)


@lru_cache(MEMORY)
def _creator(sent: Body, manager: str) -> Managers:
    """Whoever creates an object owns what it sent and what was filled in, not what the server makes of it."""
    if not manager:
        return ()
    known = {name: value for name, value in defaulted(sent.object).items() if name != "status"}
    template = at(known, "spec", "template")
    if isinstance(template, dict) and not template.get("metadata", True):
        bare = {name: value for name, value in template.items() if name != "metadata"}
        known = {**known, "spec": {**known["spec"], "template": bare}}
    return ssa.updated(None, (), known, manager)


@lru_cache(MEMORY)
def _undecodable(body: Body, strict: bool = False) -> Refusal | None:
    words = strict_error(body.object) if strict else decode_error(body.object)
    return Refusal(Reason.BAD_REQUEST, words) if words else None


@lru_cache(MEMORY)
def _unreadable(merged: Body) -> Refusal | None:
    """Clients do not merge strategically what they cannot read themselves."""
    words = patch_error(merged.object, strict=False, json_merge=True)
    return Refusal(Reason.INVALID, words) if words else None


@lru_cache(MEMORY)
def _stored(body: Body) -> Body | Refusal:
    prepared = prepare_create(body.object)
    if causes := on_create(prepared):
        return Refusal(Reason.INVALID, invalid_words(prepared, causes))
    return Body.of(_kept(prepared))


def _kept(prepared: Object) -> Object:
    """The form in which objects are kept knows no empty list: a role without rules comes back with null for them."""
    return {**prepared, "rules": None} if prepared.get("rules") == [] else prepared


@lru_cache(MEMORY)
def _changed(new: Body, old: Body, run: Run | None) -> Body | Refusal:
    if new.api_version != old.api_version:
        return _stored(new)  # conversion between versions is not modelled: the new form is taken as it is
    before = old.object if run is None else {**old.object, "status": _status(run)}
    prepared = prepare_update(new.object, before)
    if causes := on_update(prepared, before):
        return Refusal(Reason.INVALID, invalid_words(prepared, causes))
    if run is not None:
        prepared = {name: value for name, value in prepared.items() if name != "status"}
    return Body.of(_kept(prepared))


def _status(run: Run) -> Object:
    """As far as it decides what may be changed: whether it was ever started, and runs now."""
    if run.phase == "suspended":
        return {}
    return {"startTime": "", "active": 1} if run.phase == "running" else {"startTime": ""}


@lru_cache(MEMORY)
def _fields(applied: Body) -> Fields | None:
    return ssa.fields_of(applied.object)


@lru_cache(MEMORY)
def _is_typed(live: Body) -> bool:
    return ssa.fits(live.object)


@lru_cache(MEMORY)
def _applied(
    before: tuple[Body, Managers, Run | None] | None, body: Body, manager: str, force: bool
) -> tuple[Body, Managers] | Refusal:
    live, managers, run = before or (None, (), None)
    try:
        merged = ssa.apply(
            live.object if live else None,
            managers,
            body.object,
            manager,
            force=force,
            fields=_fields(body),
            is_typed=live is not None and _is_typed(live),
        )
    except ssa.NotTyped as error:
        return Refusal(Reason.BAD_REQUEST, error.words)
    if not isinstance(merged, ssa.Applied):
        return Refusal(Reason.CONFLICT, ssa.conflict_words(merged))
    result = Body.of(merged.object)
    if (undecodable := _undecodable(result)) is not None:
        return undecodable
    stored = _stored(result) if live is None else _changed(result, live, run)
    return stored if isinstance(stored, Refusal) else (stored, merged.managers)
