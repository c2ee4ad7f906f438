"""A chart, rendered: documents as Helm sees them, and the Kubernetes objects they stand for."""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from watchbill.charts.chart import Chart
from watchbill.charts.engine import Engine, EngineFailed
from watchbill.charts.problems import explain
from watchbill.charts.protocol import (
    Answer,
    Body,
    Context,
    DocumentAnswer,
    EngineError,
    Hook,
    Lookup,
    Parse,
    Render,
    Rendered,
    Role,
    Volatile,
)
from watchbill.charts.scope import CLUSTER_SCOPED


class Document(Struct, frozen=True):
    """One YAML document of the output."""

    template: str
    text: str
    object: Any  # as Helm's YAML reader understands it; None where there are only comments
    role: Role
    index: int = 0  # among the documents of its template's output
    line: int | None = None  # where it begins in its template, if that is known
    subchart: str = ""
    hook: Hook | None = None
    unknown_event: str = ""  # why Helm drops it, for the role "dropped"


class Resource(Struct, frozen=True):
    """One Kubernetes object of the output; items of a List are resources of their own, as for Helm."""

    kind: str
    name: str
    namespace: str  # empty for what lives outside namespaces
    object: dict[str, Any]
    origin: Document
    within: tuple[str | int, ...] = ()  # path to it in its document, for the items of a List

    @property
    def hook(self) -> Hook | None:
        return self.origin.hook if self.origin.role == "hook" else None

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class Rendering(Struct, frozen=True):
    """What one context gives, in Helm's order: CRDs, manifests, hooks; dropped documents apart."""

    context: Context
    documents: tuple[Document, ...]
    resources: tuple[Resource, ...]
    notes: str = ""
    volatile: tuple[Volatile, ...] = ()
    lookups: tuple[Lookup, ...] = ()
    sees_operation: bool = True  # may be another one for an install than for an upgrade
    sees_revision: bool = True  # may be another one in another revision
    values: dict[str, Any] | None = None

    @classmethod
    def of(cls, context: Context, documents: Sequence[Document], **rest: Any) -> Self:
        kept = [document for document in documents if document.role != "dropped"]
        return cls(context, tuple(documents), _all_resources(kept, context.namespace), **rest)

    @property
    def dropped(self) -> tuple[Document, ...]:
        return tuple(document for document in self.documents if document.role == "dropped")

    @property
    def dropped_resources(self) -> tuple[Resource, ...]:
        """What they would have been."""
        return _all_resources(self.dropped, self.context.namespace)


class Failure(Struct, frozen=True):
    """A context in which the chart does not render."""

    context: Context
    error: EngineError


def render_each(
    engine: Engine, chart: Chart, contexts: Sequence[Context]
) -> Iterator[tuple[int, Rendering | Failure]]:
    """One result a context with its index, in one request, each as it comes."""
    return _each(chart, contexts, engine.ask(Render(chart.source, *_said_once(contexts))))


def _each(
    chart: Chart, contexts: Sequence[Context], answers: Iterator[Answer]
) -> Iterator[tuple[int, Rendering | Failure]]:
    try:
        for rendered, bodies in _with_bodies(answers):
            context = contexts[rendered.index]
            if rendered.error is not None:
                yield rendered.index, Failure(context, rendered.error)
            else:
                yield rendered.index, _rendering(context, rendered, bodies)
    except EngineFailed as failed:
        raise explain(failed.error, chart.source.path, chart) from None


def render(engine: Engine, chart: Chart, contexts: Sequence[Context]) -> list[Rendering | Failure]:
    """One result a context, in their order."""
    return [result for _, result in sorted(render_each(engine, chart, contexts), key=itemgetter(0))]


def render_one(engine: Engine, chart: Chart, context: Context) -> Rendering:
    """A single context that must render; what stands in its way is the user's to read."""
    [result] = render(engine, chart, [context])
    if isinstance(result, Failure):
        raise explain(result.error, chart.source.path, chart)
    return result


def parse(engine: Engine, name: str, text: str, context: Context | None = None) -> Rendering:
    """Manifests that are already rendered, read and classified as Helm would."""
    context = context or Context()
    try:
        [(read, bodies)] = _with_bodies(engine.ask(Parse(name=name, text=text, order=context.order)))
    except EngineFailed as failed:
        raise explain(failed.error, name) from None
    if read.error is not None:
        raise explain(read.error, name)
    return _rendering(context, read, bodies)


def _said_once(contexts: Sequence[Context]) -> tuple[tuple[Context, ...], tuple[str, ...]]:
    """What a cluster serves is a long list, and mostly the same for all contexts."""
    served = contexts[0].served if contexts else ()
    if any(context.served is not served and context.served != served for context in contexts):
        return tuple(contexts), ()
    return tuple(replace(context, served=()) for context in contexts), served


def _with_bodies(answers: Iterator[Answer]) -> Iterator[tuple[Rendered, dict[str, Body]]]:
    """Each rendered context with the bodies it refers to, which come before it and are sent once."""
    bodies: dict[str, Body] = {}
    for answer in answers:
        if answer.body is not None:
            bodies[answer.body.digest] = answer.body
        if answer.rendered is not None:
            yield answer.rendered, bodies


def _rendering(context: Context, rendered: Rendered, bodies: dict[str, Body]) -> Rendering:
    return Rendering.of(
        context,
        [_document(answer, bodies[answer.digest]) for answer in rendered.documents],
        notes=rendered.notes,
        volatile=rendered.volatile,
        lookups=rendered.lookups,
        sees_operation="operation" in rendered.sees,
        sees_revision="revision" in rendered.sees,
        values=rendered.values,
    )


def _document(answer: DocumentAnswer, body: Body) -> Document:
    return Document(
        template=answer.template,
        text=body.text,
        object=body.object,
        role=answer.role,
        index=answer.index,
        line=answer.line or None,
        subchart=answer.subchart,
        hook=answer.hook,
        unknown_event=answer.unknown,
    )


def _all_resources(documents: Sequence[Document], namespace: str) -> tuple[Resource, ...]:
    return tuple(
        resource for document in documents for resource in _resources(document, document.object, namespace)
    )


def _resources(
    document: Document, thing: Any, namespace: str, within: tuple[str | int, ...] = ()
) -> Iterator[Resource]:
    if not isinstance(thing, dict) or not isinstance(kind := thing.get("kind"), str):
        return
    if kind.endswith("List") and isinstance(items := thing.get("items"), list):
        for position, item in enumerate(items):
            yield from _resources(document, item, namespace, (*within, "items", position))
        return
    metadata = thing["metadata"] if isinstance(thing.get("metadata"), dict) else {}
    group = str(thing.get("apiVersion", "")).rpartition("/")[0]
    yield Resource(
        kind=kind,
        name=str(metadata.get("name") or metadata.get("generateName") or ""),
        namespace="" if (group, kind) in CLUSTER_SCOPED else str(metadata.get("namespace") or namespace),
        object=thing,
        origin=document,
        within=within,
    )
