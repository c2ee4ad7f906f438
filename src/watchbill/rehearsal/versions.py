"""Versions for the model: charts rendered in every situation it asks for, or manifests as they are."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine
from watchbill.charts.leaves import merged
from watchbill.charts.order import HELM3
from watchbill.charts.protocol import Context, Lookup
from watchbill.charts.render import Document, Failure, Rendering, Resource, render, render_each
from watchbill.errors import UserError
from watchbill.lifecycle.kube import catalog
from watchbill.lifecycle.lab import ReleaseName, Tool
from watchbill.lifecycle.objects import Body, Key, at, group_of
from watchbill.lifecycle.server import ALWAYS_THERE, Cluster
from watchbill.lifecycle.statuses import observed
from watchbill.lifecycle.world import Hook, Manifest, Rendered, World

NOTHING = Key("", "", "", "")
CUSTOM = "CustomResourceDefinition"
# As good as any other revision after the first; a chart that renders both alike does not look at it.
SOME_REVISION, ANOTHER_REVISION = 2, 7
NEXT_REVISIONS = 3
DRAWS = 1000  # more than there are revisions: seeds of draws do not meet
ANY = Cluster()  # as long as nothing is there, nothing depends on what is assumed of the cluster
# What an install and an upgrade have, and what tells whether a chart looks at it.
FIRST_REVISIONS, ALL_REVISIONS = (1, SOME_REVISION), (1, SOME_REVISION, ANOTHER_REVISION)


class Source(Protocol):
    """One version."""

    def given(self, values: dict[str, Any]) -> "Source":
        """Return the same version with other values, as far as it takes any."""
        ...

    def render(
        self, release: ReleaseName, *, upgrade: bool, revision: int, world: World, cluster: Cluster
    ) -> Rendered: ...


class Versions:
    """All of them, and what they tell of the cluster."""

    def __init__(
        self, sources: Sequence[Source], release: ReleaseName, *, bare: bool = False, trial: bool = False
    ) -> None:
        """`trial`: the versions differ in one input alone, so upgrades to the first tell enough of the cluster."""
        self._sources = sources
        self._release = release
        empty = World()
        installs = [
            source.render(release, upgrade=False, revision=1, world=empty, cluster=ANY) for source in sources
        ]
        upgrades = [
            source.render(release, upgrade=True, revision=SOME_REVISION, world=empty, cluster=ANY)
            for source in (sources[:1] if trial else sources)
        ]
        self.cluster = _cluster([*installs, *upgrades], bare)

    def __len__(self) -> int:
        return len(self._sources)

    def given(self, values: dict[str, Any]) -> "Versions":
        """Return the same versions with other values."""
        return Versions([source.given(values) for source in self._sources], self._release)

    def render(
        self, version: int, release: ReleaseName, *, upgrade: bool, revision: int, world: World
    ) -> Rendered:
        return self._sources[version].render(
            release, upgrade=upgrade, revision=revision, world=world, cluster=self.cluster
        )


class Fixed:
    """Rendered before: the same in every situation."""

    def __init__(self, rendering: Rendering) -> None:
        self._rendering = rendering
        self._known: dict[str, Rendered] = {}

    def given(self, values: dict[str, Any]) -> "Fixed":  # noqa: ARG002
        return self

    def render(
        self,
        release: ReleaseName,
        *,
        upgrade: bool,  # noqa: ARG002
        revision: int,  # noqa: ARG002
        world: World,  # noqa: ARG002
        cluster: Cluster = ANY,  # noqa: ARG002
    ) -> Rendered:
        if release.namespace not in self._known:
            context = replace(self._rendering.context, namespace=release.namespace)
            self._known[release.namespace] = rendered(Rendering.of(context, self._rendering.documents))
        return self._known[release.namespace]


class FromChart:
    """Rendered when asked, once for each situation its templates can tell apart. `finish` is what becomes of
    a rendering before the tool sees it: a post-renderer."""

    def __init__(
        self,
        engine: Engine,
        chart: Chart,
        context: Context,
        finish: Callable[[Rendering], Rendering] | None = None,
        lookups: Iterable[Lookup] = (),
    ) -> None:
        """`lookups`: what its templates are known to look up."""
        self._engine = engine
        self._chart = chart
        self._context = context
        self._finish = finish
        self._known: dict[Any, _Told] = {}
        self._lookups = dict.fromkeys(map(_question, lookups))
        self._seen: dict[Any, tuple[int, Rendered]] = {}  # the first revision of each situation
        # What is the same in all revisions, by situation, and in all operations, by release and what is found.
        self._settled: dict[Any, _Told] = {}
        self._always: dict[Any, _Told] = {}
        self.coming: Coming | None = None  # looks at it that are under way

    def given(self, values: dict[str, Any]) -> "FromChart":
        own = self._context.values
        context = replace(self._context, values=replace(own, overlay=merged(own.overlay, values)))
        return FromChart(self._engine, self._chart, context, self._finish, self._lookups)

    def render(
        self,
        release: ReleaseName,
        *,
        upgrade: bool,
        revision: int,
        world: World,
        cluster: Cluster = ANY,
    ) -> Rendered:
        if upgrade and revision != SOME_REVISION and not self._sees_revision:
            revision = SOME_REVISION
        # Chance does not give again what an earlier install has left.
        draw = len(world.objects) if world.objects and not upgrade and self._is_by_chance else 0
        known = None if self._lookups else self._known.get((((release, ()), upgrade, draw), revision))
        if known is not None:
            return known[0]
        asked = _Asked(release, upgrade, revision, world, cluster if world.objects else ANY, draw)
        return self._exactly(asked)[0]

    def look(self, revision: int) -> Rendering | Failure:
        """Its own release, as long as nothing is there: an install at the first revision, else an upgrade."""
        asked = self._first(revision)
        return replace(self._exactly(asked)[1], context=self._context_of(asked))

    def question(self, look: "Look") -> Context:
        """What a look asks the engine for."""
        return self._context_of(self._first(look.revision, look.release))

    def learn(self, look: "Look", result: Rendering | Failure) -> None:
        """What a look would have been answered."""
        self._take(self._first(look.revision, look.release), result)

    @cached_property
    def _sees_revision(self) -> bool:
        """What depends on clock or chance is another thing each time."""
        some, result = self._exactly(self._first(SOME_REVISION))
        if self._same(self._first(SOME_REVISION)) is not None:
            return False
        return _is_volatile(result) or some != self._exactly(self._first(ANOTHER_REVISION))[0]

    @cached_property
    def _is_by_chance(self) -> bool:
        """Whether who asks for each install anew gets another thing each time."""
        return _is_volatile(self.look(1))

    def _first(self, revision: int, release: ReleaseName | None = None) -> "_Asked":
        own = ReleaseName(self._context.release, self._context.namespace)
        return _Asked(release or own, revision > 1, revision, World())

    def _exactly(self, asked: "_Asked") -> "_Told":
        # What the templates look up decides what tells situations apart; they may look up something new.
        while (known := self._recall(asked)) is None:
            if self.coming is not None and self.coming.take():
                continue
            alike = [replace(asked, revision=asked.revision + more) for more in range(self._foresight(asked))]
            results = render(self._engine, self._chart, [self._context_of(one) for one in alike])
            for one, result in zip(alike, results, strict=True):
                self._take(one, result)
        return known

    def _foresight(self, asked: "_Asked") -> int:
        """How many revisions to render at once: where each is another thing, the next ones will be asked for too."""
        return 1 if asked.revision in ALL_REVISIONS or self._lookups else NEXT_REVISIONS

    def _recall(self, asked: "_Asked") -> "_Told | None":
        known = self._known.get((_situation(asked, self._lasting(asked)), asked.revision))
        return known or self._same(asked)

    def _same(self, asked: "_Asked") -> "_Told | None":
        """Return what is known to be the same whatever the revision is."""
        lasting = self._lasting(asked)
        return self._always.get(lasting) or self._settled.get(_situation(asked, lasting))

    def _lasting(self, asked: "_Asked") -> Any:
        """Return what decides where no template asks for the operation or for chance."""
        return asked.release, tuple(_answer(asked, lookup) for lookup in self._lookups)

    def _context_of(self, asked: "_Asked") -> Context:
        given = self._context.cluster
        return replace(
            self._context,
            release=asked.release.name,
            namespace=asked.release.namespace,
            upgrade=asked.upgrade,
            revision=asked.revision,
            seed=asked.revision + DRAWS * asked.draw,
            cluster=(*_seen(asked), *given) if self._lookups else given,
        )

    def _take(self, asked: "_Asked", result: Rendering | Failure) -> None:
        if isinstance(result, Failure):
            answer = Rendered(error=result.error.message)
        else:
            self._lookups.update(dict.fromkeys(map(_question, result.lookups)))
            if result.lookups and len(result.context.cluster) == len(self._context.cluster):
                return  # it was asked for before anybody knew that there is something to be looked up
            result = self._finish(result) if self._finish else result
            answer = rendered(result)
        lasting = self._lasting(asked)
        situation = _situation(asked, lasting)
        self._known[situation, asked.revision] = answer, result
        if isinstance(result, Rendering) and not result.volatile and not result.sees_revision:
            same, where = (self._settled, situation) if result.sees_operation else (self._always, lasting)
            same[where] = answer, result
        elif self._lookups:  # what they find may leave nothing to chance
            revision, first = self._seen.setdefault(situation, (asked.revision, answer))
            if revision != asked.revision and first == answer:
                self._settled[situation] = answer, result


_Told = tuple[Rendered, Rendering | Failure]  # as the model has it, and as the engine gave it


class Look(Struct, frozen=True):
    """A version as long as nothing is there: at this revision, for its own release or for another one."""

    version: FromChart
    revision: int
    release: ReleaseName | None = None


class Coming:
    """Looks that the engine was asked for in one request, learned as they are needed: it works on meanwhile."""

    def __init__(self, engine: Engine, chart: Chart, looks: Sequence[Look]) -> None:
        self._looks = looks
        self._failed: UserError | None = None
        self._taken = deque[tuple[int, Rendering | Failure]]()  # and not learned yet
        self._results = render_each(engine, chart, [look.version.question(look) for look in looks])
        engine.later(self._read_all)

    def take(self) -> bool:
        """Learns the next one; False if there are no more."""
        taken = self._taken.popleft() if self._taken else next(self._results, None)
        if taken is None:
            if self._failed is not None:
                raise self._failed
            return False
        index, result = taken
        look = self._looks[index]
        look.version.learn(look, result)  # may have questions of its own
        return True

    def _read_all(self) -> None:
        """Somebody has another question. What goes wrong is said to who wants a look, not to that one."""
        try:
            self._taken.extend(self._results)
        except UserError as error:
            self._failed = error


def look_ahead(engine: Engine, chart: Chart, looks: Sequence[Look]) -> None:
    """Looks at versions of one chart, in one request instead of many. What is needed first is asked for first."""
    coming = Coming(engine, chart, looks)
    for look in looks:
        look.version.coming = coming


class _Asked(Struct, frozen=True):
    """A situation in which a version is rendered."""

    release: ReleaseName
    upgrade: bool
    revision: int
    world: World
    cluster: Cluster = ANY
    draw: int = 0  # of chance, where an earlier install has left something


def _situation(asked: _Asked, lasting: Any) -> Any:
    return lasting, asked.upgrade, asked.draw


def context_for(context: Context, tool: Tool) -> Context:
    """Helm 3 and Helm 4 do not install in the same order, and templates may ask who they are and what is served.

    kubectl applies what `helm template` prints, which asks no cluster.
    """
    if tool.name != "helm":
        return context
    return replace(
        context,
        order=HELM3 if tool.version.startswith("3.") else (),
        helm_version=f"v{tool.version}",
        kube_version=context.kube_version or catalog.VERSION,
        served=catalog.api_versions(),
    )


def rendered(rendering: Rendering) -> Rendered:
    by_document: dict[int, list[Resource]] = {}
    for resource in rendering.resources:
        by_document.setdefault(id(resource.origin), []).append(resource)
    cluster_wide = _cluster_wide(rendering.resources)
    manifests: dict[str, list[Manifest]] = {"crd": [], "manifest": []}
    hooks = []
    for document in rendering.documents:
        found = [_manifest(resource, cluster_wide) for resource in by_document.get(id(document), ())]
        if not found and _is_nameless(document):
            found = [Manifest(NOTHING, Body.of(document.object), document.template)]
        if document.role == "hook":
            hooks.append(_hook(document, tuple(found)))
        elif document.role in manifests:
            manifests[document.role] += found
    return Rendered(tuple(manifests["manifest"]), tuple(hooks), tuple(manifests["crd"]))


def _is_nameless(document: Document) -> bool:
    """An object of no kind: Helm takes it along and stumbles over it later."""
    thing = document.object
    return (
        isinstance(thing, dict) and bool(thing) and not (thing.get("kind") and isinstance(thing["kind"], str))
    )


def _hook(document: Document, objects: tuple[Manifest, ...]) -> Hook:
    hook = document.hook
    assert hook is not None
    head = document.object if isinstance(document.object, dict) else {}
    return Hook(
        kind=str(head.get("kind", "")),
        name=str(at(head, "metadata", "name") or ""),
        path=document.template,
        events=hook.events,
        weight=hook.weight,
        delete_policies=hook.delete_policies,
        objects=objects,
    )


def _manifest(resource: Resource, cluster_wide: frozenset[tuple[str, str]]) -> Manifest:
    group = group_of(str(resource.object.get("apiVersion", "")))
    namespace = "" if (group, resource.kind) in cluster_wide else resource.namespace
    name = at(resource.object, "metadata", "name")
    thing = resource.object
    stated = at(thing, "metadata", "namespace")
    if stated is not None and not isinstance(stated, str):
        pass  # nobody can read it: it stays as it is
    elif namespace:
        thing = {**thing, "metadata": {**(thing.get("metadata") or {}), "namespace": namespace}}
    elif stated:  # the tools leave it out where there can be none
        thing = {**thing, "metadata": {k: v for k, v in thing["metadata"].items() if k != "namespace"}}
    key = Key(group, resource.kind, namespace, name if isinstance(name, str) else "")
    return Manifest(key, Body.of(thing), resource.origin.template, str(stated or ""))


def _cluster_wide(resources: Sequence[Resource]) -> frozenset[tuple[str, str]]:
    """Custom kinds outside namespaces, as far as their definitions are at hand."""
    return frozenset(
        (str(at(known.object, "spec", "group")), str(at(known.object, "spec", "names", "kind")))
        for known in resources
        if known.kind == CUSTOM and at(known.object, "spec", "scope") == "Cluster"
    )


def _cluster(versions: Sequence[Rendered], bare: bool) -> Cluster:
    everything = [manifest for version in versions for manifest in version.everything()]
    return Cluster(
        bare=bare,
        rendered=frozenset(manifest.key for manifest in everything),
        custom_kinds=frozenset(
            (
                str(at(manifest.body.object, "spec", "group")),
                str(at(manifest.body.object, "spec", "names", "kind")),
            )
            for manifest in everything
            if manifest.key.kind == CUSTOM
        ),
        namespaces=frozenset(
            manifest.key.name for manifest in everything if manifest.key[:2] == ("", "Namespace")
        ),
    )


def _seen(asked: _Asked) -> tuple[dict[str, Any], ...]:
    """What `lookup` finds: what was made, Helm's records, and the namespaces that are there before anything is."""
    there = dict.fromkeys([*sorted(ALWAYS_THERE), asked.release.namespace])
    spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in there]
    records = [record.object for _, record in _records(asked)]
    return (*spaces, *records, *(_looks(asked, key).object for key in asked.world.objects))


def _question(lookup: Lookup) -> Lookup:
    """Return it without who asked, and what the answer was."""
    return replace(lookup, found=False, template="")


@lru_cache(1 << 12)
def _matches(key: Key, lookup: Lookup) -> bool:
    return (
        key.group == group_of(lookup.api_version)
        and key.kind == lookup.kind
        and lookup.namespace in ("", key.namespace)
        and lookup.name in ("", key.name)
    )


def _answer(asked: _Asked, lookup: Lookup) -> tuple[tuple[Key, Body], ...]:
    made = ((key, _looks(asked, key)) for key in asked.world.objects if _matches(key, lookup))
    return (*made, *((key, record) for key, record in _records(asked) if _matches(key, lookup)))


def _records(asked: _Asked) -> Iterator[tuple[Key, Body]]:
    for name, history in asked.world.releases.items():
        for one in history:
            yield _record(name, asked.release.namespace, one.revision, one.status)


@lru_cache(1 << 12)
def _record(name: str, namespace: str, revision: int, status: str) -> tuple[Key, Body]:
    """A revision as Helm keeps it: a Secret that tells its status by a label."""
    secret = f"sh.helm.release.v1.{name}.v{revision}"
    labels = {"owner": "helm", "name": name, "status": status, "version": str(revision)}
    metadata = {"name": secret, "namespace": namespace, "labels": labels}
    thing = {"apiVersion": "v1", "kind": "Secret", "type": "helm.sh/release.v1", "metadata": metadata}
    return Key("", "Secret", namespace, secret), Body.of(thing)


def _looks(asked: _Asked, key: Key) -> Body:
    return observed(asked.world, asked.cluster, key, asked.world.objects[key])


def _is_volatile(result: Rendering | Failure) -> bool:
    return isinstance(result, Rendering) and bool(result.volatile)
