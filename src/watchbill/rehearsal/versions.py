"""Versions for the model: charts rendered in every situation it asks for, or manifests as they are."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Protocol

from msgspec.structs import replace

from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine
from watchbill.charts.order import HELM3
from watchbill.charts.protocol import Context, Lookup
from watchbill.charts.render import Document, Failure, Rendering, Resource, parse, render
from watchbill.lifecycle.kube import catalog
from watchbill.lifecycle.lab import ReleaseName, Tool
from watchbill.lifecycle.objects import Body, Key, at, group_of
from watchbill.lifecycle.server import ALWAYS_THERE, Cluster
from watchbill.lifecycle.world import Hook, Manifest, Rendered, World

NOTHING = Key("", "", "", "")
CUSTOM = "CustomResourceDefinition"
# As good as any other revision after the first; a chart that renders both alike does not look at it.
SOME_REVISION, ANOTHER_REVISION = 2, 7


class Source(Protocol):
    """One version."""

    def render(self, release: ReleaseName, *, upgrade: bool, revision: int, world: World) -> Rendered: ...


class Versions:
    """All of them, and what they tell of the cluster."""

    def __init__(self, sources: Sequence[Source], release: ReleaseName, *, bare: bool = False) -> None:
        self._sources = sources
        empty = World()
        first = [source.render(release, upgrade=False, revision=1, world=empty) for source in sources]
        later = [
            source.render(release, upgrade=True, revision=SOME_REVISION, world=empty) for source in sources
        ]
        self.cluster = _cluster([*first, *later], bare)

    def __len__(self) -> int:
        return len(self._sources)

    def render(
        self, version: int, release: ReleaseName, *, upgrade: bool, revision: int, world: World
    ) -> Rendered:
        return self._sources[version].render(release, upgrade=upgrade, revision=revision, world=world)


class FromManifests:
    """Rendered before: the same in every situation."""

    def __init__(self, engine: Engine, name: str, text: str, context: Context) -> None:
        self._rendering = parse(engine, name, text, context)
        self._known: dict[str, Rendered] = {}

    def render(self, release: ReleaseName, *, upgrade: bool, revision: int, world: World) -> Rendered:  # noqa: ARG002
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
    ) -> None:
        self._engine = engine
        self._chart = chart
        self._context = context
        self._finish = finish
        self._known: dict[Any, Rendered] = {}
        self._lookups: dict[Lookup, None] = {}
        upgrades = [
            replace(context, upgrade=True, revision=revision)
            for revision in (SOME_REVISION, ANOTHER_REVISION)
        ]
        one, other = render(engine, chart, upgrades)
        # What depends on clock or chance is another thing each time.
        self._sees_revision = _texts(one) != _texts(other) or _is_volatile(one)

    def render(self, release: ReleaseName, *, upgrade: bool, revision: int, world: World) -> Rendered:
        while True:
            known = self._known.get(self._situation(release, upgrade, revision, world))
            if known is not None:
                return known
            asked = len(self._lookups)
            answer = self._render(release, upgrade, revision, world)
            # What the templates asked decides what tells situations apart; they may have asked something new.
            if len(self._lookups) == asked:
                self._known[self._situation(release, upgrade, revision, world)] = answer
                return answer

    def _situation(self, release: ReleaseName, upgrade: bool, revision: int, world: World) -> Any:
        answers = tuple(_answer(world, lookup) for lookup in self._lookups)
        return release, upgrade, revision if self._sees_revision else 0, answers

    def _render(self, release: ReleaseName, upgrade: bool, revision: int, world: World) -> Rendered:
        context = replace(
            self._context,
            release=release.name,
            namespace=release.namespace,
            upgrade=upgrade,
            revision=revision,
            seed=revision,
            cluster=_seen(world, release.namespace) if self._lookups else (),
        )
        [result] = render(self._engine, self._chart, [context])
        if isinstance(result, Failure):
            return Rendered(error=result.error.message)
        for lookup in result.lookups:
            self._lookups.setdefault(replace(lookup, found=False, template=""))
        return rendered(self._finish(result) if self._finish else result)


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
        served=tuple(catalog.api_versions()),
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
    if namespace:
        thing = {**thing, "metadata": {**(thing.get("metadata") or {}), "namespace": namespace}}
    stated = str(at(resource.object, "metadata", "namespace") or "")
    key = Key(group, resource.kind, namespace, name if isinstance(name, str) else "")
    return Manifest(key, Body.of(thing), resource.origin.template, stated)


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


def _seen(world: World, namespace: str) -> tuple[dict[str, Any], ...]:
    """What `lookup` finds: what was made, and the namespaces that are there before anything is."""
    there = dict.fromkeys([*sorted(ALWAYS_THERE), namespace])
    spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in there]
    return (*spaces, *(live.body.object for live in world.objects.values()))


@lru_cache(1 << 12)
def _matches(key: Key, lookup: Lookup) -> bool:
    return (
        key.group == group_of(lookup.api_version)
        and key.kind == lookup.kind
        and lookup.namespace in ("", key.namespace)
        and lookup.name in ("", key.name)
    )


def _answer(world: World, lookup: Lookup) -> tuple[tuple[Key, Body], ...]:
    return tuple((key, live.body) for key, live in world.objects.items() if _matches(key, lookup))


def _is_volatile(result: Rendering | Failure) -> bool:
    return isinstance(result, Rendering) and bool(result.volatile)


def _texts(result: Rendering | Failure) -> Any:
    if isinstance(result, Failure):
        return result.error.message
    return [(document.template, document.text, document.role) for document in result.documents]
