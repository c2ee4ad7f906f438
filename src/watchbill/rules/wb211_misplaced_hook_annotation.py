"""WB211: helm.sh/hook is in a place where Helm does not look for it, so the object is plain."""

from collections.abc import Iterator
from typing import Any

from watchbill.lifecycle.objects import Object
from watchbill.rules.look import Look
from watchbill.rules.mends import changed
from watchbill.rules.policies import EVENTS
from watchbill.rules.rule import Claim, Path, Rule, Severity
from watchbill.rules.words import named

NAME = "helm.sh/hook"
# Their values are the user's own: what stands there is no metadata of this object.
PAYLOAD = frozenset({"data", "stringData", "binaryData"})


def _inspect(look: Look) -> Iterator[Claim]:
    for manifest, hook in look.manifests():
        # A hook that repeats its annotation for its pods is a hook all the same.
        if hook is not None:
            continue
        for path in _misplaced(manifest.body.object):
            key = manifest.key
            where = ".".join(map(str, path[:-1]))
            yield Claim(
                subject=key,
                title=f"{named(key)} is not a hook: {NAME} is in {where}",
                because=f"Helm looks for {NAME} in metadata.annotations only, so this is a plain object",
                fix="move it to metadata.annotations of the object itself",
                mends=(changed(key, _without),),
                path=path,
                severity=Severity.WARNING,
            )
            break


def _misplaced(thing: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(thing, list):
        for place, item in enumerate(thing):
            yield from _misplaced(item, (*path, place))
    if not isinstance(thing, dict):
        return
    if NAME in thing and (*path, NAME) != EVENTS:
        yield (*path, NAME)
    for field, value in thing.items():
        if path or field not in PAYLOAD:
            yield from _misplaced(value, (*path, field))


def _without(thing: Object) -> Object:
    return {field: _stripped(value) for field, value in thing.items()}


def _stripped(thing: Any) -> Any:
    if isinstance(thing, list):
        return [_stripped(item) for item in thing]
    if isinstance(thing, dict):
        return {field: _stripped(value) for field, value in thing.items() if field != NAME}
    return thing


RULE = Rule(
    "WB211",
    "misplaced-hook-annotation",
    "helm.sh/hook is in a place where Helm does not look for it",
    rows=(55,),
    inspect=_inspect,
)
