"""Objects that documents name."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml  # type: ignore[import-untyped]

from dev.tapes.charts import documents


class Ref(NamedTuple):
    """An object as its document names it; what the document leaves open is empty."""

    api_version: str
    kind: str
    namespace: str
    name: str


def named_in(text: str) -> Iterator[Ref]:
    """A document that is no YAML names nothing: no tool gets as far as creating it."""
    for document in documents(text):
        try:
            thing = yaml.load(document, yaml.CSafeLoader)
        except yaml.YAMLError:
            continue
        yield from _named(thing)


def _named(thing: Any) -> Iterator[Ref]:
    if not isinstance(thing, dict) or not isinstance(kind := thing.get("kind"), str):
        return
    if kind.endswith("List") and isinstance(items := thing.get("items"), list):
        for item in items:
            yield from _named(item)
        return
    metadata = thing.get("metadata")
    if isinstance(metadata, dict) and metadata.get("name"):
        namespace = str(metadata.get("namespace") or "")
        yield Ref(str(thing.get("apiVersion", "")), kind, namespace, str(metadata["name"]))
