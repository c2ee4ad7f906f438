"""What a chart has that runs to completion or hooks into a release, in the order in which it happens."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.chart import Chart
from watchbill.charts.protocol import Lookup, Volatile
from watchbill.charts.render import Document, Rendering, Resource

# A release's life in order; plain objects come between what runs before them and what runs after.
HOOK_EVENTS = (
    "pre-install",
    "pre-upgrade",
    "pre-rollback",
    "post-install",
    "post-upgrade",
    "post-rollback",
    "test",
    "pre-delete",
    "post-delete",
)
_PLAIN = HOOK_EVENTS.index("post-install") - 0.5
DEFAULT_DELETE_POLICY = "before-hook-creation"  # what Helm does for a hook that names none


class Item(Struct, frozen=True, rename="camel"):
    """A Job, a CronJob or a hook object."""

    kind: str
    name: str
    namespace: str
    file: str
    line: int | None
    subchart: str
    hook: bool
    events: tuple[str, ...] = ()
    weight: int | None = None
    delete_policies: tuple[str, ...] = ()  # as written; Helm takes before-hook-creation where there is none
    output_log_policies: tuple[str, ...] = ()
    schedule: str | None = None
    suspended: bool = False
    kept: bool = False  # helm.sh/resource-policy: keep
    ttl_seconds_after_finished: int | None = None


class Dropped(Struct, frozen=True, rename="camel"):
    """A document that Helm leaves out without saying so."""

    kind: str
    name: str
    file: str
    line: int | None
    subchart: str
    unknown_event: str


class Overview(Struct, frozen=True, rename="camel"):
    schema: int
    chart: str
    version: str
    app_version: str
    release: str
    namespace: str
    upgrade: bool
    objects: int
    items: tuple[Item, ...]
    dropped: tuple[Dropped, ...]
    volatile: tuple[Volatile, ...]
    lookups: tuple[Lookup, ...]


def overview(chart: Chart, rendering: Rendering) -> Overview:
    shown = [r for r in rendering.resources if r.hook is not None or r.kind in ("Job", "CronJob")]
    return Overview(
        schema=1,
        chart=chart.name,
        version=chart.version,
        app_version=chart.app_version,
        release=rendering.context.release,
        namespace=rendering.context.namespace,
        upgrade=rendering.context.upgrade,
        objects=len(rendering.resources),
        items=tuple(_item(chart, resource) for resource in sorted(shown, key=_when)),
        dropped=tuple(_dropped(chart, document) for document in rendering.dropped),
        volatile=tuple(Volatile(chart.file(use.template), use.function) for use in rendering.volatile),
        lookups=tuple(replace(lookup, template=chart.file(lookup.template)) for lookup in rendering.lookups),
    )


def _when(resource: Resource) -> tuple[float, int]:
    """Stage and weight; Helm's own order, in which the resources come, decides the rest."""
    if (hook := resource.hook) is None:
        return (_PLAIN, 0)
    return (min(HOOK_EVENTS.index(event) for event in hook.events), hook.weight)


def _item(chart: Chart, resource: Resource) -> Item:
    hook = resource.hook
    spec = _spec(resource.object)
    annotations = _part(_part(resource.object, "metadata"), "annotations")
    job = _spec(spec.get("jobTemplate") or {}) if resource.kind == "CronJob" else spec
    ttl = job.get("ttlSecondsAfterFinished")
    return Item(
        kind=resource.kind,
        name=_name(resource.object),
        namespace=resource.namespace,
        file=chart.file(resource.origin.template),
        line=resource.origin.line,
        subchart=resource.origin.subchart,
        hook=hook is not None,
        events=hook.events if hook else (),
        weight=hook.weight if hook else None,
        delete_policies=hook.delete_policies if hook else (),
        output_log_policies=hook.output_log_policies if hook else (),
        schedule=str(spec.get("schedule", "")) if resource.kind == "CronJob" else None,
        suspended=spec.get("suspend") is True,
        kept=hook is None and annotations.get("helm.sh/resource-policy") == "keep",
        ttl_seconds_after_finished=ttl if type(ttl) is int else None,
    )


def _name(thing: Any) -> str:
    metadata = _part(thing, "metadata")
    return str(metadata.get("name") or f"{metadata.get('generateName', '')}*")


def _dropped(chart: Chart, document: Document) -> Dropped:
    return Dropped(
        kind=str(_part({"document": document.object}, "document").get("kind", "")),
        name=_name(document.object),
        file=chart.file(document.template),
        line=document.line,
        subchart=document.subchart,
        unknown_event=document.unknown_event,
    )


def _spec(thing: Any) -> dict[str, Any]:
    return _part(thing, "spec")


def _part(thing: Any, key: str) -> dict[str, Any]:
    """A map in a map, or an empty one: nothing in a chart's output need be what it should."""
    part = thing.get(key) if isinstance(thing, dict) else None
    return part if isinstance(part, dict) else {}
