"""What `lookup` is to find in the cluster (`--objects FILE`)."""

from typing import Any

from msgspec.structs import replace

from watchbill.charts.engine import Engine
from watchbill.charts.render import Rendering, parse
from watchbill.errors import UserError


def read_objects(engine: Engine, name: str, text: str) -> tuple[dict[str, Any], ...]:
    """YAML or JSON, one document or many, Lists too: what `kubectl get -o yaml` prints."""
    try:
        read = parse(engine, name, text)
    except UserError as error:
        raise UserError(error.what, where=error.where, then=_THEN) from None
    # Nothing is a hook here, and nothing is dropped: these objects are there already.
    documents = [replace(document, role="manifest") for document in read.documents]
    for document in documents:
        if document.object is not None and not document.object.get("kind"):
            raise UserError(f"{name}: an object without a kind", where=f"{name}:{document.line}", then=_THEN)
    objects = []
    for resource in Rendering.of(read.context, documents).resources:
        if not resource.name or not resource.object.get("apiVersion"):
            raise UserError(
                f"{name}: {resource.kind} without {'a name' if not resource.name else 'an apiVersion'}",
                where=f"{name}:{resource.origin.line}",
                then=_THEN,
            )
        objects.append(resource.object)
    if not objects:
        raise UserError(f"{name}: no objects found", then=_THEN)
    return tuple(objects)


_THEN = "--objects takes what `kubectl get -o yaml` prints"
