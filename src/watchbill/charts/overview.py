"""What a chart has that runs to completion or hooks into a release, in the order in which it happens."""

from typing import Any

from msgspec import Struct

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
        lookups=rendering.lookups,
    )


def _when(resource: Resource) -> tuple[float, int]:
    """Stage and weight; Helm's own order, in which the resources come, decides the rest."""
    if (hook := resource.hook) is None:
        return (_PLAIN, 0)
    return (min(HOOK_EVENTS.index(event) for event in hook.events), hook.weight)


def _item(chart: Chart, resource: Resource) -> Item:
    hook = resource.hook
    spec = _spec(resource.object)
    job = _spec(spec.get("jobTemplate") or {}) if resource.kind == "CronJob" else spec
    ttl = job.get("ttlSecondsAfterFinished")
    return Item(
        kind=resource.kind,
        name=resource.name,
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
        ttl_seconds_after_finished=ttl if isinstance(ttl, int) else None,
    )


def _dropped(chart: Chart, document: Document) -> Dropped:
    thing = document.object if isinstance(document.object, dict) else {}
    metadata = thing.get("metadata")
    return Dropped(
        kind=str(thing.get("kind", "")),
        name=str(metadata.get("name", "")) if isinstance(metadata, dict) else "",
        file=chart.file(document.template),
        line=document.line,
        subchart=document.subchart,
        unknown_event=document.unknown_event,
    )


def _spec(thing: Any) -> dict[str, Any]:
    spec = thing.get("spec") if isinstance(thing, dict) else None
    return spec if isinstance(spec, dict) else {}
