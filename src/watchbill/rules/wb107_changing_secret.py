"""WB107: a Secret that is another one after every upgrade, though nothing changed and pods use it."""

import base64
import binascii
from collections.abc import Iterable

from watchbill.lifecycle.contents import entries
from watchbill.lifecycle.objects import Object
from watchbill.lifecycle.properties import Property
from watchbill.rules.mends import changed, without
from watchbill.rules.rule import Claim, Path, Rule, Severity
from watchbill.rules.sighting import Sighting
from watchbill.rules.words import named

FIELDS = ("data", "stringData")
FIXED = "Zml4ZWQ="  # fixed


def _claim(sighting: Sighting) -> Claim | None:
    key = sighting.key
    if sighting.broke is not Property.STEADY or key is None:
        return None
    names = sighting.what.split(", ")
    manifest = sighting.manifest(key)
    texts = [entries(manifest.body).get(name, "") for name in names] if manifest else []
    certificate = bool(texts) and all(map(_is_certificate, texts))
    what = "certificate" if certificate else names[0] if len(names) == 1 else f"{names[0]} and more"
    return Claim(
        subject=key,
        title=f"every upgrade gives {named(key)} another {what}; running pods keep the old one",
        because=f"{', '.join(names)}: generated at each render; the template does not reuse the existing value",
        fix="reuse the existing value: find the Secret with lookup, and generate a value only if there is none; or let users name a Secret",
        mends=(changed(key, lambda thing: _fixed(thing, names)), without(key)),
        path=_path(manifest.body.object, names[0]) if manifest else (),
        # A new certificate with its authority mostly comes to pods by itself, a password never to what is locked with it.
        severity=Severity.NOTE if certificate else Severity.WARNING,
    )


def _is_certificate(encoded: str) -> bool:
    try:
        return base64.b64decode(encoded).lstrip().startswith(b"-----BEGIN ")
    except (binascii.Error, ValueError):
        return False


def _path(thing: Object, name: str) -> Path:
    field = next((field for field in FIELDS if name in (thing.get(field) or {})), "data")
    return field, name


def _fixed(thing: Object, names: Iterable[str]) -> Object:
    held = {field: thing[field] for field in FIELDS if thing.get(field)}
    return {**thing, **{field: {**held[field], **dict.fromkeys(names, FIXED)} for field in held}}


RULE = Rule(
    "WB107",
    "changing-secret",
    "every upgrade changes a Secret that pods use, although nothing else changed",
    rows=(49,),
    claim=_claim,
)
