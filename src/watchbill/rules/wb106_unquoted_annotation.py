"""WB106: the value of an annotation or a label, or a name, is a number or a boolean, and must be text."""

from collections.abc import Iterator

from watchbill.lifecycle.objects import Object
from watchbill.lifecycle.properties import FAILURES
from watchbill.lifecycle.world import Manifest
from watchbill.rules.mends import every
from watchbill.rules.rule import Claim, Pointer, Rule
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

FIELDS = ("annotations", "labels")
NAMES = ("name", "namespace")
WORDS = tuple(f"ObjectMeta.metadata.{field} of type string" for field in (*FIELDS, *NAMES))


def _claim(sighting: Sighting) -> Claim | None:
    if sighting.broke not in FAILURES or not any(words in sighting.what for words in WORDS):
        return None
    unquoted = [pointer for one in sighting.rendered.everything() for pointer in _unquoted(one)]
    if not unquoted:
        return None
    first, *others = unquoted
    field, name = str(first.path[1]).removesuffix("s"), first.path[-1]
    which = f"{field} {name}" if field != name else f"metadata.{name}"
    whose = named(first.key) if first.key.name else f"a {first.key.kind}"
    return Claim(
        subject=first.key,
        title=f"{sighting.operation} fails: {which} of {whose} is not a string",
        because=f"without quotes, YAML reads {first.note} as a {_json_type(first.note)}; {field}s must be strings",
        fix=f'quote it: {name}: "{first.note}", or in a template: | quote',
        mends=(every(_quoted),),
        path=first.path,
        related=tuple(Pointer(other.key, other.path, "unquoted too") for other in others),
    )


def _unquoted(manifest: Manifest) -> Iterator[Pointer]:
    """With the value as it is written."""
    for field in FIELDS:
        found = manifest.body.metadata.get(field)
        for name, value in found.items() if isinstance(found, dict) else ():
            if value is not None and not isinstance(value, str):
                yield Pointer(manifest.key, ("metadata", field, str(name)), _written(value))
    for field in NAMES:
        value = manifest.body.metadata.get(field)
        if value is not None and not isinstance(value, str):
            yield Pointer(manifest.key, ("metadata", field), _written(value))


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _json_type(text: str) -> str:
    return "boolean" if text in ("true", "false") else "number" if text[:1] in "-.0123456789" else "structure"


def _quoted(thing: Object) -> Object:
    metadata = thing.get("metadata") or {}
    quoted: Object = {
        field: {name: _text(value) for name, value in metadata[field].items()}
        for field in FIELDS
        if isinstance(metadata.get(field), dict)
    }
    quoted |= {field: _text(metadata[field]) for field in NAMES if field in metadata}
    return {**thing, "metadata": {**metadata, **quoted}} if quoted else thing


def _text(value: object) -> str | None:
    return value if isinstance(value, str) or value is None else _written(value)


RULE = Rule(
    "WB106",
    "unquoted-annotation",
    "an annotation, a label or a name without quotes is not a string, and the object is refused",
    rows=(65,),
    claim=_claim,
)
